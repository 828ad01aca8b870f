// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco as a CLAP plug-in: every shipped scene is a preset, its parameters are knobs, its notes are notes.
//!
//! [`main_thread`] holds the control half of `tocco_live` and what a host may ask; [`audio`] the audio half. A scene that comes
//! while others sound is built on the main thread, handed over whole, and fades in while the one before fades out. [`knobs`]
//! says what a parameter is to a host, [`presets`] lists the scenes, [`studio`] is the window. With the feature `vst3` the same
//! file is a VST3 plug-in, too (`clap-wrapper`).

pub mod audio;
pub mod knobs;
pub mod main_thread;
pub mod presets;
pub mod studio;

use audio::Audio;
use clack_extensions::audio_ports::PluginAudioPorts;
use clack_extensions::gui::PluginGui;
use clack_extensions::latency::PluginLatency;
use clack_extensions::note_ports::PluginNotePorts;
use clack_extensions::params::PluginParams;
use clack_extensions::preset_discovery::PluginPresetLoad;
use clack_extensions::preset_discovery::prelude::PresetDiscoveryFactoryWrapper;
use clack_extensions::state::PluginState;
use clack_extensions::tail::PluginTail;
use clack_extensions::voice_info::PluginVoiceInfo;
use clack_plugin::clack_export_entry;
use clack_plugin::entry::prelude::*;
use clack_plugin::plugin::features::{INSTRUMENT, STEREO, SYNTHESIZER};
use clack_plugin::prelude::*;
use main_thread::Main;
use std::ffi::CStr;
use std::path::PathBuf;

/// How hosts know the plug-in, for ever.
pub const ID: &str = "org.tocco.tocco";

/// The plug-in.
pub struct Tocco;

impl Plugin for Tocco {
    type AudioProcessor<'a> = Audio<'a>;
    type Shared<'a> = ();
    type MainThread<'a> = Main<'a>;

    fn declare_extensions(builder: &mut PluginExtensions<Self>, _: Option<&()>) {
        builder
            .register::<PluginAudioPorts>()
            .register::<PluginNotePorts>()
            .register::<PluginParams>()
            .register::<PluginState>()
            .register::<PluginLatency>()
            .register::<PluginTail>()
            .register::<PluginVoiceInfo>()
            .register::<PluginPresetLoad>()
            .register::<PluginGui>();
    }
}

/// What a host finds in the file: the plug-in and its presets.
pub struct Library {
    plugins: PluginFactoryWrapper<Plugins>,
    presets: PresetDiscoveryFactoryWrapper<presets::Presets>,
}

struct Plugins {
    descriptor: PluginDescriptor,
    /// The file that the plug-in was loaded from, if the host says so.
    file: Option<PathBuf>,
}

impl PluginFactoryImpl for Plugins {
    fn plugin_count(&self) -> u32 {
        1
    }

    fn plugin_descriptor(&self, index: u32) -> Option<&PluginDescriptor> {
        (index == 0).then_some(&self.descriptor)
    }

    fn create_plugin<'a>(&'a self, host: HostInfo<'a>, id: &CStr) -> Option<PluginInstance<'a>> {
        let (ours, file) = (self.descriptor.id() == Some(id), self.file.clone());
        ours.then(|| PluginInstance::new::<Tocco>(host, &self.descriptor, |_| Ok(()), |host, ()| Main::new(host, file)))
    }
}

impl Entry for Library {
    fn new(file: Option<&CStr>) -> Result<Self, EntryLoadError> {
        let descriptor = PluginDescriptor::new(ID, "Tocco")
            .with_vendor("Tocco")
            .with_version(env!("CARGO_PKG_VERSION"))
            .with_description("The sound of things touching, by physics")
            .with_features([INSTRUMENT, SYNTHESIZER, STEREO]);
        let file = file.and_then(|file| file.to_str().ok()).filter(|file| !file.is_empty()).map(PathBuf::from);
        let plugins = PluginFactoryWrapper::new(Plugins { descriptor, file });
        Ok(Self { plugins, presets: PresetDiscoveryFactoryWrapper::new(presets::Presets::new()) })
    }

    fn declare_factories<'a>(&'a self, builder: &mut EntryFactories<'a>) {
        builder.register_factory(&self.plugins).register_factory(&self.presets);
    }
}

clack_export_entry!(Library);

#[cfg(feature = "vst3")]
clap_wrapper::export_vst3!();
