// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host may ask on its main thread: knobs, ports, states, presets.

use crate::audio::Rig;
use crate::knobs::{Knob, knobs};
use crate::studio::{Keeper, Studio, Wish};
use clack_extensions::audio_ports::{
    AudioPortFlags, AudioPortInfo, AudioPortInfoWriter, AudioPortRescanFlags, AudioPortType, HostAudioPorts,
    PluginAudioPortsImpl,
};
use clack_extensions::gui::{GuiApiType, GuiConfiguration, GuiSize, PluginGuiImpl, Window};
use clack_extensions::latency::PluginLatencyImpl;
use clack_extensions::log::{HostLog, LogSeverity};
use clack_extensions::note_ports::{NoteDialect, NoteDialects, NotePortInfo, NotePortInfoWriter, PluginNotePortsImpl};
use clack_extensions::params::{
    HostParams, ParamDisplayWriter, ParamInfo, ParamInfoFlags, ParamInfoWriter, ParamRescanFlags,
    PluginMainThreadParams,
};
use clack_extensions::preset_discovery::preset_data::Location;
use clack_extensions::preset_discovery::{HostPresetLoad, PluginPresetLoadImpl};
use clack_extensions::state::PluginStateImpl;
use clack_extensions::voice_info::{HostVoiceInfo, PluginVoiceInfoImpl, VoiceInfo, VoiceInfoFlags};
use clack_plugin::events::spaces::CoreEventSpace;
use clack_plugin::prelude::*;
use clack_plugin::stream::{InputStream, OutputStream};
use rtrb::{Consumer, Producer, RingBuffer};
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tocco::Document;
use tocco_lab::library;
use tocco_live::instrument::id_of;
use tocco_live::{Desk, Instrument, Setup, State};

/// The scene of a plug-in that was told nothing.
const FIRST: &str = "bar";
/// Scenes on their way to the audio thread, or back.
const LINE: usize = 8;
/// Knobs in a host whose list of them cannot change.
const FIXED_KNOBS: usize = 128;
/// After them one that opens and closes the studio: such hosts cannot show a window that floats.
pub const STUDIO_KNOB: u32 = FIXED_KNOBS as u32;
/// Most bytes of a state.
const LONGEST_STATE: u64 = 1 << 28;

/// What the audio thread gets: what plays, what will play, and a way back for what has played.
pub type Handed = (Box<Rig>, Consumer<Box<Rig>>, Producer<Box<Rig>>);

/// A port, by the name of its output.
#[derive(Clone, PartialEq)]
struct Port {
    name: String,
    channels: Vec<usize>,
}

/// The control half of what plays, or waits to.
struct Halves {
    desk: Desk,
    /// Number of the scene; the rig that belongs to this desk has the same.
    serial: u64,
    rate_hz: f64,
    /// The audio half while the host has stopped.
    parked: Option<Box<Rig>>,
    to: Option<Producer<Box<Rig>>>,
    back: Option<Consumer<Box<Rig>>>,
}

struct Inner {
    scene: Document,
    instrument: Instrument,
    knobs: Vec<Knob>,
    ports: Vec<Port>,
    values: Vec<(String, f64)>,
    halves: Option<Halves>,
    /// The host keeps the knobs and ports that it saw first, as those of VST3 do: knobs then have numbers in their order, and
    /// what is heard is the first output, on two channels.
    fixed: bool,
    /// The host has started the plug-in.
    active: bool,
    /// The host's lists of knobs and of ports are those of another scene, and are renewed when it stops.
    stale_knobs: bool,
    stale_ports: bool,
}

/// The main thread's part of the plug-in.
pub struct Main<'a> {
    host: HostMainThreadHandle<'a>,
    inner: RefCell<Inner>,
    /// The file that the plug-in was loaded from.
    file: Option<PathBuf>,
    window: RefCell<Option<Studio>>,
    /// Who opens the studio where a knob says so.
    keeper: Option<Keeper>,
}

