// SPDX-License-Identifier: MIT OR Apache-2.0
//! A take that was recorded before gestures had one name renders, bit for bit, what was heard then: a value, a place, a hit,
//! an edit, rest, another scene and a strike. It is never changed.

use tocco::Gesture;
use tocco_live::take::{Replay, Take};

#[test]
fn a_take_of_the_first_format_is_read_and_gives_the_samples_that_were_heard() {
    let take = Take::from_text(include_str!("old/take-1.jsonl"), "take-1.jsonl").unwrap();
    let is = |wanted: fn(&Gesture) -> bool| take.entries.iter().any(|entry| wanted(&entry.gesture));
    assert!(is(|g| matches!(g, Gesture::Edit(_))) && is(|g| matches!(g, Gesture::Load(_))));
    assert!(is(|g| matches!(g, Gesture::Touch { .. })) && is(|g| matches!(g, Gesture::Hush)));
    let mut replay = Replay::new(&take).unwrap();
    let mut out = vec![0.0; 4_096 * take.header.channels];
    let mut loud = false;
    loop {
        let frames = replay.render(&mut out);
        if frames == 0 {
            break;
        }
        loud |= out[..frames].iter().any(|x| x.abs() > 0.01);
    }
    assert!(loud && replay.is_faithful());
}
