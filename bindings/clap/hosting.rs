// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host in a few lines: what the tests and `examples/render.rs` load and play the plug-in with.

use clack_extensions::audio_ports::{AudioPortRescanFlags, HostAudioPorts, HostAudioPortsImpl};
use clack_extensions::log::{HostLog, HostLogImpl, LogSeverity};
use clack_extensions::params::{
    HostParams, HostParamsImplMainThread, HostParamsImplShared, ParamClearFlags, ParamRescanFlags,
};
use clack_extensions::preset_discovery::HostPresetLoadImpl;
use clack_extensions::preset_discovery::prelude::{HostPresetLoad, Location, PluginPresetLoad};
use clack_host::events::Match;
use clack_host::events::event_types::{
    MidiEvent, NoteChokeEvent, NoteExpressionEvent, NoteExpressionType, NoteOffEvent, NoteOnEvent, ParamValueEvent,
};
use clack_host::events::spaces::CoreEventSpace;
use clack_host::prelude::*;
use std::error::Error;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tocco_testing::allocations::watched;

/// What the plug-in asks for, and what it says.
#[derive(Default)]
pub struct Shared {
    /// Lines in the host's log.
    pub said: Mutex<Vec<String>>,
    /// How often it asked to be stopped and started.
    pub restarts: AtomicUsize,
    /// How often it asked for a call on the main thread.
    pub callbacks: AtomicUsize,
}

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }
    fn request_process(&self) {}
    fn request_callback(&self) {
        self.callbacks.fetch_add(1, Ordering::Relaxed);
    }
}

impl HostLogImpl for Shared {
    fn log(&self, _: LogSeverity, message: &str) {
        self.said.lock().unwrap().push(message.to_owned());
    }
}

/// What the plug-in says on the main thread goes to the same place.
pub struct Main<'a> {
    shared: &'a Shared,
}

impl<'a> MainThreadHandler<'a> for Main<'a> {}

impl Main<'_> {
    fn hear(&self, what: &str, rest: Option<&CStr>) {
        let rest = rest.map(CStr::to_string_lossy).unwrap_or_default();
        self.shared.said.lock().unwrap().push(format!("{what}: {rest}"));
    }
}

impl HostPresetLoadImpl for Main<'_> {
    fn on_error(&self, _: Location, _: Option<&CStr>, _: i32, message: Option<&CStr>) {
        self.hear("not loaded", message);
    }
    fn loaded(&self, _: Location, key: Option<&CStr>) {
        self.hear("loaded", key);
    }
}

impl HostAudioPortsImpl for Main<'_> {
    fn is_rescan_flag_supported(&self, _: AudioPortRescanFlags) -> bool {
        true
    }
    fn rescan(&self, flags: AudioPortRescanFlags) {
        self.hear(&format!("ports {flags:?}"), None);
    }
}

impl HostParamsImplShared for Shared {
    fn request_flush(&self) {}
}

impl HostParamsImplMainThread for Main<'_> {
    fn rescan(&self, flags: ParamRescanFlags) {
        let all = if flags.contains(ParamRescanFlags::ALL) { "all" } else { "values" };
        self.hear(&format!("knobs {all}"), None);
    }
    fn clear(&self, _: ClapId, _: ParamClearFlags) {}
}

/// The host.
pub struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Shared;
    type MainThread<'a> = Main<'a>;
    type AudioProcessor<'a> = ();

    fn declare_extensions(builder: &mut HostExtensions<Self>, _: &Shared) {
        builder
            .register::<HostLog>()
            .register::<HostPresetLoad>()
            .register::<HostAudioPorts>()
            .register::<HostParams>();
    }
}

/// The plug-in of a file.
pub fn plugin_of(file: &Path) -> Result<PluginInstance<Host>, Box<dyn Error>> {
    plugin_in("test", file)
}

/// The plug-in of a file, in a host of this name.
pub fn plugin_in(name: &str, file: &Path) -> Result<PluginInstance<Host>, Box<dyn Error>> {
    // SAFETY: whoever names the file trusts it.
    plugin_by(name, &unsafe { PluginEntry::load(file)? })
}