fn ports(instrument: &Instrument, fixed: bool) -> Vec<Port> {
    let outputs = instrument.directory().outputs();
    let port = |output: &tocco::scene::Output| Port { name: output.name.clone(), channels: output.channels.clone() };
    let mut all: Vec<Port> = outputs.iter().map(port).filter(|port| !port.channels.is_empty()).collect();
    if fixed {
        all.truncate(1);
        all.iter_mut().for_each(|port| port.channels.truncate(2));
    }
    // One channel that nobody sent anywhere is heard on both sides.
    if let [Port { channels, .. }] = all.as_mut_slice()
        && let [one] = channels[..]
    {
        *channels = vec![one, one];
    }
    all
}

impl Inner {
    fn new(
        scene: Document,
        values: Vec<(String, f64)>,
        rate_hz: Option<f64>,
        fixed: bool,
    ) -> Result<Self, PluginError> {
        let instrument = Instrument::new(scene.clone(), rate_hz)?;
        let (mut knobs, ports) = (knobs(&instrument), ports(&instrument, fixed));
        if fixed {
            knobs.truncate(FIXED_KNOBS);
            knobs.iter_mut().enumerate().for_each(|(at, knob)| knob.id = at as u32);
        }
        let (active, stale_knobs, stale_ports) = (false, false, false);
        Ok(Self { scene, instrument, knobs, ports, values, halves: None, fixed, active, stale_knobs, stale_ports })
    }

    /// What a host sees of the ports.
    fn shape(&self) -> impl Iterator<Item = (&str, usize)> {
        let inputs = if self.fixed { 0 } else { self.instrument.directory().inputs() };
        std::iter::once(("in", inputs)).chain(self.ports.iter().map(|port| (port.name.as_str(), port.channels.len())))
    }

    /// Both halves of the scene as it is.
    fn open(&self, serial: u64, other_knobs: bool) -> Result<(Desk, Box<Rig>), PluginError> {
        let sets = self.values.clone();
        let setup = Setup { channels: 1, limiter: false, watch_load: false, meters: false, sets, ..Setup::default() };
        let (desk, player, notes) = self.instrument.open(setup)?;
        let mut knobs = self.knobs.clone();
        knobs.sort_by_key(|knob| knob.id);
        let ports = self.ports.iter().map(|port| port.channels.clone()).collect();
        Ok((desk, Box::new(Rig { serial, other_knobs, player, notes, knobs, ports })))
    }

    /// What was set by now, wherever it was set.
    fn collect(&mut self) {
        if let Some(halves) = &mut self.halves {
            let _ = halves.desk.poll();
            self.values = halves.desk.moved();
        }
    }

    fn knob(&self, id: ClapId) -> Option<&Knob> {
        self.knobs.iter().find(|knob| knob.id == id.get())
    }

    fn value(&mut self, id: ClapId) -> Option<f64> {
        self.collect();
        let knob = self.knob(id)?;
        if let Some(halves) = &self.halves {
            return halves.desk.value(&knob.path).map(|value| knob.position(value));
        }
        let directory = self.instrument.directory();
        let set = |slot: usize| {
            let path = directory.path(slot);
            let found = self.values.iter().find(|(set, _)| *set == path);
            found.map_or_else(|| directory.declared(slot), |(_, value)| *value)
        };
        directory.reading(*knob.addresses.first()?, set).map(|value| knob.position(value))
    }
}

/// A preset that is a file names others beside it.
fn folder_of(scene: &Document) -> Option<&Path> {
    let from = Path::new(&scene.origin);
    from.parent().filter(|_| from.is_file())
}

impl<'a> Main<'a> {
    pub(crate) fn new(host: HostMainThreadHandle<'a>, file: Option<PathBuf>) -> Result<Self, PluginError> {
        let fixed = host.shared().info().name().is_some_and(|name| name.to_string_lossy().contains("VST3"));
        let inner = Inner::new(library::load(FIRST)?, Vec::new(), None, fixed)?;
        let keeper = fixed.then(|| Keeper::new(file.clone()));
        let main = Self { host, inner: RefCell::new(inner), file, window: RefCell::new(None), keeper };
        main.tell_keeper();
        Ok(main)
    }

    /// What the studio opens with is the scene that there is.
    fn tell_keeper(&self) {
        if let Some(keeper) = &self.keeper {
            let inner = self.inner.borrow();
            keeper.show(&inner.scene.text, folder_of(&inner.scene));
        }
    }

