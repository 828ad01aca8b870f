// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound cards, through cpal.

use super::Player;
use super::device::{Device, Loan, Opened, Opener, fetch_home, spread};
use crate::error::{HostError, Result, bad};
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{DeviceDirection, ErrorKind, FromSample, SampleFormat, SizedSample, StreamConfig};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use tocco::scene::error::nearest;

/// What to type where there is no card.
const WITHOUT: &str = "type 'tocco play SCENE --device null' to play without one";
/// Formats that we can write, best first.
const FORMATS: [SampleFormat; 4] = [SampleFormat::F32, SampleFormat::I32, SampleFormat::I16, SampleFormat::U16];
/// Frames that one call of the audio half fills; a device may ask for more in several.
const FRAMES: usize = 1024;

/// ALSA writes to stderr whatever it does not find; while we look, that goes nowhere.
#[cfg(unix)]
struct Hush(i32);

#[cfg(unix)]
impl Hush {
    fn new() -> Option<Self> {
        let nowhere = std::fs::File::options().write(true).open("/dev/null").ok()?;
        // SAFETY: plain calls on file descriptors that are open; failures are answered with -1.
        let kept = unsafe { libc::dup(2) };
        if kept < 0 {
            return None;
        }
        // SAFETY: as above; 2 stays open throughout.
        unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&nowhere), 2) };
        Some(Self(kept))
    }
}

#[cfg(unix)]
impl Drop for Hush {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours, made by dup in `new`.
        unsafe {
            libc::dup2(self.0, 2);
            libc::close(self.0);
        }
    }
}

/// A device by its id, and its name for people.
fn list() -> Vec<(cpal::Device, String, String)> {
    #[cfg(unix)]
    let _hush = Hush::new();
    let hosts = cpal::available_hosts().into_iter().filter_map(|id| cpal::host_from_id(id).ok());
    let devices = hosts.flat_map(|host| host.output_devices().into_iter().flatten());
    devices
        .filter_map(|device| {
            let id = device.id().ok()?.to_string();
            // JACK counts its inputs among what plays.
            let name = match device.description() {
                Ok(about) if about.direction() == DeviceDirection::Input => return None,
                Ok(about) => about.name().to_owned(),
                Err(_) => id.clone(),
            };
            Some((device, id, name))
        })
        .collect()
}

/// Every device that can play, one line each.
pub fn names() -> Vec<String> {
    list().into_iter().map(|(_, id, name)| if id == name { id } else { format!("{id}  {name}") }).collect()
}

/// A device with the way it will be run.
#[derive(Clone)]
pub struct Card {
    device: cpal::Device,
    name: String,
    config: StreamConfig,
    format: SampleFormat,
}

impl Card {
    /// Finds a device by id or name (the default without one) that runs at `asked_hz`, else at `wished_hz` if it can,
    /// else at its own rate. `[control]`
    pub fn find(name: Option<&str>, asked_hz: Option<f64>, wished_hz: f64, buffer: Option<u32>) -> Result<Self> {
        #[cfg(unix)]
        let _hush = Hush::new();
        let device = match name {
            None => cpal::default_host().default_output_device(),
            Some(wanted) => {
                let all = list();
                let found = all.iter().find(|(_, id, name)| id == wanted || name == wanted);
                let found = found.or_else(|| all.iter().find(|(_, id, _)| id.ends_with(&format!(":{wanted}"))));
                if found.is_none() {
                    let ids = all.iter().map(|(_, id, _)| id.as_str()).chain(["null"]);
                    let near = nearest(wanted, ids);
                    return bad(format!("no device '{wanted}'{near}; 'tocco play --list-devices' lists them"));
                }
                found.map(|(device, _, _)| device.clone())
            }
        };
        let none = |why: &str| HostError::Machine(format!("no sound card here{why}; {WITHOUT}"));
        let device = device.ok_or_else(|| none(""))?;
        let name = device.description().map_or_else(|_| "card".to_owned(), |d| d.name().to_owned());
        let ranges: Vec<_> =
            device.supported_output_configs().map_err(|e| none(&format!(" that answers ({name}: {e})")))?.collect();
        let own = device.default_output_config().ok();
        let rates = [asked_hz, Some(wished_hz), own.as_ref().map(|config| f64::from(config.sample_rate()))];
        let rates = if asked_hz.is_some() { &rates[..1] } else { &rates[1..] };
        let channels = own.as_ref().map_or(2, |config| config.channels());
        for rate_hz in rates.iter().flatten() {
            let rate = *rate_hz as u32;
            let fits = |range: &&cpal::SupportedStreamConfigRange| {
                f64::from(rate) == *rate_hz && range.contains_rate(rate) && FORMATS.contains(&range.sample_format())
            };
            let rank = |range: &&cpal::SupportedStreamConfigRange| {
                let format = FORMATS.iter().position(|format| *format == range.sample_format());
                (range.channels() != channels, range.channels() < 2, format, range.channels())
            };
            if let Some(range) = ranges.iter().filter(fits).min_by_key(rank) {
                let mut config = range.with_sample_rate(rate).config();
                config.buffer_size = buffer.map_or(cpal::BufferSize::Default, cpal::BufferSize::Fixed);
                return Ok(Self { device, name, config, format: range.sample_format() });
            }
        }
        let offers: Vec<String> =
            ranges.iter().map(|r| format!("{} to {} Hz", r.min_sample_rate(), r.max_sample_rate())).collect();
        if offers.is_empty() {
            return Err(none(&format!(" that plays ({name})")));
        }
        bad(format!("{name} does not run at {} Hz; it offers {}", rates[0].unwrap_or(wished_hz), offers.join(", ")))
    }

