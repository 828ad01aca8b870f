// SPDX-License-Identifier: MIT OR Apache-2.0
//! A front end is small: the example plays by names, MIDI and takes, in fewer than 300 lines, and answers mistakes.

#[allow(dead_code, reason = "its main is for a terminal")]
#[path = "../examples/front_end.rs"]
mod front_end;

use front_end::{Sound, run};
use std::path::PathBuf;
use tocco::Document;
use tocco_live::take::{Replay, Take};

const BARS: &str = r#"
    body.hammer = { type = "mass", mass_kg = 0.01, position_m = -1.0 }
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }
    contact.hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e8 }
    tap = [{ of = "bar", gain = 0.5 }]
    midi = { notes = "pitch", strike = "hammer", retune = "bar", reference = 69, voices = 3 }
"#;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn played(lines: &str) -> (Sound, String) {
    let scene = Document::read("bars", "here", BARS.into(), |_| Err("none".into())).unwrap();
    let mut said = Vec::new();
    let sound = run(scene, lines.as_bytes(), &mut said).unwrap();
    (sound, String::from_utf8(said).unwrap())
}

fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn a_front_end_takes_fewer_than_300_lines() {
    let lines = include_str!("../examples/front_end.rs").lines().count();
    assert!(lines < 300, "{lines} lines");
}

#[test]
fn a_take_of_notes_gestures_and_another_scene_replays_to_every_sample_that_was_heard() {
    let (take, other) = (file("front_end.take"), file("front_end.toml"));
    let _ = std::fs::remove_file(&take);
    std::fs::write(&other, BARS.replace("440.0", "330.0").replace("voices = 3", "voices = 2")).unwrap();
    let lines = format!(
        "take {}\nplay 0.1\nmidi 90 45 64\nmidi 3c 50\nplay 0.2\n{{\"strike\":\"hammer~3\",\"velocity_m_s\":2}}\n\
         {{\"set\":\"hit/stiffness\",\"value\":1e7}}\nplay 0.1\nload {}\nmidi 90 48 7f\nplay 0.1\n",
        take.display(),
        other.display()
    );
    let (sound, said) = played(&lines);
    assert_eq!(said.lines().count(), 4, "only how long it played: {said}");
    assert_eq!(sound.samples.len(), (0.5 * sound.rate_hz) as usize * sound.channels);
    let tenths: Vec<f32> = sound.samples.chunks(sound.samples.len() / 5).map(peak).collect();
    assert!(tenths[0] == 0.0 && tenths[1..].iter().all(|level| *level > 0.01), "{tenths:?}");

    let take = Take::from_text(&std::fs::read_to_string(&take).unwrap(), "here").unwrap();
    let mut replay = Replay::new(&take).unwrap();
    let mut again = vec![0.0; sound.samples.len()];
    while replay.render(&mut again) > 0 && !replay.is_faithful() {}
    assert!(replay.is_faithful(), "the take's own hash");
    assert!(again == sound.samples, "and every sample");
}

#[test]
fn a_mistake_is_answered_in_one_line_that_names_what_was_meant_and_the_sound_goes_on() {
    let (sound, said) = played(
        "{\"strike\":\"hamer\",\"velocity_m_s\":1}\n{\"set\":\"hit/stifness\",\"value\":1}\nmidi zz\nplay long\n{\"st\n\
         dance\nload nowhere.toml\nplay 0.01\ntake late.take\nmidi 90 45 64\nplay 0.1\n",
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 10, "{said}");
    for (line, wanted) in lines.iter().zip([
        "did you mean 'hammer'?",
        "did you mean 'hit/stiffness'?",
        "'zz' is no byte",
        "how many seconds? 'long'",
        "not JSON",
        "no command 'dance'",
        "nowhere.toml: ",
        "0.010 s, peak 0.0000",
        "before playing",
        "0.110 s, peak 0.",
    ]) {
        assert!(line.contains(wanted), "{line}: wanted {wanted}");
    }
    assert!(peak(&sound.samples) > 0.01 && !std::path::Path::new("late.take").exists());
}

#[test]
fn names_lists_paths_masses_sites_signals_and_outputs_of_every_voice() {
    let (_, said) = played("names\n");
    let wanted =
        ["path hit~3/stiffness = ", "mass hammer~2", "site bar", "signal hit.force", "output main on channels [0]"];
    for line in wanted {
        assert!(said.lines().any(|said| said.starts_with(line)), "{line}: {said}");
    }
}