    /// What the audio thread tells when the knob of the window is turned, in a host that has it.
    pub(crate) fn wish(&self) -> Option<Arc<Wish>> {
        self.keeper.as_ref().map(|keeper| keeper.wish().clone())
    }

    /// Tells the host what came of a turn of the studio's knob; where it could not be opened, the knob goes back.
    fn hear_keeper(&self) {
        match self.keeper.as_ref().and_then(Keeper::said) {
            Some(Ok(link)) => self.log(LogSeverity::Info, &format!("the studio is at {link}")),
            Some(Err(why)) => {
                self.log(LogSeverity::Error, &why);
                self.rescan(ParamRescanFlags::VALUES);
            }
            None => {}
        }
    }

    fn log(&self, severity: LogSeverity, what: &str) {
        if let (Some(log), Ok(what)) = (self.host.get_extension::<HostLog>(), CString::new(what)) {
            log.log(&self.host.shared(), severity, &what);
        }
    }

    /// The audio half at the host's rate; one that the engine does not run at is refused.
    pub(crate) fn activate(&self, rate_hz: f64) -> Result<Handed, PluginError> {
        let mut inner = self.inner.borrow_mut();
        inner.collect();
        let parked =
            inner.halves.as_mut().filter(|halves| halves.rate_hz == rate_hz).and_then(|halves| halves.parked.take());
        let rig = match parked {
            Some(rig) => rig,
            None => {
                inner.halves = None;
                inner.instrument = Instrument::new(inner.scene.clone(), Some(rate_hz))?;
                let (desk, rig) = inner.open(0, false)?;
                inner.halves = Some(Halves { desk, serial: 0, rate_hz, parked: None, to: None, back: None });
                rig
            }
        };
        let (to, line) = RingBuffer::new(LINE);
        let (back, from) = RingBuffer::new(LINE);
        if let Some(halves) = &mut inner.halves {
            (halves.to, halves.back) = (Some(to), Some(from));
        }
        inner.active = true;
        Ok((rig, line, back))
    }

    /// The audio half comes back; a host that starts again goes on where it stopped, or from the beginning after a reset.
    pub(crate) fn deactivate(&self, rig: Box<Rig>, was_reset: bool) {
        let mut inner = self.inner.borrow_mut();
        inner.collect();
        if let Some(halves) = &mut inner.halves {
            (halves.to, halves.back) = (None, None);
            // A scene that was still on its way is built again, be it the same one with other values.
            let same = rig.serial == halves.serial;
            halves.parked = (same && !was_reset).then_some(rig);
        }
        inner.active = false;
        let (knobs, ports) = (std::mem::take(&mut inner.stale_knobs), std::mem::take(&mut inner.stale_ports));
        drop(inner);
        if ports {
            self.rescan_ports();
        }
        if knobs {
            self.rescan(ParamRescanFlags::ALL);
        }
    }

    fn rescan(&self, flags: ParamRescanFlags) {
        if let Some(params) = self.host.get_extension::<HostParams>() {
            params.rescan(&self.host, flags);
        }
    }

    /// The host asks for the list of ports again; only while it has stopped.
    fn rescan_ports(&self) {
        if let Some(ports) = self.host.get_extension::<HostAudioPorts>()
            && ports.is_rescan_flag_supported(&self.host, AudioPortRescanFlags::LIST)
        {
            ports.rescan(&self.host, AudioPortRescanFlags::LIST);
        }
    }

