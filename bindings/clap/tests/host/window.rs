// SPDX-License-Identifier: MIT OR Apache-2.0
//! The studio as the plug-in's window, or behind a knob where no window floats.

use super::*;
use clack_extensions::gui::{GuiApiType, GuiConfiguration, PluginGui};
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};
use tocco_testing::skip;

/// A folder with the plug-in, and beside it a program of these words.
fn beside(name: &str, program: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("Tocco.clap");
    let _ = std::fs::remove_file(folder.join("tocco"));
    std::fs::copy(library(), &file).unwrap();
    if let Some(program) = program {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(folder.join("tocco"), format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(folder.join("tocco"), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    file
}

/// Shows the window of a plug-in; what the host's log says of it.
fn shown(plugin: &mut PluginInstance<Host>) -> (bool, String) {
    let handle = plugin.plugin_handle();
    let gui: PluginGui = handle.get_extension().unwrap();
    let floating = gui.get_preferred_api(&handle).unwrap();
    assert!(floating.is_floating && gui.is_api_supported(&handle, floating));
    let embedded = GuiConfiguration { api_type: GuiApiType::X11, is_floating: false };
    assert!(!gui.is_api_supported(&handle, embedded) && gui.create(&handle, embedded).is_err());
    gui.create(&handle, floating).unwrap();
    let shown = gui.show(&handle).is_ok();
    (shown, plugin.access_shared_handler(|shared| shared.said.lock().unwrap().join("\n")))
}

#[cfg(unix)]
#[test]
fn its_window_is_the_program_s_studio_with_its_scene_until_it_is_destroyed() {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let program = deps.parent().unwrap().join("tocco");
    if !program.is_file() {
        return skip("the studio as a plug-in's window", "the program (cargo build -p tocco-host)");
    }
    let mut plugin =
        plugin_of(&beside("window", Some(&format!("exec '{}' \"$@\" --no-open", program.display())))).unwrap();
    assert!(preset(&mut plugin, "felt"));
    let (is_shown, said) = shown(&mut plugin);
    if said.contains("without the page's engine") {
        return skip("the studio as a plug-in's window", "the page's engine (TOCCO_WASM_FILE)");
    }
    assert!(is_shown, "{said}");
    let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /scenes.json HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let text = library::load("felt").unwrap().text;
    let first = format!("\"first\":{}", serde_json::to_string(&text).unwrap());
    assert!(answer.contains(&first), "{}", &answer[..answer.len().min(500)]);
    {
        let handle = plugin.plugin_handle();
        let gui: PluginGui = handle.get_extension().unwrap();
        gui.show(&handle).unwrap();
        gui.destroy(&handle);
    }
    assert!(TcpStream::connect(&address).is_err(), "the studio is still there");
}

/// Waits until it is so.
#[track_caller]
fn soon(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "never");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
#[test]
fn where_no_window_floats_a_knob_opens_and_closes_the_studio() {
    const STUDIO: u32 = 128;
    let link = "echo 'studio at http://127.0.0.1:9/x'; exec sleep 100";
    for (name, program, opens) in
        [("vst3", link, true), ("vst3-none", "echo 'error: no such thing' >&2; exit 2", false)]
    {
        let file = beside(name, Some(program));
        let mut plugin = plugin_in("CLAP-As-VST3-Wrapper", &file).unwrap();
        let knob = |plugin: &mut PluginInstance<Host>| {
            let handle = plugin.plugin_handle();
            let params: PluginParams = handle.get_extension().unwrap();
            assert_eq!(params.count(&handle), STUDIO + 1);
            let mut buffer = ParamInfoBuffer::new();
            let info = params.get_info(&handle, STUDIO, &mut buffer).unwrap();
            assert_eq!((info.id.get(), info.name), (STUDIO, &b"studio"[..]));
            params.get_value(&handle, info.id).unwrap()
        };
        let said = |plugin: &PluginInstance<Host>| {
            plugin.access_shared_handler(|shared| shared.said.lock().unwrap().join("\n"))
        };
        let untouched = rendered(&mut plugin, 4800, &[64], &[]);
        assert_eq!(knob(&mut plugin), 0.0);
        let mut other = plugin_in("CLAP-As-VST3-Wrapper", &file).unwrap();
        let turned = rendered(&mut other, 4800, &[64], &[(100, Doing::Turn(STUDIO, 1.0))]);
        same("nothing is heard of it", &turned, &untouched);
        // Whether or not the host ever calls the main thread, as those of VST3 on Linux do not.
        soon(|| opens == (knob(&mut other) == 1.0));
        let words = if opens { "http://127.0.0.1:9/x" } else { "no such thing" };
        soon(|| {
            other.call_on_main_thread_callback();
            said(&other).contains(words)
        });
        assert_eq!(knob(&mut other), f64::from(u8::from(opens)), "{}", said(&other));
        rendered(&mut other, 4800, &[64], &[(100, Doing::Turn(STUDIO, 0.0))]);
        soon(|| knob(&mut other) == 0.0);
    }
}

#[cfg(unix)]
#[test]
fn a_window_without_a_program_is_a_line_in_the_host_s_log() {
    let mut broken = plugin_of(&beside("no-window", Some("echo 'error: no such thing' >&2; exit 2"))).unwrap();
    let (is_shown, said) = shown(&mut broken);
    assert!(!is_shown && said.contains("no such thing"), "{said}");
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join("tocco").is_file()) {
        return skip("a window without a program", "a path without tocco");
    }
    let mut alone = plugin_of(&beside("no-program", None)).unwrap();
    let (is_shown, said) = shown(&mut alone);
    assert!(!is_shown && said.contains("no program tocco") && said.contains("TOCCO_PROGRAM"), "{said}");
    same("still", &rendered(&mut alone, 9600, &[64], &[]), &program("bar", 9600));
}
