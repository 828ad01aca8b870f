// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound cards, through cpal.

use super::Player;
use super::device::{Delay, Delays, Device, Loan, Opened, Opener, fetch_home, misfit, spread};
use super::input::{InputReader, input_ring};
use crate::error::{HostError, Result, bad};
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{DeviceDirection, ErrorKind, FromSample, SampleFormat, SizedSample, StreamConfig};
use std::collections::VecDeque;
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
struct QuietStderr(i32);

#[cfg(unix)]
impl QuietStderr {
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
impl Drop for QuietStderr {
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
    let _quiet = QuietStderr::new();
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
    /// else at its own rate; with `wanted` channels, or as near to them as it has. `[control]`
    pub fn find(
        name: Option<&str>,
        asked_hz: Option<f64>,
        wished_hz: f64,
        wanted: usize,
        buffer: Option<u32>,
    ) -> Result<Self> {
        #[cfg(unix)]
        let _quiet = QuietStderr::new();
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
        let own_channels = own.as_ref().map_or(2, |config| usize::from(config.channels()));
        for rate_hz in rates.iter().flatten() {
            let rate = *rate_hz as u32;
            let fits = |range: &&cpal::SupportedStreamConfigRange| {
                f64::from(rate) == *rate_hz && range.contains_rate(rate) && FORMATS.contains(&range.sample_format())
            };
            let rank = |range: &&cpal::SupportedStreamConfigRange| {
                let format = FORMATS.iter().position(|format| *format == range.sample_format());
                (misfit(usize::from(range.channels()), wanted, own_channels), format, range.channels())
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

    /// Its name, to be shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn run<T: SizedSample + FromSample<f32>>(&self, player: Player) -> Opened<Box<dyn Device>> {
        let (mut loan, door) = Loan::new(player);
        let (trouble, lost) = (Trouble::default(), Arc::new(Mutex::new(None)));
        let channels = self.channels();
        let own = loan.player().map_or(1, |player| player.channels());
        let (mut sound, mut wide) = (vec![0.0_f32; FRAMES * own], vec![0.0_f32; FRAMES * channels]);
        let wanted = loan.player().map_or(0, |player| player.inputs());
        let listened = (wanted > 0).then(|| listen(self.config.sample_rate, wanted, &trouble));
        let (mut input, listening) = match listened.transpose() {
            Ok(listened) => listened.unzip(),
            Err(why) => {
                trouble.say(format!("the scene listens, but nothing comes in: {why}"));
                (None, None)
            }
        };
        let delays = Arc::new(Delays::default());
        let heard = delays.clone();
        let fill = move |out: &mut [T], info: &cpal::OutputCallbackInfo| {
            let Some(player) = loan.player() else { return };
            let called = info.timestamp();
            heard.add(called.playback.duration_since(called.callback));
            if let Some(input) = &mut input {
                input.catch_up(out.len() / channels);
            }
            for part in out.chunks_mut(FRAMES * channels) {
                let frames = part.len() / channels;
                match &mut input {
                    Some(input) => {
                        let (parts, count) = input.read(frames);
                        player.play(&parts[..count], &mut sound[..frames * own]);
                    }
                    None => player.play(&[], &mut sound[..frames * own]),
                }
                spread(&sound[..frames * own], own, &mut wide[..frames * channels], channels);
                for (sample, value) in part.iter_mut().zip(&wide) {
                    *sample = T::from_sample(*value);
                }
            }
        };
        let (count, reason) = (trouble.gaps.clone(), lost.clone());
        let wrong = move |error: cpal::Error| match error.kind() {
            ErrorKind::Xrun => drop(count.fetch_add(1, Ordering::Relaxed)),
            ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
            _ => *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string()),
        };
        #[cfg(unix)]
        let quiet = QuietStderr::new();
        let stream = self.device.build_output_stream(self.config, fill, wrong, None);
        #[cfg(unix)]
        drop(quiet);
        match stream.and_then(|stream| stream.play().map(|()| stream)) {
            Ok(stream) => {
                let (stream, name) = (Some(stream), self.name.clone());
                Ok(Box::new(Running { stream, _listening: listening, name, channels, door, trouble, lost, delays }))
            }
            Err(error) => {
                let why = format!("cannot play on {}: {error}; {WITHOUT}", self.name);
                Err((fetch_home(&door).map(Box::new), HostError::Machine(why)))
            }
        }
    }
}

/// Opens the default input, at the rate of the output, for a scene that listens to so many channels; or says why not, and
/// the scene hears silence. `[control]`
fn listen(rate_hz: u32, wanted: usize, trouble: &Trouble) -> std::result::Result<(InputReader, cpal::Stream), String> {
    let device = cpal::default_host().default_input_device().ok_or("there is no input")?;
    let name = device.description().map_or_else(|_| "the input".to_owned(), |about| about.name().to_owned());
    let wrong = |error: cpal::Error| format!("{name}: {error}");
    let mut config = device.default_input_config().map_err(wrong)?.config();
    config.sample_rate = rate_hz;
    let width = usize::from(config.channels);
    // Room for a fifth of a second: what an output is away for at most without being lost.
    let (mut writer, reader) = input_ring(width, wanted, rate_hz as usize / 5, FRAMES);
    let take = move |samples: &[f32], _: &cpal::InputCallbackInfo| writer.write(samples);
    let (count, of) = (trouble.clone(), name.clone());
    let failed = move |error: cpal::Error| match error.kind() {
        ErrorKind::Xrun => drop(count.gaps.fetch_add(1, Ordering::Relaxed)),
        ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
        _ => count.say(format!("{of}: {error}; nothing comes in any more")),
    };
    let stream = device.build_input_stream(config, take, failed, None).map_err(wrong)?;
    stream.play().map_err(wrong)?;
    if width < wanted {
        trouble.say(format!("the scene listens to {wanted} channels, {name} has {width}; the others are silent"));
    }
    Ok((reader, stream))
}

/// What the threads of a device tell of.
#[derive(Clone, Default)]
struct Trouble {
    gaps: Arc<AtomicU64>,
    remarks: Arc<Mutex<VecDeque<String>>>,
}

impl Trouble {
    fn say(&self, remark: String) {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).push_back(remark);
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
    channels: usize,
    door: Receiver<Player>,
    trouble: Trouble,
    lost: Arc<Mutex<Option<String>>>,
    delays: Arc<Delays>,
}

impl Device for Running {
    fn name(&self) -> &str {
        &self.name
    }
    fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn gaps(&self) -> u64 {
        self.trouble.gaps.load(Ordering::Relaxed)
    }
    fn channels(&self) -> Option<usize> {
        Some(self.channels)
    }
    fn remark(&self) -> Option<String> {
        self.trouble.remarks.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
    fn delay(&self) -> Option<Delay> {
        self.delays.delay()
    }
    fn stop(mut self: Box<Self>) -> Option<Player> {
        drop(self.stream.take());
        fetch_home(&self.door)
    }
}