    /// Another scene. It takes over at once where its ports are those that the host has; else when the host has stopped and started.
    fn exchange(&self, scene: Document, values: Vec<(String, f64)>) -> Result<(), PluginError> {
        let mut inner = self.inner.borrow_mut();
        let rate_hz = inner.halves.as_ref().map(|halves| halves.rate_hz);
        let fixed = inner.fixed;
        let mut new = Inner::new(scene, values, rate_hz, fixed)?;
        let same_knobs = new.knobs.iter().map(|knob| knob.id).eq(inner.knobs.iter().map(|knob| knob.id));
        let same_ports = fixed || new.shape().eq(inner.shape());
        let same_voices = new.instrument.voices() == inner.instrument.voices();
        // A host that keeps its list needs no stop for another.
        let other_knobs = !(same_knobs || fixed);
        let active = inner.active;
        // Nothing takes over from a scene that itself waits for the host to stop, nor where too many are on their way to a host that
        // does not process.
        let full = |to: &Producer<Box<Rig>>| to.slots() == 0;
        let waits = inner.halves.as_ref().is_none_or(|halves| halves.to.as_ref().is_none_or(full));
        if active && same_ports && !waits {
            let serial = inner.halves.as_ref().map_or(0, |halves| halves.serial + 1);
            let (desk, rig) = new.open(serial, other_knobs)?;
            if let Some(mut halves) = inner.halves.take() {
                while halves.back.as_mut().is_some_and(|back| back.pop().is_ok()) {}
                // There is room: it was looked at, and only this thread fills it.
                let _ = halves.to.as_mut().map(|to| to.push(rig));
                new.halves = Some(Halves { desk, serial, ..halves });
            }
        }
        // Where it took over, the audio thread asks for the restart that other knobs need, once the one before has faded out.
        let restart = active && (!same_ports || waits);
        new.active = active;
        new.stale_knobs = inner.stale_knobs || restart || (active && other_knobs);
        new.stale_ports = inner.stale_ports || (active && !same_ports);
        *inner = new;
        drop(inner);
        self.tell_keeper();
        if restart {
            self.host.shared().request_restart();
        }
        if !active && !same_ports {
            self.rescan_ports();
        }
        match active && !same_knobs {
            _ if fixed => self.rescan(ParamRescanFlags::INFO | ParamRescanFlags::VALUES),
            true => {}
            false if same_knobs => self.rescan(ParamRescanFlags::VALUES),
            false => self.rescan(ParamRescanFlags::ALL),
        }
        if !same_voices && let Some(voices) = self.host.get_extension::<HostVoiceInfo>() {
            voices.changed(&self.host);
        }
        Ok(())
    }
}

impl<'a> PluginMainThread<'a, ()> for Main<'a> {
    fn on_main_thread(&self) {
        if let Some(halves) = &mut self.inner.borrow_mut().halves {
            let _ = halves.desk.poll();
            while halves.back.as_mut().is_some_and(|back| back.pop().is_ok()) {}
        }
        self.hear_keeper();
    }
}

impl PluginAudioPortsImpl for Main<'_> {
    fn count(&self, is_input: bool) -> u32 {
        let inner = self.inner.borrow();
        match is_input {
            true => u32::from(inner.instrument.directory().inputs() > 0 && !inner.fixed),
            false => inner.ports.len() as u32,
        }
    }

    fn get(&self, index: u32, is_input: bool, writer: &mut AudioPortInfoWriter) {
        let inner = self.inner.borrow();
        let inputs = Port { name: "in".into(), channels: (0..inner.instrument.directory().inputs()).collect() };
        let port = if is_input { Some(&inputs) } else { inner.ports.get(index as usize) };
        let Some(port) = port else { return };
        let (count, name) = (port.channels.len() as u32, if inner.fixed { "main" } else { &port.name });
        writer.set(&AudioPortInfo {
            id: ClapId::new(id_of(name)),
            name: name.as_bytes(),
            channel_count: count,
            flags: if index == 0 { AudioPortFlags::IS_MAIN } else { AudioPortFlags::empty() },
            port_type: AudioPortType::from_channel_count(count),
            in_place_pair: None,
        });
    }
}

impl PluginNotePortsImpl for Main<'_> {
    fn count(&self, is_input: bool) -> u32 {
        u32::from(is_input)
    }

    fn get(&self, index: u32, is_input: bool, writer: &mut NotePortInfoWriter) {
        if index == 0 && is_input {
            writer.set(&NotePortInfo {
                id: ClapId::new(0),
                name: b"notes",
                supported_dialects: NoteDialects::CLAP | NoteDialects::MIDI | NoteDialects::MIDI_MPE,
                preferred_dialect: Some(NoteDialect::Clap),
            });
        }
    }
}

