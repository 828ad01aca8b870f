// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is shipped beside the box: the package, the modules, their presets, inlets and ports, and the help that teaches them.

use super::*;

#[test]
fn the_package_holds_what_pd_needs_to_play() {
    let Some(folder) = external() else { return };
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pd-package");
    let _ = fs::remove_dir_all(&to);
    let output = Command::new(here().join("package")).arg(&to).arg(folder.join("tocco~.pd_linux")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let package = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    let machine = if cfg!(target_arch = "x86_64") { "amd64" } else { std::env::consts::ARCH };
    let name = format!("tocco~[v{}](Linux-{machine}-32).dek", env!("CARGO_PKG_VERSION"));
    assert_eq!(package.file_name().unwrap().to_str().unwrap(), name);
    let unpacked = to.join("unpacked");
    let mut unpack = Command::new("python3");
    assert!(unpack.args(["-m", "zipfile", "-e"]).arg(&package).arg(&unpacked).status().unwrap().success());
    // A module from the package, found by a patch elsewhere as a library is.
    let patch = to.join("patch.pd");
    let text = "#N canvas 0 0 450 300 12;\n#X declare -path tocco~;\n#X obj 10 10 tocco-impact~;\n#X obj 10 10 loadbang;\n\
                #X obj 10 40 del 100;\n#X msg 10 70 \\; pd quit;\n#X connect 1 0 2 0;\n#X connect 2 0 3 0;\n";
    fs::write(&patch, text).unwrap();
    let console = run(&unpacked.join("tocco~"), &patch, RATE, &[]);
    assert_eq!(console, "");
}

#[test]
fn every_shipped_patch_opens_without_a_complaint_and_sounds() {
    let Some(folder) = external() else { return };
    let mut patches: Vec<PathBuf> = fs::read_dir(modules()).unwrap().map(|file| file.unwrap().path()).collect();
    patches.retain(|file| file.extension().is_some_and(|ending| ending == "pd"));
    patches.sort();
    assert!(patches.len() >= 15, "{patches:?}");
    for file in patches {
        // A help patch plays itself when it is sent "demo"; a module is heard in its help patch.
        let text = fs::read_to_string(&file).unwrap();
        let demo = file.file_name().unwrap().to_str().unwrap().ends_with("-help.pd");
        assert!(!demo || text.contains("tocco-level"), "{file:?}");
        let watch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("watch.pd");
        let mut patch = Patch::default();
        let (level, print) = (patch.object("r tocco-level"), patch.object("print level"));
        let (begin, order) = (patch.object("loadbang"), patch.object("t b b b"));
        let (on, start) = (patch.message("; pd dsp 1"), patch.message("; tocco-demo bang"));
        let (end, quit) = (patch.object("del 1500"), patch.message("; pd quit"));
        patch.object("r tocco-demo");
        for (from, outlet, to) in
            [(level, 0, print), (begin, 0, order), (order, 2, on), (order, 1, start), (order, 0, end), (end, 0, quit)]
        {
            patch.wire(from, outlet, to, 0);
        }
        fs::write(&watch, patch.text()).unwrap();
        let console =
            run(&folder, &watch, RATE, &["-path", modules().to_str().unwrap(), "-open", file.to_str().unwrap()]);
        for wrong in ["error", "couldn't create", "no such", "tocco~:"] {
            assert!(!console.contains(wrong), "{file:?}: {console}");
        }
        let levels =
            console.lines().filter_map(|line| line.strip_prefix("level: ")).filter_map(|x| x.parse::<f64>().ok());
        // env~ says 100 for full scale.
        let most = levels.fold(0.0, f64::max);
        assert!(!demo || (40.0..101.0).contains(&most), "{file:?} at {most} dB: {console}");
    }
}

/// Modules, a gesture that is heard, and their channels.
const MODULES: [(&str, &str, usize); 7] = [
    ("impact", "strike 1", 1),
    ("friction", "force 1.5, speed 0.05", 1),
    ("bow", "bow 0.2 0.8", 2),
    ("soft-impact", "step 4", 1),
    ("crumple", "crush 0.2", 1),
    ("particles", "once", 1),
    ("shoe", "heel_left 1, toe_left 0.6", 4),
];

/// Presets of a module: the words that it tells apart behind `preset`.
fn presets(module: &str) -> Vec<String> {
    let text = fs::read_to_string(modules().join(format!("tocco-{module}~.pd"))).unwrap();
    let mut routes = text.lines().filter_map(|line| line.split_once(" route ")).map(|(_, words)| words);
    assert!(routes.next().unwrap().starts_with("preset "));
    routes.next().unwrap().trim_end_matches(';').split(' ').map(str::to_owned).collect()
}

#[test]
fn every_preset_of_every_module_is_heard_and_is_a_sound_of_its_own() {
    let docs = fs::read_to_string(here().join("../../docs/pd.md")).unwrap();
    for (module, gesture, channels) in MODULES {
        let (all, mut sounds) = (presets(module), Vec::new());
        assert!(all.len() >= 3 && docs.contains(&format!("| {} |", all.join(", "))), "{module}: {all:?}");
        for preset in &all {
            let text = format!("preset {preset}");
            let doing = Doing { seconds: 0.4, messages: &[(10.0, text.as_str()), (60.0, gesture)], ..Doing::default() };
            let name = format!("preset-{module}-{preset}");
            let Some((heard, console)) = hear(&name, &format!("tocco-{module}~"), channels, doing) else { return };
            assert!(!console.contains("error") && !console.contains("tocco~:"), "{name}: {console}");
            let most = heard.iter().flatten().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert!((1e-3..1.5).contains(&most), "{name}: at most {most}");
            assert!(!sounds.contains(&heard), "{name} sounds as another");
            sounds.push(heard);
        }
    }
}

#[test]
fn modules_take_the_forces_and_speeds_of_the_papers_as_signals_by_the_sample() {
    for (module, channels, inlets) in [
        ("impact", 1, &[("hammer/force_n", 2.0_f32), ("object.struck/force_n", 0.5)][..]),
        ("friction", 1, &[("block/force_n", 1.0), ("object/force_n", 0.125), ("push/normal_force_n", 0.75)]),
        ("bow", 2, &[("bow/velocity_m_s", 0.25), ("rub/normal_force_n", 0.75)]),
        ("soft-impact", 1, &[("floor/force_n", 3.0)]),
    ] {
        let mut text = fs::read_to_string(modules().join(format!("{module}.toml"))).unwrap();
        for (input, (path, _)) in inlets.iter().enumerate() {
            write!(text, "[[drive]]\npath = '{path}'\ninput = {input}\n").unwrap();
        }
        let planes: Vec<Vec<f32>> = inlets.iter().map(|(_, x)| vec![*x; 9600]).collect();
        let planes: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
        let wanted = rendered(&SceneDef::from_text(&text).unwrap(), RATE, 0.2, &[], &planes);
        let signals: Vec<String> = inlets.iter().map(|(_, x)| format!("sig~ {x}")).collect();
        let signals: Vec<&str> = signals.iter().map(String::as_str).collect();
        let doing = Doing { seconds: 0.2, signals: &signals, first: 1, ..Doing::default() };
        let heard = hear(&format!("signals-{module}"), &format!("tocco-{module}~"), channels, doing);
        let Some((heard, console)) = heard else { return };
        same(module, &heard, &wanted, &console);
    }
}

#[test]
fn the_pad_of_the_bow_bows_with_its_corner_while_the_mouse_drags_it() {
    let Some(folder) = external() else { return };
    let help = modules().join("tocco-bow~-help.pd");
    // Where the pad lies in the patch, and the corner of its line in the pad: dragged to the right it is faster, further down heavier.
    let ([left, top], [across, down]) = ([540, 330], [20 + 140, 20 + 60]);
    let at = |x: i32, y: i32| format!("{} {}", left + x, top + y);
    let window = |does: String| format!("; pd-tocco-bow~-help.pd {does}");
    let said = [
        (0, "; pd dsp 1".into()),
        // What a screen does for a patch that it shows, and what a mouse says.
        (50, window("vis 1".into())),
        (50, window("map 1".into())),
        (300, window(format!("mouse {} 1 0", at(across, down)))),
        (310, window(format!("motion {} 0", at(across + 5, down + 5)))),
        (900, window(format!("motion {} 0", at(across + 5, 10)))),
        (2500, window(format!("mouseup {} 1", at(across + 5, 10)))),
        (2500, "; pd quit".into()),
    ];
    let mut patch = Patch::default();
    let (level, begin) = (patch.object("r tocco-level"), patch.object("loadbang"));
    let (clock, pack, print) = (patch.object("timer"), patch.object("pack f f"), patch.object("print level"));
    let both = patch.object("t b f");
    for (from, outlet, to, inlet) in [
        (begin, 0, clock, 0),
        (level, 0, both, 0),
        (both, 1, pack, 1),
        (both, 0, clock, 1),
        (clock, 0, pack, 0),
        (pack, 0, print, 0),
    ] {
        patch.wire(from, outlet, to, inlet);
    }
    for (at_ms, text) in said {
        let (delay, message) = (patch.object(&format!("del {at_ms}")), patch.message(&text));
        patch.wire(begin, 0, delay, 0);
        patch.wire(delay, 0, message, 0);
    }
    let watch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pad.pd");
    fs::write(&watch, patch.text()).unwrap();
    let console = run(&folder, &watch, RATE, &["-path", modules().to_str().unwrap(), "-open", help.to_str().unwrap()]);
    assert!(!console.contains("error") && !console.contains("tocco~:"), "{console}");
    let levels: Vec<(f64, f64)> = console
        .lines()
        .filter_map(|line| line.strip_prefix("level: ")?.split_once(' '))
        .map(|(at_ms, level)| (at_ms.parse().unwrap(), level.parse().unwrap()))
        .collect();
    let loudest = |from_ms: f64, to_ms: f64| {
        levels.iter().filter(|(at, _)| (from_ms..to_ms).contains(at)).fold(0.0_f64, |most, (_, level)| most.max(*level))
    };
    // Bowed, then without force: the string rings out.
    let [before, bowed, after] = [loudest(0.0, 300.0), loudest(600.0, 900.0), loudest(2300.0, 2500.0)];
    assert!(before == 0.0 && bowed > 60.0 && after < bowed - 20.0, "{before}, {bowed}, {after} dB: {console}");
}

#[test]
fn the_crossover_of_the_shoes_is_where_a_message_puts_it() {
    let power = |sound: &[f32]| sound.iter().map(|x| f64::from(x * x)).sum::<f64>();
    let steps = |name: &str, crossover: &str| {
        let at = format!("{crossover}heel_left 1, toe_right 1");
        let doing = Doing { seconds: 0.4, messages: &[(10.0, at.as_str())], ..Doing::default() };
        let (heard, console) = hear(name, "tocco-shoe~", 4, doing)?;
        assert!(!console.contains("error") && !console.contains("tocco~:"), "{console}");
        Some(heard)
    };
    let Some(unsaid) = steps("crossover-unsaid", "") else { return };
    assert!(steps("crossover-150", "crossover 150, ").unwrap() == unsaid, "150 Hz are what it begins with");
    let [low, high] = ["80", "600"].map(|hz| steps(&format!("crossover-{hz}"), &format!("crossover {hz}, ")).unwrap());
    for side in 0..2 {
        let (small, large) = (side, side + 2);
        assert!(power(&low[small]) > 1.1 * power(&high[small]), "small loudspeakers get less, side {side}");
        assert!(power(&high[large]) > 2.0 * power(&low[large]), "large ones get more, side {side}");
    }
}

#[test]
fn modules_that_listen_at_a_port_are_moved_by_osc() {
    let Some(folder) = external() else { return };
    for (module, channels, path) in [
        ("shoe", 4, "heel_left/value"),
        ("soft-impact", 1, "force/value"),
        ("crumple", 1, "squeeze/value"),
        ("particles", 1, "shake/value"),
    ] {
        // A port that was free a moment ago.
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut patch = Patch::default();
        let (tocco, print) = (patch.object(&format!("tocco-{module}~")), patch.object("print out"));
        patch.wire(tocco, channels, print, 0);
        let (begin, net) = (patch.object("loadbang"), patch.object("netsend -u -b"));
        let [format, send, trim] =
            [&*format!("oscformat {}", path.replace('/', " ")), "list prepend send", "list trim"]
                .map(|text| patch.object(text));
        for (from, to) in [(format, send), (send, trim), (trim, net)] {
            patch.wire(from, 0, to, 0);
        }
        for (at_ms, text, to) in [
            (0, format!("osc {port}"), tocco),
            (10, "; pd dsp 1".into(), print),
            (200, format!("connect 127.0.0.1 {port}"), net),
            (400, "0.75".into(), format),
            (900, format!("get {path}"), tocco),
            (1100, "; pd quit".into(), print),
        ] {
            let (delay, message) = (patch.object(&format!("del {at_ms}")), patch.message(&text));
            patch.wire(begin, 0, delay, 0);
            patch.wire(delay, 0, message, 0);
            patch.wire(message, 0, to, 0);
        }
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("osc-{module}.pd"));
        fs::write(&file, patch.text()).unwrap();
        let console = run_in_time(&folder, &file, RATE, &["-path", modules().to_str().unwrap()]);
        assert!(console.contains(&format!("out: {path} 0.75")) && !console.contains("error"), "{module}: {console}");
    }
}
