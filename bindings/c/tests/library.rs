// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library as C and C++ programs get it: header, both libraries, packages, examples; with valgrind and the address sanitizer.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_c::session::*;
use tocco_testing::allocations::{Counting, assert_awake, count, watched};
use tocco_testing::skip;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const STRICT: [&str; 5] = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-g"];
/// What the standard library of Rust needs.
const NEEDS: [&str; 6] = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lrt", "-lutil"];

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo has put the libraries for this test.
fn libraries() -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let all = [deps.clone(), deps.parent().unwrap().to_path_buf()];
    all.into_iter().find(|folder| folder.join("libtocco_c.a").is_file()).expect("a static library beside the tests")
}

/// With the library that was built for this test: cargo has a program look where an older one may be.
fn here_first(program: &mut Command) -> &mut Command {
    program.env("LD_LIBRARY_PATH", libraries())
}

fn there_is(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}{}", said(&output.stderr), said(&output.stdout));
    output
}

fn built(name: &str, compiler: &str, source: &Path, flags: &[&str], shared: bool) -> PathBuf {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(compiler);
    command.args(STRICT).args(flags).arg("-I").arg(here()).arg("-o").arg(&program);
    if compiler == "g++" {
        command.args(["-x", "c++"]);
    }
    command.arg(source);
    command.args(["-x", "none"]);
    match shared {
        true => {
            command.arg("-L").arg(libraries()).arg("-ltocco_c").arg(format!("-Wl,-rpath,{}", libraries().display()))
        }
        false => command.arg(libraries().join("libtocco_c.a")).args(NEEDS),
    };
    run(command.args(["-lm", "-lpthread"]));
    program
}

#[test]
fn programs_in_c_and_cpp_compile_strictly_and_hold_what_is_promised() {
    let source = here().join("tests/abi.c");
    for (name, compiler, standard, shared) in [
        ("abi-c-static", "gcc", "-std=c99", false),
        ("abi-c-shared", "gcc", "-std=c11", true),
        ("abi-cpp-static", "g++", "-std=c++11", false),
    ] {
        if !there_is(compiler) {
            skip("the C library", compiler);
            continue;
        }
        let program = built(name, compiler, &source, &[standard], shared);
        let said = run(here_first(&mut Command::new(program))).stdout;
        assert!(said.starts_with(b"ok "), "{name}");
    }
}

#[test]
fn nothing_leaks_or_strays_by_valgrind_and_by_the_address_sanitizer() {
    let source = here().join("tests/abi.c");
    if !there_is("gcc") {
        return skip("the C library under a sanitizer", "gcc");
    }
    run(&mut Command::new(built("abi-asan", "gcc", &source, &["-std=c99", "-fsanitize=address,undefined"], false)));
    if !there_is("valgrind") {
        return skip("the C library under valgrind", "valgrind");
    }
    let program = built("abi-valgrind", "gcc", &source, &["-std=c99"], true);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
    run(here_first(valgrind.args(["--errors-for-leak-kinds=definite,indirect"]).arg(program)));
}

#[test]
fn the_offline_example_gives_the_engines_bits_and_errors_in_its_words() {
    if !there_is("gcc") {
        return skip("the examples in C", "gcc");
    }
    let program = built("render", "gcc", &here().join("../../examples/c/render.c"), &["-std=c99"], false);
    let sound = run(Command::new(&program).args(["bar", "0.5"])).stdout;
    let text = fs::read_to_string(here().join("../../scenes/bar.toml")).unwrap();
    let def = SceneDef::from_text(&text).unwrap();
    let mut engine = Engine::new(Scene::build(&def, def.rate_hz).unwrap());
    let mut out = vec![0.0_f32; (0.5 * def.rate_hz) as usize * engine.scene().channels()];
    engine.render(&[], &mut Queue::new(), &mut out);
    let bytes: Vec<u8> = out.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    assert!(sound == bytes && out.iter().any(|x| *x != 0.0), "{} bytes, {} expected", sound.len(), bytes.len());
    let wrong = Command::new(&program).args(["barr", "0.5"]).output().unwrap();
    assert!(!wrong.status.success());
    assert_eq!(String::from_utf8_lossy(&wrong.stderr), "render: no shipped scene 'barr'; did you mean 'bar'?\n");
}

#[test]
fn the_live_example_plays_on_a_device_that_only_keeps_time() {
    let flags = Command::new("pkg-config").args(["--cflags", "--libs", "alsa"]).output();
    let Some(flags) = flags.ok().filter(|output| output.status.success() && there_is("gcc")) else {
        return skip("the live example in C", "ALSA");
    };
    let flags = String::from_utf8(flags.stdout).unwrap();
    let flags: Vec<&str> = flags.split_whitespace().chain(["-std=c11", "-D_GNU_SOURCE"]).collect();
    // Libraries go behind what needs them; ALSA's own headers are not strict.
    let (libraries, flags): (Vec<&str>, Vec<&str>) = flags.iter().partition(|flag| flag.starts_with("-l"));
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("live");
    let mut command = Command::new("gcc");
    command.args(["-Wall", "-Wextra", "-Werror"]).args(flags).arg("-I").arg(here()).arg("-o").arg(&program);
    command.arg(here().join("../../examples/c/live.c")).arg(self::libraries().join("libtocco_c.a"));
    run(command.args(libraries).args(NEEDS));
    let said = run(Command::new(&program).args(["bar", "null", "0.25"]).stdin(std::process::Stdio::null())).stdout;
    let frames: f64 = String::from_utf8_lossy(&said).trim_end_matches(" frames\n").parse().unwrap();
    assert!(frames >= 256.0 && frames % 256.0 == 0.0, "{frames}");
}