impl PluginMainThreadParams for Main<'_> {
    fn count(&self) -> u32 {
        let inner = self.inner.borrow();
        if inner.fixed { STUDIO_KNOB + 1 } else { inner.knobs.len() as u32 }
    }

    fn get_info(&self, index: u32, writer: &mut ParamInfoWriter) {
        let inner = self.inner.borrow();
        let Some(knob) = inner.knobs.get(index as usize) else {
            if inner.fixed && index <= STUDIO_KNOB {
                let is_studio = index == STUDIO_KNOB;
                let name = if is_studio { "studio".into() } else { format!("unused {}", index + 1) };
                writer.set(&ParamInfo {
                    id: ClapId::new(index),
                    // Nobody wants a window that is opened by an automation.
                    flags: if is_studio { ParamInfoFlags::IS_STEPPED } else { ParamInfoFlags::IS_AUTOMATABLE },
                    cookie: clack_plugin::utils::Cookie::empty(),
                    name: name.as_bytes(),
                    module: b"",
                    min_value: 0.0,
                    max_value: 1.0,
                    default_value: 0.0,
                });
            }
            return;
        };
        // Hosts that merge parameters of one name must not: the name is the whole path.
        writer.set(&ParamInfo {
            id: ClapId::new(knob.id),
            flags: ParamInfoFlags::IS_AUTOMATABLE,
            cookie: clack_plugin::utils::Cookie::empty(),
            name: knob.path.as_bytes(),
            module: if inner.fixed {
                b""
            } else {
                knob.path.rsplit_once('/').map_or("", |(module, _)| module).as_bytes()
            },
            min_value: 0.0,
            max_value: 1.0,
            default_value: knob.position(knob.declared),
        });
    }

    fn get_value(&self, id: ClapId) -> Option<f64> {
        let mut inner = self.inner.borrow_mut();
        if inner.fixed && id.get() == STUDIO_KNOB {
            return Some(f64::from(self.keeper.as_ref().is_some_and(Keeper::is_open)));
        }
        let unused = inner.fixed && (inner.knobs.len()..FIXED_KNOBS).contains(&(id.get() as usize));
        if unused { Some(0.0) } else { inner.value(id) }
    }

    fn value_to_text(&self, id: ClapId, value: f64, writer: &mut ParamDisplayWriter) -> std::fmt::Result {
        match self.inner.borrow().knob(id) {
            Some(knob) => writer.write_str(&knob.text(value)),
            None if self.inner.borrow().fixed && id.get() == STUDIO_KNOB => {
                writer.write_str(if value >= 0.5 { "open" } else { "closed" })
            }
            None if self.inner.borrow().fixed => writer.write_str("-"),
            None => Err(std::fmt::Error),
        }
    }

    fn text_to_value(&self, id: ClapId, text: &CStr) -> Option<f64> {
        let (inner, text) = (self.inner.borrow(), text.to_str().ok()?);
        match text.trim() {
            "open" if inner.fixed && id.get() == STUDIO_KNOB => Some(1.0),
            "closed" if inner.fixed && id.get() == STUDIO_KNOB => Some(0.0),
            _ => inner.knob(id)?.read(text),
        }
    }

    fn flush(&self, input: &InputEvents, _: &mut OutputEvents) {
        let mut inner = self.inner.borrow_mut();
        inner.collect();
        for event in input {
            let Some(CoreEventSpace::ParamValue(set)) = event.as_core_event() else { continue };
            if self.keeper.as_ref().is_some_and(|keeper| keeper.wish().heard(set)) {
                continue;
            }
            let Some(knob) = set.param_id().and_then(|id| inner.knob(id)).filter(|_| !set.value().is_nan()) else {
                continue;
            };
            let (value, directory) = (knob.value(set.value()), inner.instrument.directory());
            let moved = knob.addresses.iter().flat_map(|address| directory.moves(*address, value));
            let moved: Vec<(String, f64)> = moved.map(|(slot, value)| (directory.path(slot), value)).collect();
            // What is set while nothing plays is there from the first sample on.
            inner.halves = None;
            inner.values.retain(|(path, _)| moved.iter().all(|(other, _)| other != path));
            inner.values.extend(moved);
        }
        drop(inner);
        self.hear_keeper();
    }
}

