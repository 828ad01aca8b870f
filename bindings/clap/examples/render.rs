// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host in a few lines: render FILE SCENE SECONDS writes what the plug-in in FILE plays at 48 kHz in blocks of 512 to standard
//! output, 32-bit floats, left and right.

use clack_extensions::preset_discovery::prelude::{Location, PluginPresetLoad};
use clack_host::prelude::*;
use std::error::Error;
use std::ffi::CString;
use std::io::Write;

struct Shared;

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {}
}

struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

const BLOCK: usize = 512;
const RATE: f64 = 48_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, scene, seconds] = &args[..] else { return Err("usage: render FILE SCENE SECONDS".into()) };
    // SAFETY: whoever names the file trusts it.
    let entry = unsafe { PluginEntry::load(file)? };
    let info = HostInfo::new("render", "Tocco", "https://localhost", "1")?;
    let mut plugin = PluginInstance::<Host>::new(|_| Shared, |_| (), &entry, c"org.tocco.tocco", &info)?;
    let handle = plugin.plugin_handle();
    let load: PluginPresetLoad = handle.get_extension().ok_or("no presets")?;
    load.load_from_location(&handle, Location::Plugin, Some(&CString::new(scene.as_str())?))?;
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: BLOCK as u32 };
    let mut processor = plugin.activate(|_, _| (), config)?.start_processing()?;
    let (mut ports, mut out) = (AudioPorts::with_capacity(2, 1), std::io::stdout().lock());
    let mut left = (seconds.parse::<f64>()? * RATE) as usize;
    while left > 0 {
        let count = left.min(BLOCK);
        let mut sound = [vec![0.0_f32; count], vec![0.0; count]];
        let mut buffers = ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(sound.iter_mut().map(Vec::as_mut_slice)),
        }]);
        let (inputs, mut told) = (InputAudioBuffers::empty(), EventBuffer::new());
        processor.process(&inputs, &mut buffers, &InputEvents::empty(), &mut told.as_output(), None, None)?;
        let [one, two] = &sound;
        let frames = one.iter().zip(two).flat_map(|(a, b)| [*a, *b]);
        out.write_all(&frames.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())?;
        left -= count;
    }
    plugin.deactivate(processor.stop_processing());
    Ok(())
}