#[test]
fn what_is_marked_audio_allocates_nothing() {
    assert_awake();
    let text = fs::read_to_string(here().join("../../scenes/bar.toml")).unwrap();
    let (fetch, user) = (None, std::ptr::null_mut());
    let setup = Setup { rate_hz: 48_000.0, channels: 2, limiter: 1, notes: 1, fetch, user };
    let (mut frames, mut planes) = (vec![0.0_f32; 2 * 480], [vec![0.0_f32; 480], vec![0.0; 480]]);
    // SAFETY: the session is alive until it is freed, and everything points to as much as is said.
    unsafe {
        let session = tocco_open(text.as_ptr().cast(), text.len(), &raw const setup);
        let hard = tocco_param_id(session, c"hardness".as_ptr(), 8);
        assert!(!session.is_null() && hard != 0);
        let before = count();
        watched(|| {
            assert_eq!(tocco_watch_touches(session, 1), 1);
            let (mut ended, mut touch) = (0, Touch { at: 0.0, impulse_n_s: 0.0, contact: 0, begins: 0 });
            let (mut ends, mut touches) = (0, 0);
            for block in 0..400 {
                let at = f64::from(block) * 480.0 + 7.0;
                if block < 40 {
                    let key = 50 + (block as u32 % 20);
                    assert_eq!(tocco_note_on(session, block, 0, key, 0.7, 0.1, at), 1);
                    assert_eq!(tocco_note_tune(session, block, -1, -1, 0.2, at + 50.0), 1);
                    assert_eq!(tocco_note_press(session, block, -1, -1, 0.5, at + 60.0), 1);
                    assert_eq!(tocco_note_brighten(session, block, -1, -1, 0.5, at + 60.0), 1);
                    assert_eq!(tocco_param_set(session, hard, 0.3, at + 70.0), 1);
                    assert_eq!(tocco_note_off(session, block, -1, -1, at + 300.0), 1);
                    assert_eq!(tocco_note_choke(session, block - 3, -1, -1, at + 300.0), 1);
                }
                if block % 2 == 0 {
                    assert_eq!(tocco_play(session, std::ptr::null(), 0, frames.as_mut_ptr(), 480), 1);
                } else {
                    let out = planes.each_mut().map(|plane| plane.as_mut_ptr());
                    assert_eq!(tocco_play_planar(session, std::ptr::null(), 0, out.as_ptr(), 2, 480), 1);
                }
                while tocco_note_ended(session, &raw mut ended) == 1 {
                    ends += 1;
                }
                while tocco_next_touch(session, &raw mut touch) == 1 {
                    touches += 1;
                }
            }
            assert!(ends > 0 && touches > 40, "{ends} notes have ended, {touches} touches");
        });
        assert_eq!(count() - before, 0);
        tocco_free(session);
    }
}

#[test]
fn pkg_config_and_cmake_find_what_is_installed() {
    if !there_is("gcc") || !there_is("pkg-config") {
        return skip("the packages of the C library", "gcc or pkg-config");
    }
    let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("prefix");
    run(Command::new(here().join("install")).arg(&prefix).arg(libraries()));
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "tocco"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))
    .stdout;
    let flags = String::from_utf8(flags).unwrap();
    let program = prefix.join("render");
    let mut command = Command::new("gcc");
    command.arg("-o").arg(&program).arg(here().join("../../examples/c/render.c")).args(flags.split_whitespace());
    run(&mut command);
    let sound = run(Command::new(&program).args(["bar", "0.1"]).env("LD_LIBRARY_PATH", prefix.join("lib"))).stdout;
    assert_eq!(sound.len(), 4 * 4800);
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "--static", "tocco"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))
    .stdout;
    let flags = String::from_utf8(flags).unwrap().replace("-ltocco_c", "-l:libtocco_c.a");
    let alone = prefix.join("render-static");
    let mut command = Command::new("gcc");
    command.arg("-o").arg(&alone).arg(here().join("../../examples/c/render.c")).args(flags.split_whitespace());
    run(&mut command);
    assert_eq!(run(Command::new(&alone).args(["bar", "0.1"])).stdout, sound, "without the shared library");
    if !there_is("cmake") {
        return skip("the CMake package", "cmake");
    }
    let build = prefix.join("build");
    let examples = here().join("../../examples/c");
    let _ = fs::remove_dir_all(&build);
    run(Command::new("cmake")
        .arg("-S")
        .arg(examples)
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    for program in ["render", "render-static"] {
        assert_eq!(run(Command::new(build.join(program)).args(["bar", "0.1"])).stdout, sound, "{program}");
    }
    let live = build.join("live");
    match live.is_file() {
        true => drop(run(Command::new(live).args(["bar", "null", "0.1"]).stdin(std::process::Stdio::null()))),
        false => skip("the live example by CMake", "ALSA"),
    }
}
