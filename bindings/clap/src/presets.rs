// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shipped scenes as presets that a host can list.

use crate::ID;
use clack_extensions::preset_discovery::indexer::{Indexer, IndexerInfo};
use clack_extensions::preset_discovery::metadata_receiver::MetadataReceiver;
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::preset_discovery::provider::{ProviderImpl, ProviderInstance};
use clack_plugin::prelude::PluginError;
use std::ffi::{CStr, CString};
use tocco::Document;
use tocco_lab::library;
use tocco_live::State;

/// How VST3 hosts know the plug-in: the number that `clap-wrapper` derives from its name (UUID 5 of [`ID`]).
pub const VST3_ID: &str = "E36246AE54BE55ECA6D8BACEF0922247";

/// A scene as a file that VST3 hosts load, where presets are states: a head, the state, a list of where it stands.
pub fn vstpreset(scene: Document) -> Vec<u8> {
    const HEAD: usize = 48;
    let state = State { scene, values: Vec::new() }.to_text();
    let number = |x: usize| (x as u64).to_le_bytes();
    let mut file = [&b"VST3\x01\0\0\0"[..], VST3_ID.as_bytes(), &number(HEAD + state.len())].concat();
    file.extend_from_slice(state.as_bytes());
    file.extend_from_slice(b"List\x01\0\0\0Comp");
    file.extend_from_slice(&number(HEAD));
    file.extend_from_slice(&number(state.len()));
    file
}

/// Who says what presets there are.
pub struct Presets(ProviderDescriptor);

impl Presets {
    /// One provider: the shipped scenes.
    pub(crate) fn new() -> Self {
        Self(ProviderDescriptor::new("org.tocco.scenes", "Scenes of Tocco").with_vendor("Tocco"))
    }
}

impl PresetDiscoveryFactoryImpl for Presets {
    fn provider_count(&self) -> u32 {
        1
    }

    fn provider_descriptor(&self, index: u32) -> Option<&ProviderDescriptor> {
        (index == 0).then_some(&self.0)
    }

    fn create_provider<'a>(&'a self, host: IndexerInfo<'a>, id: &CStr) -> Option<ProviderInstance<'a>> {
        (self.0.id() == Some(id)).then(|| ProviderInstance::new(host, &self.0, |indexer| Scenes::new(indexer)))
    }
}

struct Scenes;

impl Scenes {
    fn new(mut indexer: Indexer) -> Result<Self, PluginError> {
        let info = LocationInfo { name: c"Scenes", flags: Flags::IS_FACTORY_CONTENT, location: Location::Plugin };
        indexer.declare_location(info)?;
        Ok(Self)
    }
}

impl<'a> ProviderImpl<'a> for Scenes {
    fn get_metadata(&mut self, _: Location, receiver: &mut MetadataReceiver) -> Result<(), PluginError> {
        let id = CString::new(ID)?;
        for (name, text) in library::SHIPPED {
            let key = CString::new(*name)?;
            let said: String = text.lines().map_while(|line| line.strip_prefix('#')).collect();
            let said = CString::new(said.trim())?;
            receiver
                .begin_preset(Some(&key), Some(&key))?
                .add_plugin_id(UniversalPluginId::clap(&id))
                .set_description(&said);
        }
        Ok(())
    }
}