impl PluginStateImpl for Main<'_> {
    fn save(&self, output: &mut OutputStream) -> Result<(), PluginError> {
        let mut inner = self.inner.borrow_mut();
        inner.collect();
        let state = State { scene: inner.scene.clone(), values: inner.values.clone() };
        output.write_all(state.to_text().as_bytes())?;
        Ok(())
    }

    fn load(&self, input: &mut InputStream) -> Result<(), PluginError> {
        let mut text = String::new();
        input.take(LONGEST_STATE).read_to_string(&mut text)?;
        let State { scene, values } = State::from_text(&text, "state")?;
        self.exchange(scene, values)
    }
}

impl PluginPresetLoadImpl for Main<'_> {
    fn load_from_location(&self, location: Location, key: Option<&CStr>) -> Result<(), PluginError> {
        let name = match location {
            Location::Plugin => key.map(|key| key.to_string_lossy().into_owned()).unwrap_or_default(),
            Location::File { path } => path.to_string_lossy().into_owned(),
        };
        // To the program this is its standard input; the host would wait for it.
        let scene = match name.as_str() {
            "-" => Err(PluginError::Message("name a scene file, or a scene that comes with Tocco")),
            _ => library::load(&name).map_err(PluginError::from),
        };
        let loaded = scene.and_then(|scene| self.exchange(scene, Vec::new()));
        if let Some(host) = self.host.get_extension::<HostPresetLoad>() {
            match &loaded {
                Ok(()) => host.loaded(&self.host, location, key),
                Err(why) => host.on_error(&self.host, location, key, 0, CString::new(why.to_string()).ok().as_deref()),
            }
        }
        loaded
    }
}

impl PluginLatencyImpl for Main<'_> {
    fn get(&self) -> u32 {
        0
    }
}

impl PluginVoiceInfoImpl for Main<'_> {
    fn get(&self) -> Option<VoiceInfo> {
        let voices = self.inner.borrow().instrument.voices() as u32;
        let flags = VoiceInfoFlags::SUPPORTS_OVERLAPPING_NOTES;
        Some(VoiceInfo { voice_count: voices, voice_capacity: voices, flags })
    }
}

/// The window is a page in the user's browser: it floats, and no host can hold it.
impl PluginGuiImpl for Main<'_> {
    fn is_api_supported(&self, configuration: GuiConfiguration) -> bool {
        configuration.is_floating
    }

    fn get_preferred_api(&self) -> Option<GuiConfiguration<'_>> {
        Some(GuiConfiguration { api_type: GuiApiType::default_for_current_platform()?, is_floating: true })
    }

    fn create(&self, configuration: GuiConfiguration) -> Result<(), PluginError> {
        match configuration.is_floating {
            true => Ok(()),
            false => Err(PluginError::Message("the window is a page in a browser: it only floats")),
        }
    }

    fn destroy(&self) {
        self.window.take();
    }

    fn set_scale(&self, _: f64) -> Result<(), PluginError> {
        Err(PluginError::Message("the browser scales its page"))
    }

    fn get_size(&self) -> Option<GuiSize> {
        None
    }

    fn set_size(&self, _: GuiSize) -> Result<(), PluginError> {
        Err(PluginError::Message("the browser sizes its page"))
    }

    fn set_parent(&self, _: Window) -> Result<(), PluginError> {
        Err(PluginError::Message("the window is a page in a browser: it only floats"))
    }

    fn set_transient(&self, _: Window) -> Result<(), PluginError> {
        Ok(())
    }

    fn show(&self) -> Result<(), PluginError> {
        let mut window = self.window.borrow_mut();
        if window.is_none() {
            let scene = self.inner.borrow().scene.clone();
            let studio = Studio::open(&scene.text, folder_of(&scene), self.file.as_deref());
            let studio = studio.map_err(tocco_live::Error::BadInput)?;
            self.log(LogSeverity::Info, &format!("the studio is at {}", studio.link()));
            *window = Some(studio);
        }
        Ok(())
    }

    fn hide(&self) -> Result<(), PluginError> {
        self.window.take();
        Ok(())
    }
}
