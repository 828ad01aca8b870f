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
    // 3 m/s, 2 cm away, falling: it touches after t with 0.02 = 3 t + g t^2/2, and has gained g t. It leaves with half of its speed; the
    // solver's impulse holds up the weight for the whole step, too.
    let solved = 3.0 + G * STEP_S + 1.5;
    let record = Record { closing_m_s: 3.0, parting_m_s: 1.5, gap_m: 0.02, impulse_n_s: solved, ..resting([7, 0]) };
    let (events, _) = run(&[vec![], vec![record], vec![], vec![]]);
    let [Event { at_s, pair: [0, 7], what: What::Impact { speed_m_s, mass_kg, impulse_n_s }, .. }] = events[..] else {
        panic!("{events:?}")
    };
    let later = at_s - STEP_S;
    assert!((3.0 * later + 0.5 * G * later * later - 0.02).abs() < 1e-12 && (mass_kg - 1.0).abs() < 1e-12);
    assert!((speed_m_s - 3.0 - G * later).abs() < 1e-12);
    assert!((impulse_n_s - 1.5 * speed_m_s).abs() < 1e-12, "{impulse_n_s}");
}

/// A ball of 1 kg in an engine that lands in quarters of a step and bounces at the step's end, by the speed before the step.
struct Ball {
    height_m: f64,
    up_m_s: f64,
    bounce_01: f64,
}

impl Ball {
    fn step(&mut self) -> Option<Record> {
        let (gap_m, closing_m_s) = (self.height_m, -self.up_m_s);
        let mut impulse_n_s = 0.0;
        for _ in 0..4 {
            let least = -self.height_m / (STEP_S / 4.0);
            self.up_m_s -= G * STEP_S / 4.0;
            impulse_n_s += (least - self.up_m_s).max(0.0);
            self.up_m_s = self.up_m_s.max(least);
            self.height_m += self.up_m_s * STEP_S / 4.0;
        }
        if impulse_n_s == 0.0 {
            return None;
        }
        let parting_m_s = (self.bounce_01 * closing_m_s).max(0.0);
        impulse_n_s += parting_m_s - self.up_m_s;
        self.up_m_s = parting_m_s;
        Some(Record { gap_m, closing_m_s, parting_m_s, impulse_n_s, places: 1, ..resting([0, 1]) })
    }
}

#[test]
fn a_ball_that_bounces_in_coarse_steps_is_heard_with_the_speeds_of_its_closed_form() {
    let mut rng = tocco::rng::Rng::new(1, "balls");
    let (mut heard, mut worst) = (0, 0.0_f64);
    for _ in 0..300 {
        let (height_m, bounce_01) = (rng.between(0.2, 2.0), rng.between(0.2, 0.6));
        let mut ball = Ball { height_m, up_m_s: 0.0, bounce_01 };
        let (mut stream, mut events) = (Stream::new(Thresholds::default()), Vec::new());
        for step in 0..240 {
            let records: Vec<Record> = ball.step().into_iter().collect();
            stream.step(f64::from(step) * STEP_S, STEP_S, &records, &mut events).unwrap();
        }
        let speeds: Vec<(f64, f64)> = events
            .iter()
            .filter_map(|e| match e.what {
                What::Impact { speed_m_s, impulse_n_s, .. } => Some((speed_m_s, impulse_n_s)),
                _ => None,
            })
            .collect();
        let mut meant = (2.0 * G * height_m).sqrt();
        for n in 0.. {
            if meant < 0.5 {
                break;
            }
            let Some((speed, impulse)) = speeds.get(n) else {
                panic!("{height_m} m, {bounce_01}: impact {n} of {meant} m/s is missing; {speeds:?}")
            };
            let off = (speed / meant - 1.0).abs().max((impulse / (meant * (1.0 + bounce_01)) - 1.0).abs());
            (heard, worst) = (heard + 1, worst.max(off));
            assert!(off < 0.05, "{height_m} m, {bounce_01}: impact {n} {speed} not {meant} m/s");
            meant *= bounce_01;
        }
    }
    println!("{heard} impacts of at least 0.5 m/s, the worst {:.1} % off", 100.0 * worst);
}

