// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard of records: impacts at their time, motions with hysteresis, and nothing of what makes no sense.

use tocco_contact_stream::{Event, Fault, Motion, Record, Stream, Thresholds, What};

const STEP_S: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

/// A thing of 1 kg held up for one step.
fn resting(pair: [u64; 2]) -> Record {
    Record { pair, impulse_n_s: G * STEP_S, closing_m_s2: G, mass_kg: 1.0, places: 4, ..Record::default() }
}

fn run(steps: &[Vec<Record>]) -> (Vec<Event>, Stream) {
    let (mut stream, mut events) = (Stream::new(Thresholds::default()), Vec::new());
    for (at, records) in steps.iter().enumerate() {
        stream.step(at as f64 * STEP_S, STEP_S, records, &mut events).unwrap();
    }
    (events, stream)
}

fn motions(events: &[Event]) -> Vec<Motion> {
    let of = |event: &Event| match event.what {
        What::Goes { motion, begins: true, .. } => Some(motion),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn an_impact_comes_when_the_gap_is_closed_with_the_speed_and_impulse_of_that_moment() {
    // 3 m/s, 2 cm away, falling: it touches where 0.02 = 3 t, and has gained g t; the solver lets all of the step's gravity act first.
    let solved = 1.5 * (3.0 + G * STEP_S);
    let record = Record { closing_m_s: 3.0, gap_m: 0.02, impulse_n_s: solved, ..resting([7, 0]) };
    let (events, _) = run(&[vec![], vec![record], vec![], vec![]]);
    let [Event { at_s, pair: [0, 7], what: What::Impact { speed_m_s, mass_kg, impulse_n_s }, .. }] = events[..] else {
        panic!("{events:?}")
    };
    let later = 0.02 / 3.0;
    assert!((at_s - STEP_S - later).abs() < 1e-12 && mass_kg == 1.0);
    assert!((speed_m_s - 3.0 - G * later).abs() < 1e-12);
    assert!((impulse_n_s - 1.5 * (3.0 + G * later)).abs() < 1e-12, "{impulse_n_s}");
}

#[test]
fn what_rests_and_trembles_makes_no_impacts_and_is_said_to_rest_once() {
    let trembling = |i: usize| vec![Record { closing_m_s: G * STEP_S * (i % 3) as f64 / 2.0, ..resting([1, 2]) }];
    let (events, stream) = run(&(0..600).map(trembling).collect::<Vec<_>>());
    assert_eq!((motions(&events), events.len()), (vec![Motion::Rest], 1));
    assert_eq!(stream.counts().impacts, 0);
}

#[test]
fn one_landing_in_many_fine_steps_is_one_impact_with_the_sum_of_its_impulses() {
    let (mut stream, mut events) = (Stream::new(Thresholds::default()), Vec::new());
    for i in 0..200 {
        // Twelve steps of 0.1 ms push; the surfaces close ever slower, then part.
        let record =
            Record { impulse_n_s: 0.1, closing_m_s: 1.0 - 0.15 * f64::from(i), mass_kg: 1.0, ..Record::between(1, 2) };
        let records = if i < 12 { vec![record] } else { vec![] };
        stream.step(1e-4 * f64::from(i), 1e-4, &records, &mut events).unwrap();
    }
    assert_eq!(stream.counts().impacts, 1);
    let What::Impact { impulse_n_s, .. } = events[0].what else { panic!("{events:?}") };
    assert!((impulse_n_s - 1.2).abs() < 1e-12);
}

#[test]
fn speeds_that_waver_around_a_threshold_do_not_make_a_motion_flicker() {
    let wavering = |i: usize| {
        let slip_m_s = if i < 60 { 0.2 } else { 0.035 + 0.012 * (i as f64).sin() }; // between 0.02 and 0.05 from there on
        vec![Record { slip_m_s, ..resting([1, 2]) }]
    };
    let (events, _) = run(&(0..600).map(wavering).collect::<Vec<_>>());
    assert_eq!(motions(&events), [Motion::Slide], "it goes on sliding below the speed at which it would begin to");
    let seldom = |i: usize| vec![Record { slip_m_s: if i.is_multiple_of(20) { 0.3 } else { 0.0 }, ..resting([1, 2]) }];
    let (events, _) = run(&(0..600).map(seldom).collect::<Vec<_>>());
    assert_eq!(motions(&events), [Motion::Rest], "one step is no motion");
}

#[test]
fn sliding_scraping_rolling_and_rest_follow_each_other_and_end_when_they_part() {
    let slide = Record { slip_m_s: 1.0, ..resting([3, 1]) };
    let scrape = Record { places: 1, ..slide };
    let roll = Record { roll_m_s: 1.0, places: 1, ..resting([3, 1]) };
    let rest = resting([3, 1]);
    let steps: Vec<Vec<Record>> =
        [slide, scrape, roll, rest].iter().flat_map(|record| vec![vec![*record]; 30]).chain(vec![vec![]; 10]).collect();
    let (events, stream) = run(&steps);
    assert_eq!(motions(&events), [Motion::Slide, Motion::Scrape, Motion::Roll, Motion::Rest]);
    assert!(matches!(events.last().unwrap().what, What::Parts) && stream.touching() == 0);
    let forces: Vec<f64> = events
        .iter()
        .filter_map(|e| if let What::Goes { force_n, .. } = e.what { Some(force_n) } else { None })
        .collect();
    assert!(forces.iter().all(|force| (force - G).abs() < 1e-9), "{forces:?}");
}

#[test]
fn a_pair_that_touches_in_several_places_is_one_whatever_the_order_of_its_names() {
    let one = Record { closing_m_s: 2.0, impulse_n_s: 1.0, ..resting([5, 9]) };
    let other = Record { pair: [9, 5], closing_m_s: 1.0, impulse_n_s: 3.0, ..one };
    let (events, _) = run(&[vec![one, other]]);
    let [Event { what: What::Impact { impulse_n_s, .. }, .. }] = events[..] else { panic!("{events:?}") };
    assert!((impulse_n_s / 4.0 - 2.0 / (2.0 + G * STEP_S)).abs() < 1e-12);
}

#[test]
fn records_without_sense_are_counted_and_steps_without_sense_are_refused_with_nothing_changed() {
    let good = Record { closing_m_s: 2.0, ..resting([1, 2]) };
    let bad = [
        Record { impulse_n_s: f64::NAN, ..good },
        Record { closing_m_s: f64::INFINITY, ..good },
        Record { slip_m_s: -1.0, ..good },
        Record { mass_kg: 0.0, ..good },
        Record { mass_kg: -1.0, ..good },
        Record { point_m: [0.0, f64::NAN, 0.0], ..good },
        Record { pair: [4, 4], ..good },
    ];
    let (mut stream, mut events) = (Stream::new(Thresholds::default()), Vec::new());
    stream.step(0.0, STEP_S, &bad, &mut events).unwrap();
    assert_eq!((stream.counts().ignored, stream.touching(), events.len()), (bad.len() as u64, 0, 0));
    stream.step(1.0, STEP_S, &[], &mut events).unwrap();
    for (begin, step, fault) in [
        (f64::NAN, STEP_S, Fault::NotATime),
        (2.0, 0.0, Fault::NotAStep),
        (2.0, f64::NAN, Fault::NotAStep),
        (2.0, -1.0, Fault::NotAStep),
        (0.5, STEP_S, Fault::Fell),
    ] {
        assert_eq!(stream.step(begin, step, &[good], &mut events), Err(fault));
        assert_eq!((stream.touching(), events.len()), (0, 0));
    }
    stream.step(2.0, STEP_S, &[good], &mut events).unwrap();
    assert_eq!(events.len(), 1);
    stream.forget(2);
    assert_eq!(stream.touching(), 0);
}