    /// What the engine must run at, Hz.
    pub fn rate_hz(&self) -> f64 {
        f64::from(self.config.sample_rate)
    }

    /// Channels it has.
    pub fn channels(&self) -> usize {
        usize::from(self.config.channels)
    }

    /// For people.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn run<T: SizedSample + FromSample<f32>>(&self, player: Player) -> Opened<Box<dyn Device>> {
        let (mut loan, door) = Loan::new(player);
        let (gaps, lost) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(None)));
        let channels = self.channels();
        let own = loan.player().map_or(1, |player| player.channels());
        let (mut sound, mut wide) = (vec![0.0_f32; FRAMES * own], vec![0.0_f32; FRAMES * channels]);
        let wanted = loan.player().map_or(0, |player| player.inputs());
        let (mut ear, listening) = match (wanted > 0).then(|| Ear::open(self.config.sample_rate)).flatten() {
            Some((ear, stream)) => (Some(ear), Some(stream)),
            None => (None, None),
        };
        let fill = move |out: &mut [T], _: &cpal::OutputCallbackInfo| {
            let Some(player) = loan.player() else { return };
            for part in out.chunks_mut(FRAMES * channels) {
                let frames = part.len() / channels;
                match &mut ear {
                    Some(ear) => player.play(&ear.hear(frames, wanted), &mut sound[..frames * own]),
                    None => player.play(&[], &mut sound[..frames * own]),
                }
                spread(&sound[..frames * own], own, &mut wide[..frames * channels], channels);
                for (sample, value) in part.iter_mut().zip(&wide) {
                    *sample = T::from_sample(*value);
                }
            }
        };
        let (count, reason) = (gaps.clone(), lost.clone());
        let wrong = move |error: cpal::Error| match error.kind() {
            ErrorKind::Xrun => drop(count.fetch_add(1, Ordering::Relaxed)),
            ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
            _ => *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string()),
        };
        #[cfg(unix)]
        let hush = Hush::new();
        let stream = self.device.build_output_stream(self.config, fill, wrong, None);
        #[cfg(unix)]
        drop(hush);
        match stream.and_then(|stream| stream.play().map(|()| stream)) {
            Ok(stream) => {
                let (stream, name) = (Some(stream), self.name.clone());
                Ok(Box::new(Running { stream, _listening: listening, name, door, gaps, lost }))
            }
            Err(error) => {
                let why = format!("cannot play on {}: {error}; {WITHOUT}", self.name);
                Err((fetch_home(&door).map(Box::new), HostError::Machine(why)))
            }
        }
    }
}

/// Most channels that are listened to.
const EARS: usize = 8;

/// Sound that comes in, for a scene that asks for it: the default input, at the rate of the output.
struct Ear {
    ring: rtrb::Consumer<f32>,
    channels: usize,
    /// Samples of the present block, a vector per channel.
    heard: [Vec<f32>; EARS],
}

impl Ear {
    /// `None` where nothing can be heard: the scene then hears silence. `[control]`
    fn open(rate_hz: u32) -> Option<(Self, cpal::Stream)> {
        let device = cpal::default_host().default_input_device()?;
        let mut config = device.default_input_config().ok()?.config();
        config.sample_rate = rate_hz;
        let channels = usize::from(config.channels).clamp(1, EARS);
        let width = usize::from(config.channels).max(1);
        // A fifth of a second: what the output is late by, and no more than that.
        let (mut into, ring) = rtrb::RingBuffer::new(rate_hz as usize / 5 * channels);
        let take = move |samples: &[f32], _: &cpal::InputCallbackInfo| {
            for frame in samples.chunks_exact(width) {
                if into.slots() >= channels {
                    for sample in &frame[..channels] {
                        let _ = into.push(*sample);
                    }
                }
            }
        };
        let stream = device.build_input_stream(config, take, |_| {}, None).ok()?;
        stream.play().ok()?;
        Some((Self { ring, channels, heard: core::array::from_fn(|_| vec![0.0; FRAMES]) }, stream))
    }

    /// The next frames of so many channels; silence where nothing has come. `[audio]`
    fn hear(&mut self, frames: usize, wanted: usize) -> [&[f32]; EARS] {
        for i in 0..frames {
            for channel in 0..self.channels {
                self.heard[channel][i] = self.ring.pop().unwrap_or(0.0);
            }
        }
        let count = wanted.min(self.channels);
        core::array::from_fn(|channel| if channel < count { &self.heard[channel][..frames] } else { &[] })
    }
}

impl Opener for Card {
    fn open(&mut self, player: Player) -> Opened<Box<dyn Device>> {
        match self.format {
            SampleFormat::I32 => self.run::<i32>(player),
            SampleFormat::I16 => self.run::<i16>(player),
            SampleFormat::U16 => self.run::<u16>(player),
            _ => self.run::<f32>(player),
        }
    }
}

struct Running {
    stream: Option<cpal::Stream>,
    /// Sound comes in while it is there.
    _listening: Option<cpal::Stream>,
    name: String,
    door: Receiver<Player>,
    gaps: Arc<AtomicU64>,
    lost: Arc<Mutex<Option<String>>>,
}

impl Device for Running {
    fn name(&self) -> &str {
        &self.name
    }
    fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }
    fn stop(mut self: Box<Self>) -> Option<Player> {
        drop(self.stream.take());
        fetch_home(&self.door)
    }
}