#[test]
fn what_came_down_elsewhere_or_was_touched_in_flight_is_heard_by_what_is_seen_of_it() {
    // It left with 2 m/s and would come back with that.
    let struck = Record { closing_m_s: 4.0, parting_m_s: 2.0, impulse_n_s: 6.0 + G * STEP_S, ..resting([0, 1]) };
    let second = |closing_m_s: f64, gap_m: f64, later: usize| {
        let back = Record { closing_m_s, gap_m, impulse_n_s: 3.0, ..resting([0, 1]) };
        let mut steps = vec![vec![]; later + 1];
        (steps[0], steps[later]) = (vec![struck], vec![back]);
        let (events, _) = run(&steps);
        let Some(Event { what: What::Impact { speed_m_s, .. }, .. }) = events.last() else { panic!("{events:?}") };
        *speed_m_s
    };
    // 24 steps after: it falls with 23 g dt - 2.
    let falls = 23.0 * G * STEP_S - 2.0;
    assert!((second(falls, 0.01, 24) - 2.0).abs() < 1e-12);
    let seen = |closing: f64, gap: f64| (closing * closing + 2.0 * G * gap).sqrt();
    assert!((second(falls - 0.3, 0.01, 24) - seen(falls - 0.3, 0.01)).abs() < 1e-9, "something has held it up");
    let lower = 30.0 * G * STEP_S - 2.0;
    assert!((second(lower, 0.01, 31) - seen(lower, 0.01)).abs() < 1e-9, "a step lower");
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
fn rolling_that_wavers_around_a_threshold_goes_on_though_it_slips_a_little() {
    let wavering = |i: usize| 0.035 + 0.012 * (i as f64).sin(); // between 0.02 and 0.05
    // A slip at which sliding would go on, but does not begin.
    let rolls = |roll_m_s: f64| vec![Record { roll_m_s, slip_m_s: 0.03, places: 1, ..resting([1, 2]) }];
    let told = |speed: &dyn Fn(usize) -> f64| motions(&run(&(0..600).map(|i| rolls(speed(i))).collect::<Vec<_>>()).0);
    assert_eq!(told(&|i| if i < 60 { 0.2 } else { wavering(i) }), [Motion::Roll]);
    assert_eq!(told(&wavering), [Motion::Rest], "it does not begin at the speed at which it goes on");
    assert_eq!(told(&|i| if i < 60 { 0.2 } else { 0.015 }), [Motion::Roll, Motion::Rest]);
    assert_eq!(told(&|i| if i.is_multiple_of(20) { 0.3 } else { 0.0 }), [Motion::Rest], "one step is no motion");
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
    let [Event { what: What::Impact { impulse_n_s, mass_kg, .. }, .. }] = events[..] else { panic!("{events:?}") };
    assert!((impulse_n_s / 4.0 - 2.0 / (2.0 + G * STEP_S)).abs() < 1e-12);
    assert!(
        (mass_kg - 4.0 / (2.0 + G * STEP_S)).abs() < 1e-12,
        "more than one place feels, and no more than both: {mass_kg}"
    );
}

#[test]
fn corners_that_come_down_one_after_the_other_in_a_step_are_impacts_of_their_own_and_a_face_is_one() {
    let corner = |gap_m: f64| Record { closing_m_s: 3.0, gap_m, mass_kg: 0.25, closing_m_s2: 0.0, ..resting([0, 1]) };
    let times = |gaps: [f64; 4]| {
        let (events, stream) = run(&[gaps.map(corner).to_vec(), vec![]]);
        let impacts = events.iter().filter(|e| matches!(e.what, What::Impact { .. }));
        let times: Vec<f64> = impacts.map(|e| e.at_s).collect();
        assert_eq!(stream.counts().impacts, times.len() as u64);
        times
    };
    let far = |times: Vec<f64>, meant: &[f64]| {
        times.len() == meant.len() && times.iter().zip(meant).all(|(at, right)| (at - right).abs() < 1e-12)
    };
    assert!(far(times([0.0, 0.03, 0.0, 0.03]), &[0.0, 0.01]), "two edges, 10 ms apart");
    assert!(far(times([0.003, 0.006, 0.0, 0.003]), &[0.0]), "a face that is nearly flat");
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