/// The plug-in of an entry, in a host of this name.
pub fn plugin_by(name: &str, entry: &PluginEntry) -> Result<PluginInstance<Host>, Box<dyn Error>> {
    let info = HostInfo::new(name, "Tocco", "https://localhost", "1")?;
    Ok(PluginInstance::<Host>::new(|_| Shared::default(), |shared| Main { shared }, entry, c"org.tocco.tocco", &info)?)
}

/// Loads a preset; false if the plug-in refuses it.
pub fn preset(plugin: &mut PluginInstance<Host>, name: &str) -> bool {
    let handle = plugin.plugin_handle();
    let Some(load) = handle.get_extension::<PluginPresetLoad>() else { return false };
    let Ok(name) = CString::new(name) else { return false };
    load.load_from_location(&handle, Location::Plugin, Some(&name)).is_ok()
}

/// What happens at a sample.
#[derive(Clone)]
#[allow(dead_code, reason = "the example does less than the tests")]
pub enum Doing {
    /// A key with its velocity, 0 to 1.
    On(u16, f64),
    /// A key goes up.
    Off(u16),
    /// A key is silenced.
    Choke(u16),
    /// A key's expression.
    Express(u16, NoteExpressionType, f64),
    /// A knob's position.
    Turn(u32, f64),
    /// A MIDI message.
    Midi([u8; 3]),
}

/// The sound of `frames` samples, in blocks of these sizes, over and over; both channels of the first port.
pub fn blockwise(
    processor: &mut StartedPluginAudioProcessor<Host>,
    frames: usize,
    blocks: &[usize],
    events: &[(usize, Doing)],
) -> Result<Stereo, Box<dyn Error>> {
    Ok(ending(processor, frames, blocks, events)?.0)
}

/// Both channels.
pub type Stereo = [Vec<f32>; 2];
/// Keys that ended, each with its sample.
pub type Ends = Vec<(usize, u16)>;

/// The same, and which keys ended when.
pub fn ending(
    processor: &mut StartedPluginAudioProcessor<Host>,
    frames: usize,
    blocks: &[usize],
    events: &[(usize, Doing)],
) -> Result<(Stereo, Ends), Box<dyn Error>> {
    let mut over = Vec::new();
    let mut sound = [vec![0.0; frames], vec![0.0; frames]];
    let mut ports = AudioPorts::with_capacity(2, 1);
    let (mut from, mut sizes) = (0, blocks.iter().cycle());
    while from < frames {
        let count = sizes.next().map_or(512, |size| *size).min(frames - from);
        let mut buffer = EventBuffer::new();
        for (at, doing) in events.iter().filter(|(at, _)| (from..from + count).contains(at)) {
            let time = (at - from) as u32;
            let pckn = |key: u16| Pckn::new(0u16, 0u16, key, u32::from(key));
            match doing {
                Doing::On(key, velocity) => buffer.push(&NoteOnEvent::new(time, pckn(*key), *velocity)),
                Doing::Off(key) => buffer.push(&NoteOffEvent::new(time, pckn(*key), 0.0)),
                Doing::Choke(key) => buffer.push(&NoteChokeEvent::new(time, pckn(*key))),
                Doing::Express(key, kind, x) => buffer.push(&NoteExpressionEvent::new(time, pckn(*key), *kind, *x)),
                Doing::Turn(id, x) => {
                    buffer.push(&ParamValueEvent::new(time, ClapId::new(*id), Pckn::match_all(), *x));
                }
                Doing::Midi(bytes) => buffer.push(&MidiEvent::new(time, 0, *bytes)),
            }
        }
        let [left, right] = &mut sound;
        let mut halves = [&mut left[from..from + count], &mut right[from..from + count]];
        let mut out = ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(halves.iter_mut().map(|half| &mut **half)),
        }]);
        let (input, mut ended) = (InputAudioBuffers::empty(), EventBuffer::with_capacity(256));
        let (heard, told) = (buffer.as_input(), &mut ended.as_output());
        watched(|| processor.process(&input, &mut out, &heard, told, None, None))?;
        for event in ended.iter() {
            if let Some(CoreEventSpace::NoteEnd(end)) = event.as_core_event()
                && let Match::Specific(key) = end.pckn().key
            {
                over.push((from + event.header().time() as usize, key));
            }
        }
        from += count;
    }
    Ok((sound, over))
}
