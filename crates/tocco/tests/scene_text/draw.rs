// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenes that the reader must accept.

use crate::draw_contacts::{draw_friction, draw_impact, draw_travel};
use tocco::Gesture;
use tocco::math::Real;
use tocco::param::{Key, KeyType, Kind, Params, Scale, Word};
use tocco::resonator::material::{MATERIALS, Material};
use tocco::resonator::modal::ModalParams;
use tocco::resonator::shape::{FAMILIES, MAX_MODES, Value, family, may_stiffen};
use tocco::rng::Rng;
use tocco::scene::SceneDef;
use tocco::scene::def::*;
use tocco::scene::kinds;
use tocco::scene::kinds::mass::MASS;
use tocco::scene::kinds::midi::HELD;
use tocco::scene::kinds::modal::MODE;
use tocco::scene::kinds::network::LINK;
use tocco::scene::kinds::shape::MATERIAL;
use tocco::scene::kinds::wall::WALL;

/// Inside the range, now and then at its ends.
pub fn draw(rng: &mut Rng, min: Real, max: Real) -> Real {
    match rng.bits() % 8 {
        0 => min,
        1 => max,
        2 if min <= 0.0 && max >= 0.0 => 0.0,
        3 if min <= 1.0 && max >= 1.0 => 1.0,
        4 if min > 0.0 => rng.between_log(min, max).clamp(min, max),
        _ => rng.between(min, max).clamp(min, max),
    }
}

pub fn coin(rng: &mut Rng) -> bool {
    rng.unit() < 0.5
}

pub fn draw_key(rng: &mut Rng, kind: &Kind, id: &str) -> Real {
    match kind.keys.iter().find(|key| key.id == id).unwrap().takes {
        KeyType::Number { min, max, .. } => draw(rng, min, max),
        _ => panic!("{id} is not a number"),
    }
}

/// An output's room, distance and air.
fn draw_space(rng: &mut Rng) -> OutputDef {
    // Bands differ little, and no room is asked for more than walls can do.
    let mut values = |low: Real, high: Real, count: usize| -> Vec<Real> {
        let middle = draw(rng, low, high);
        (0..count).map(|_| draw(rng, (middle / 1.2).max(low), (1.2 * middle).min(high))).collect()
    };
    let count = [1, 6, 7][values(0.0, 3.0, 1)[0] as usize % 3];
    let (times, parts) = (values(1.5, 20.0, count), values(0.01, 0.8, count));
    let volume_m3 = draw(rng, 1.0, 1e4);
    let decay = if coin(rng) { RoomDecay::Times(times) } else { RoomDecay::Absorption(vec![parts[0]]) };
    let room = coin(rng).then(|| RoomDef { volume_m3, decay, params: draw_params(rng) });
    let mut output = OutputDef { room, ..OutputDef::new("", &[0]) };
    output.way = coin(rng).then(|| draw_params(rng));
    if output.room.is_some() || output.way.is_some() {
        output.air.temperature_c = draw_key(rng, &kinds::OUTPUT, "temperature_c");
        output.air.humidity_01 = draw_key(rng, &kinds::OUTPUT, "humidity_01");
    }
    let (low, high) = (draw(rng, 1.0, 1000.0), draw(rng, 2000.0, 192_000.0));
    output.band.highpass_hz = coin(rng).then_some(low);
    output.band.lowpass_hz = coin(rng).then_some(high);
    output.floor = coin(rng).then(|| FloorDef {
        level_db: draw(rng, -200.0, 0.0),
        beta: draw(rng, 0.0, 2.0),
        first_hz: draw(rng, 0.1, 1e3),
    });
    output
}

fn draw_pair(rng: &mut Rng) -> PairMake {
    match coin(rng) {
        true => PairMake::Head { radius_m: draw(rng, 0.03, 0.3) },
        false => PairMake::Microphones {
            spacing_m: draw(rng, 0.0, 3.0),
            angle_deg: draw(rng, 0.0, 180.0),
            pattern_01: draw(rng, 0.0, 0.5),
        },
    }
}

fn draw_walk(rng: &mut Rng, name: String, mut label: impl FnMut(&mut Rng) -> String) -> WalkDef {
    let metres = |rng: &mut Rng| [draw(rng, -1e6, 1e6), draw(rng, -1e6, 1e6)];
    let ends = |rng: &mut Rng| {
        let from = draw(rng, -1e6, 1e3);
        if coin(rng) { [from, draw(rng, 1e4, 1e6)] } else { [Real::NEG_INFINITY, Real::INFINITY] }
    };
    let grounds = (0..rng.bits() % 3).map(|_| {
        let (x_m, y_m) = (ends(rng), ends(rng));
        Ground { name: label(rng), x_m, y_m, blend_m: draw(rng, 0.0, 1e3) }
    });
    let grounds = grounds.collect();
    let of = coin(rng).then(|| label(rng));
    WalkDef {
        of: of.clone(),
        name,
        params: draw_params(rng),
        make: WalkMake {
            by_inlets: of.is_none() && coin(rng),
            by_ear: of.is_some(),
            by_pair: of.is_some() && coin(rng),
            begin_s: draw(rng, 0.0, 86_400.0),
            steps: (rng.bits() % 1_000_000) as u32,
            start_m: metres(rng),
            path_m: (0..rng.bits() % 3).map(|_| metres(rng)).collect(),
            foot_m: draw(rng, 0.0, 10.0),
            width_m: draw(rng, 0.0, 10.0),
            first: rng.bits() as usize % 2,
            grounds,
        },
        mass_kg: draw(rng, 0.1, 1e4),
        sole: coin(rng).then(|| &tocco::gait::sole::SOLES[rng.bits() as usize % 7]),
        excite_by: if coin(rng) { ExciteBy::Force } else { ExciteBy::Envelope },
    }
}

pub fn draw_params<P: Params>(rng: &mut Rng) -> P {
    let mut params = P::default();
    for (index, spec) in P::SPECS.iter().enumerate() {
        params.put(index, draw(rng, spec.min, spec.max));
    }
    params
}

fn draw_text(rng: &mut Rng, alphabet: &str) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..1 + rng.bits() % 12).map(|_| letters[rng.bits() as usize % letters.len()]).collect()
}

const LETTERS: &str = "abcXYZ019_-'\"\\=\u{e9}\u{1f514}:@&$";

fn draw_geometry(rng: &mut Rng) -> ShapeDef {
    let family = FAMILIES[rng.bits() as usize % FAMILIES.len()];
    let value = |rng: &mut Rng, key: &Key| match key.takes {
        KeyType::Word(words) => Value::Word(words[rng.bits() as usize % words.len()].into()),
        KeyType::Number { min, max, .. } => Value::Number(draw(rng, min, max)),
        _ => panic!("{} is neither a word nor a number", key.id),
    };
    let given = |key: &Key| (key.required || coin(rng)).then(|| (key.id.to_string(), value(rng, key)));
    let values = family.kind.keys.iter().filter_map(given).collect();
    let material = match family.solid {
        false => MaterialDef::Air,
        true if coin(rng) => MaterialDef::Named(MATERIALS[rng.bits() as usize % MATERIALS.len()].id),
        true => MaterialDef::Own(Material {
            density_kg_m3: draw_key(rng, &MATERIAL, "density_kg_m3"),
            young_pa: draw_key(rng, &MATERIAL, "young_pa"),
            poisson: draw_key(rng, &MATERIAL, "poisson"),
            loss_factor: draw_key(rng, &MATERIAL, "loss_factor"),
            loss_exponent: draw_key(rng, &MATERIAL, "loss_exponent"),
        }),
    };
    let modes = coin(rng).then(|| 1 + rng.bits() as u32 % MAX_MODES as u32);
    ShapeDef { kind: family.kind, values, material, modes }
}

fn draw_midi(rng: &mut Rng, path: impl Fn(&mut Rng) -> String) -> MidiDef {
    let notes = [Notes::Bodies, Notes::Ports, Notes::Pitch][rng.bits() as usize % 3];
    let several = |rng: &mut Rng| -> Vec<String> { (0..1 + rng.bits() % 3).map(|_| path(rng)).collect() };
    let strike = if notes != Notes::Ports && coin(rng) { several(rng) } else { Vec::new() };
    let hit = match notes {
        _ if !strike.is_empty() => Vec::new(),
        Notes::Ports => vec![path(rng)],
        _ => several(rng),
    };
    let hold = if notes == Notes::Bodies && coin(rng) { several(rng) } else { Vec::new() };
    let (strike, hit) = if hold.is_empty() { (strike, hit) } else { (Vec::new(), Vec::new()) };
    let pitch = notes == Notes::Pitch;
    // What belongs to a part has one voice.
    let own =
        |names: Vec<String>| names.into_iter().map(|name| if pitch { name.replace('/', "_") } else { name }).collect();
    let (strike, hit): (Vec<_>, Vec<_>) = (own(strike), own(hit));
    let low = (rng.bits() % 128) as u8;
    let maybe = |rng: &mut Rng| coin(rng).then(|| path(rng));
    let plain = MidiDef::striking(strike);
    MidiDef {
        notes,
        low,
        high: low + (rng.bits() % (128 - u64::from(low))) as u8,
        hit,
        strength: if hold.is_empty() { [draw(rng, 1e-9, 1e4), draw(rng, 1e-9, 1e4)] } else { HELD },
        hold,
        retune: if pitch { own(several(rng)) } else { Vec::new() },
        reference: if pitch { draw(rng, 0.0, 127.0) } else { plain.reference },
        voices: if pitch { 1 + rng.bits() as usize % 64 } else { 1 },
        release_s: coin(rng).then(|| draw(rng, 1e-3, 1e3)),
        mpe: coin(rng),
        bend: maybe(rng),
        pressure: maybe(rng),
        slide: maybe(rng),
        cc: (0..rng.bits() % 4).map(|number| (number as u8 * 37, path(rng))).collect(),
        ..plain
    }
}

fn modal_params(rng: &mut Rng, morphs: bool) -> ModalParams {
    let params: ModalParams = draw_params(rng);
    // Without another end, morph_01 moves nothing.
    ModalParams { morph_01: if morphs { params.morph_01 } else { 0.0 }, stiffening: 1.0, ..params }
}

pub fn draw_scene(rng: &mut Rng) -> SceneDef {
    let mut serial = 0;
    let mut name = |rng: &mut Rng| {
        serial += 1;
        // The letters know no n: no two names are alike.
        format!("{}n{serial}", draw_text(rng, LETTERS))
    };
    let path = |rng: &mut Rng| draw_text(rng, "ab/._\"\\\n\t\u{7f}\u{1} \u{e9}");
    let some = |rng: &mut Rng| 0..rng.bits() % 4;
    let time = |rng: &mut Rng| draw(rng, 0.0, kinds::MAX_DURATION_S);
    let bodies: Vec<BodyDef> = some(rng)
        .map(|_| {
            let position_m = draw_key(rng, &WALL, "position_m");
            let form: BodyForm = match rng.bits() % 9 {
                8 => {
                    let place =
                        |rng: &mut Rng| (0..if coin(rng) { 3 } else { 6 }).map(|_| draw(rng, -1e6, 1e6)).collect();
                    MeshDef {
                        params: draw_params(rng),
                        file: path(rng),
                        mesh: None,
                        modes: coin(rng).then(|| 1 + rng.bits() as u32 % 2000),
                        suspension_hz: coin(rng).then(|| draw(rng, 0.0, 100.0)),
                        suspension_decay_s: coin(rng).then(|| draw(rng, 1e-3, 1e3)),
                        ports: some(rng).map(|_| MeshPortDef { name: name(rng), at: place(rng) }).collect(),
                        tail: coin(rng),
                    }
                    .into()
                }
                7 => {
                    let radius_m = draw(rng, 0.01, 10.0);
                    let neck = [draw(rng, 1e-4, 0.01), draw(rng, 1e-4, 10.0)];
                    let form = if coin(rng) { VesselForm::Bottle } else { VesselForm::Cup };
                    VesselDef {
                        params: draw_params(rng),
                        form,
                        radius_m,
                        bottom_radius_m: coin(rng).then(|| draw(rng, 1e-3, 10.0)),
                        height_m: draw(rng, 1e-3, 10.0),
                        thickness_m: draw(rng, 1e-5, 0.2 * radius_m).min(1.0),
                        material: MATERIALS[rng.bits() as usize % MATERIALS.len()].id,
                        neck_m: (form == VesselForm::Bottle).then_some(neck),
                    }
                    .into()
                }
                0 => {
                    let velocity_m_s = draw_key(rng, &MASS, "velocity_m_s");
                    MassDef { params: draw_params(rng), position_m, velocity_m_s }.into()
                }
                1 => WallDef { position_m }.into(),
                2 => GuidedDef { params: draw_params(rng), position_m }.into(),
                3 => {
                    let place = |rng: &mut Rng| draw(rng, Real::MIN_POSITIVE, 1.0 - Real::EPSILON);
                    let ports = some(rng).map(|_| PlaceDef { name: name(rng), place: place(rng) }).collect();
                    StringDef { params: draw_params(rng), ports }.into()
                }
                4 => {
                    let masses: Vec<PointDef> = (0..1 + rng.bits() % 5)
                        .map(|_| PointDef { name: name(rng), mass_kg: draw(rng, 1e-9, 1e6) })
                        .collect();
                    let fixed: Vec<String> = some(rng).map(|_| name(rng)).collect();
                    let points = masses.iter().map(|mass| &mass.name).chain(fixed.first());
                    let between: Vec<String> = points.cloned().collect();
                    let links = some(rng)
                        .filter(|_| between.len() > 1)
                        .map(|_| LinkDef {
                            between: between.clone(),
                            stiffness_n_m: draw_key(rng, &LINK, "stiffness_n_m"),
                            damping_n_s_m: draw(rng, Real::MIN_POSITIVE, 1e9),
                        })
                        .collect();
                    NetworkDef { params: draw_params(rng), masses, fixed, links }.into()
                }
                5 => {
                    let figure = draw_geometry(rng);
                    let axes = |figure: &ShapeDef| family(figure.kind.id).unwrap().axes.len();
                    let place = |rng: &mut Rng, axes| Place::At((0..axes).map(|_| draw(rng, 0.0, 1.0)).collect());
                    let ports: Vec<PlaceOn> =
                        some(rng).map(|_| PlaceOn { name: name(rng), place: place(rng, axes(&figure)) }).collect();
                    let morph = coin(rng).then(|| {
                        let to = draw_geometry(rng);
                        // Needed where the axes differ.
                        let names = |figure: &ShapeDef| family(figure.kind.id).unwrap().axes;
                        let own = names(&to) != names(&figure);
                        let kept = ports.iter().filter(|_| own || coin(rng)).map(|port| port.name.clone());
                        let kept: Vec<String> = kept.collect();
                        let ports = kept.into_iter().map(|name| PlaceOn { name, place: place(rng, axes(&to)) });
                        ShapeMorphDef { ports: ports.collect(), geometry: to }
                    });
                    let params = modal_params(rng, morph.is_some());
                    let thick = figure.word("theory") == Some("thick");
                    let stiffens = morph.is_none() && !thick && may_stiffen(figure.kind) && coin(rng);
                    let stiffening = if stiffens { draw(rng, 0.0, 4.0) } else { 1.0 };
                    let params = ModalParams { stiffening, ..params };
                    ShapedDef { params, geometry: figure, ports, morph, stiffens, tail: coin(rng) }.into()
                }
                _ => {
                    let modes: Vec<ModeDef> = (0..1 + rng.bits() % 5)
                        .map(|i| ModeDef {
                            freq_hz: draw_key(rng, &MODE, "freq_hz"),
                            decay_s: if i == 1 { Real::INFINITY } else { draw_key(rng, &MODE, "decay_s") },
                            mass_kg: draw_key(rng, &MODE, "mass_kg"),
                        })
                        .collect();
                    let shape = |rng: &mut Rng| modes.iter().map(|_| draw(rng, -1e6, 1e6)).collect();
                    let ports: Vec<PortDef> =
                        some(rng).map(|_| PortDef { name: name(rng), values: shape(rng) }).collect();
                    let morph = (rng.bits().is_multiple_of(2)).then(|| {
                        let ports: Vec<PortDef> = ports.clone();
                        let again = |port: &PortDef| PortDef { name: port.name.clone(), values: shape(rng) };
                        MorphDef {
                            modes: modes.iter().rev().copied().collect(),
                            ports: ports.iter().map(again).collect(),
                        }
                    });
                    ModalDef { params: modal_params(rng, morph.is_some()), modes, ports, morph, tail: coin(rng) }.into()
                }
            };
            BodyDef { name: name(rng), form }
        })
        .collect();
    let contacts = some(rng)
        .map(|_| {
            let own = name(rng);
            let between = [path(rng), path(rng)];
            if coin(rng) {
                let travel = path(rng);
                draw_impact(rng, own, between, travel)
            } else {
                let normal_from = coin(rng).then(|| path(rng));
                draw_friction(rng, own, between, normal_from)
            }
        })
        .collect();
    let signals =
        some(rng).map(|_| name(rng)).collect::<Vec<_>>().into_iter().map(|name| draw_signal(rng, name, path)).collect();
    let processes = some(rng)
        .map(|_| name(rng))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|name| draw_process(rng, name, path))
        .collect();
    let drives = some(rng)
        .map(|_| {
            let path_of = path(rng);
            let source = match rng.bits() % 5 {
                4 => Source::Signal(path(rng)),
                0 => {
                    let mut t = 0.0;
                    let point = |_| {
                        t += 0.001 + rng.unit();
                        [t, draw(rng, -1e18, 1e18)]
                    };
                    Source::Points((0..5).map(point).collect())
                }
                1 => {
                    let from_s = draw(rng, 0.0, 80_000.0);
                    let to_s = if coin(rng) { Real::INFINITY } else { from_s + draw(rng, 0.1, 10.0) };
                    let (rms, mean) = (draw(rng, 0.0, 1e18), draw(rng, -1e18, 1e18));
                    let beta = draw_key(rng, &kinds::NOISE, "beta");
                    let first_hz = draw_key(rng, &kinds::NOISE, "first_hz");
                    Source::Noise { rms, mean, from_s, to_s, beta, first_hz }
                }
                2 => Source::Input { channel: rng.bits() as usize % 64, gain: draw(rng, -1e12, 1e12) },
                _ => Source::Wav { file: path(rng), gain: draw(rng, -1e12, 1e12), at_s: time(rng) },
            };
            let noise = matches!(source, Source::Noise { .. });
            let times = (!noise && coin(rng)).then(|| TimesNoise {
                sigma: draw_key(rng, &kinds::TIMES_NOISE, "sigma"),
                beta: draw_key(rng, &kinds::TIMES_NOISE, "beta"),
                first_hz: draw_key(rng, &kinds::TIMES_NOISE, "first_hz"),
            });
            DriveDef { path: path_of, source, times }
        })
        .collect();
    let events = some(rng)
        .map(|_| EventDef {
            at_s: time(rng),
            gesture: match rng.bits() % 4 {
                3 => Gesture::Join {
                    contact: path(rng),
                    between: if coin(rng) { Vec::new() } else { vec![path(rng), path(rng)] },
                },
                0 => Gesture::Strike { body: path(rng), velocity_m_s: draw(rng, -1e4, 1e4) },
                1 => Gesture::Hit { site: path(rng), impulse_n_s: draw(rng, -1e6, 1e6) },
                _ => Gesture::Set { path: path(rng), value: draw(rng, -1e18, 1e18) },
            },
        })
        .collect();
    let outputs = some(rng)
        .map(|_| {
            let channels: Vec<usize> = (0..=rng.bits() as usize % 3).map(|_| rng.bits() as usize % 64).collect();
            let pair = (channels.len() > 1 && coin(rng)).then(|| draw_pair(rng));
            let (gain, limiter) = (draw(rng, -1e12, 1e12), coin(rng));
            OutputDef { name: name(rng), channels, gain, limiter, pair, ..draw_space(rng) }
        })
        .collect();
    let quantities = [
        Quantity::Position,
        Quantity::Velocity,
        Quantity::Acceleration,
        Quantity::Force,
        Quantity::Compression,
        Quantity::Sound,
        Quantity::Radiated,
    ];
    let taps = some(rng)
        .map(|_| {
            let quantity = quantities[rng.bits() as usize % 7];
            let mut ear = EarDef::default();
            let moves = matches!(quantity, Quantity::Position | Quantity::Velocity | Quantity::Acceleration);
            if quantity == Quantity::Radiated {
                ear.distance_m = draw(rng, 1e-2, 1e4);
                ear.direction_deg = coin(rng).then(|| [draw(rng, -360.0, 360.0), draw(rng, -360.0, 360.0)]);
                ear.size_m = coin(rng).then(|| draw(rng, 1e-3, 100.0));
            }
            TapDef {
                of: path(rng),
                quantity,
                gain: draw(rng, -1e12, 1e12),
                whole: coin(rng),
                outputs: some(rng).map(|_| path(rng)).collect(),
                to: match rng.bits() % 3 {
                    0 => TapTo::Pan(rng.unit()),
                    1 => TapTo::From(draw(rng, -180.0, 180.0)),
                    _ => TapTo::Channel(rng.bits() as usize % 64),
                },
                ear,
                travel: (moves && coin(rng)).then(|| draw_travel(rng, true)),
            }
        })
        .collect();
    let controls = some(rng)
        .map(|_| {
            let scale = if coin(rng) { Scale::Log } else { Scale::Linear };
            let low = if scale == Scale::Log { 1e-9 } else { -1e17 };
            let also = some(rng).map(|_| path(rng)).collect();
            ControlDef { name: name(rng), path: path(rng), also, range: [draw(rng, low, 1e17), 2e17], scale }
        })
        .collect();
    let midi = coin(rng).then(|| draw_midi(rng, path));
    let looks = draw_looks(rng, &bodies);
    let count = rng.bits() % 3;
    let walks = (0..count).map(|_| {
        let own = name(rng);
        draw_walk(rng, own, &mut name)
    });
    let walks = walks.collect();
    SceneDef {
        version: 1,
        title: if coin(rng) { String::new() } else { path(rng) },
        duration: if coin(rng) { Length::Auto } else { Length::Seconds(draw(rng, 1e-9, 86_400.0)) },
        rate_hz: draw(rng, 8000.0, 384_000.0),
        seed: rng.bits() >> (1 + rng.bits() % 63),
        bodies,
        contacts,
        signals,
        processes,
        walks,
        parts: Vec::new(),
        drives,
        events,
        outputs,
        taps,
        controls,
        midi,
        looks,
        lines: Default::default(),
    }
}

/// How some of the bodies are drawn.
fn draw_looks(rng: &mut Rng, bodies: &[BodyDef]) -> Vec<LookDef> {
    let mut looks = Vec::new();
    for body in bodies {
        if coin(rng) {
            continue;
        }
        looks.push(LookDef {
            name: body.name.clone(),
            place_m: coin(rng).then(|| [draw(rng, -1e6, 1e6), draw(rng, -1e6, 1e6)]),
            size_m: coin(rng).then(|| [draw(rng, 1e-6, 1e4), draw(rng, 1e-6, 1e4)]),
            drawing: coin(rng).then(|| pick_word(rng, Drawing::WORDS)),
            moves: coin(rng).then(|| pick_word(rng, Heading::WORDS)),
            hangs_m: coin(rng).then(|| draw(rng, 1e-6, 1e4)),
            rides: coin(rng).then(|| bodies[0].name.clone()),
        });
    }
    looks
}

fn pick_word<W: Word>(rng: &mut Rng, words: &[&str]) -> W {
    W::from_word(words[rng.bits() as usize % words.len()]).unwrap()
}

fn draw_points(rng: &mut Rng) -> Vec<[Real; 2]> {
    let mut t = 0.0;
    let point = |_| {
        t += 0.001 + rng.unit();
        [t, draw(rng, -1e18, 1e18)]
    };
    (0..5).map(point).collect()
}

fn draw_signal(rng: &mut Rng, name: String, text: impl Fn(&mut Rng) -> String) -> SignalDef {
    let vessel = rng.bits().is_multiple_of(4).then(|| text(rng));
    let outlet_m2 = vessel.is_some().then(|| draw(rng, 0.0, 100.0));
    let curve = if coin(rng) { draw_points(rng) } else { Vec::new() };
    let long = curve.first().zip(curve.last()).map(|(first, last)| last[0] - first[0]);
    let operators = Operators {
        roll: coin(rng).then(|| [draw(rng, 1e-6, 1e3), draw(rng, 0.0, 1.0)]),
        curve,
        every: long.filter(|_| coin(rng)).map(|long| long + draw(rng, 1e-3, 1e3)),
        rate: coin(rng),
        fill: None,
        spill: (vessel.is_some() || coin(rng)).then(|| if vessel.is_some() { 0.0 } else { draw(rng, 0.0, 1e18) }),
        drain: None,
        outlet: Vec::new(),
        gate: coin(rng).then(|| [draw(rng, 0.0, 1e18), draw(rng, -1e18, 0.0)]),
    };
    let form = match rng.bits() % 5 {
        0 => PointsDef { points: draw_points(rng), loop_s: coin(rng).then(|| draw(rng, 1e-3, 86_400.0)) }.into(),
        1 => {
            let key = |rng: &mut Rng, id: &str| draw_key(rng, &kinds::noise::SIGNAL_NOISE, id);
            let from_s = draw(rng, 0.0, 80_000.0);
            let to_s = if coin(rng) { Real::INFINITY } else { from_s + draw(rng, 0.1, 10.0) };
            let (rms, mean, beta) = (key(rng, "rms"), key(rng, "mean"), key(rng, "beta"));
            NoiseSpec { rms, mean, from_s, to_s, beta, first_hz: key(rng, "first_hz"), last_hz: key(rng, "last_hz") }
                .into()
        }
        2 => ProbeDef { of: text(rng) }.into(),
        3 => {
            let key = |rng: &mut Rng, id: &str| draw_key(rng, &kinds::follow::FOLLOW, id);
            let of = match coin(rng) {
                true => FollowOf::Input(rng.bits() as usize % 64),
                false => FollowOf::Recording(Sound::File(text(rng)), key(rng, "at_s")),
            };
            let (rise_s, fall_s) = (key(rng, "rise_s"), key(rng, "fall_s"));
            let (floor, most) = (coin(rng).then(|| draw(rng, 1e-9, 0.5)), coin(rng).then(|| draw(rng, 0.6, 1e6)));
            let calibrate = coin(rng).then(|| Sound::File(text(rng)));
            FollowDef { of, rise_s, fall_s, floor, most, calibrate }.into()
        }
        _ => {
            let (min, max) = (draw(rng, -1e18, 0.0), draw(rng, 1.0, 1e18));
            InletDef { default: draw(rng, min, max), min, max, unit: ["1", "N", "BW"][rng.bits() as usize % 3] }.into()
        }
    };
    SignalDef { name, params: draw_params(rng), operators, vessel, outlet_m2, form }
}

fn draw_process(rng: &mut Rng, name: String, text: impl Fn(&mut Rng) -> String) -> ProcessDef {
    let mut on: Vec<String> = (0..rng.bits() % 3).map(|_| text(rng)).collect();
    let sounds = on.is_empty();
    let draw_modes = |rng: &mut Rng| {
        let key = |rng: &mut Rng, id: &str| draw_key(rng, &kinds::crumple::FRAGMENT_MODE, id);
        let mode = |rng: &mut Rng| FragmentMode {
            freq_hz: key(rng, "freq_hz"),
            decay_s: key(rng, "decay_s"),
            mass_kg: key(rng, "mass_kg"),
        };
        (0..if sounds { 3 } else { 0 }).map(|_| mode(rng)).collect()
    };
    let form: ProcessForm = match rng.bits() % 16 {
        15 => {
            on.clear();
            let mut params: BedParams = draw_params(rng);
            params.high_hz = params.high_hz.max(params.low_hz);
            BedDef { params }.into()
        }
        13 => {
            on.clear();
            let key = |rng: &mut Rng, id: &str| draw_key(rng, &kinds::footstep::BAND, id);
            let band = |rng: &mut Rng| Resonance {
                freq_hz: key(rng, "freq_hz"),
                bandwidth_hz: key(rng, "bandwidth_hz"),
                gain: key(rng, "gain"),
            };
            let frames = 1 + rng.bits() % 9;
            let draw_frames = |rng: &mut Rng| (0..frames).map(|_| draw(rng, 0.0, 1e6)).collect();
            let make = Prototype {
                bands: (0..1 + rng.bits() % 8).map(|_| band(rng)).collect(),
                envelope: draw_frames(rng),
                deviation: if coin(rng) { draw_frames(rng) } else { Vec::new() },
                frame_s: draw_key(rng, &kinds::footstep::FOOTSTEP, "frame_s"),
            };
            let by = if coin(rng) { FootstepBy::Event } else { FootstepBy::Envelope };
            FootstepDef { params: draw_params(rng), by, make }.into()
        }
        6 => {
            let (law, voices) =
                (if coin(rng) { BubbleLaw::Minnaert } else { BubbleLaw::VanDenDoel }, 1 + rng.bits() as usize % 256);
            let mut params: FlowParams = draw_params(rng);
            params.largest_m = params.largest_m.max(params.smallest_m);
            BubblesDef { params, law, voices }.into()
        }
        7 => {
            let mut params: RainParams = draw_params(rng);
            params.far_m = params.far_m.max(params.near_m);
            let surface = if sounds && coin(rng) { RainOn::Ground } else { RainOn::Water };
            RainDef { params, surface }.into()
        }
        8 => SplashDef { params: draw_params(rng) }.into(),
        kind @ 9..=12 => {
            on.clear();
            match kind {
                9 => {
                    let mut params: PatterParams = draw_params(rng);
                    params.largest_m = params.largest_m.max(params.smallest_m);
                    PatterDef { params }.into()
                }
                10 => DripDef { params: draw_params(rng) }.into(),
                11 => PuddleDef { params: draw_params(rng) }.into(),
                _ => {
                    let mut params: IceParams = draw_params(rng);
                    params.largest_j = params.largest_j.max(params.smallest_j);
                    IceDef {
                        params,
                        thickness_m: draw(rng, 1e-3, 10.0),
                        distance_m: draw(rng, 0.0, 1e4),
                        walkers: (0..rng.bits() % 3).map(|_| text(rng)).collect(),
                    }
                    .into()
                }
            }
        }
        0 => {
            let key = |rng: &mut Rng, id: &str| draw_key(rng, &kinds::particles::RESONANCE, id);
            let resonance = |rng: &mut Rng| Resonance {
                freq_hz: key(rng, "freq_hz"),
                bandwidth_hz: key(rng, "bandwidth_hz"),
                gain: key(rng, "gain"),
            };
            let count = if sounds { 1 + rng.bits() % 6 } else { 0 };
            let resonances = (0..count).map(|_| resonance(rng)).collect();
            ParticlesDef { params: draw_params(rng), resonances }.into()
        }
        1 => {
            let energy_j = [draw(rng, 1e-15, 1.0), draw(rng, 2.0, 1e6)];
            let fragments = 1 + rng.bits() as usize % 64;
            CrumpleDef { params: draw_params(rng), energy_j, modes: draw_modes(rng), fragments }.into()
        }
        2 => BreakDef { params: draw_params(rng), modes: draw_modes(rng), pieces: 2 + rng.bits() as usize % 60 }.into(),
        3 => {
            let sizes = [draw(rng, 0.01, 1.0), draw(rng, 1.0, 100.0)];
            let (objects, few) = (1 + rng.bits() as usize % 64, rng.bits() as usize % 65);
            ScatterDef { params: draw_params(rng), modes: draw_modes(rng), sizes, objects, few, bodies: Vec::new() }
                .into()
        }
        kind => {
            if sounds {
                on = vec![text(rng)];
            }
            let by = if coin(rng) { BurstBy::Event } else { BurstBy::Envelope };
            match kind {
                4 => BurstDef { params: draw_params(rng), by }.into(),
                5 => TreadDef {
                    params: draw_params(rng),
                    by: if coin(rng) { TreadBy::Force } else { TreadBy::Envelope },
                }
                .into(),
                _ => SpreadDef { params: draw_params(rng) }.into(),
            }
        }
    };
    let (specs, few) = (form.params(), rng.bits() as usize % 3);
    let factors =
        specs.iter().take(few).map(|(spec, _)| (spec.id.to_owned(), [draw(rng, 0.0, 1.0), draw(rng, 1.0, 1e3)]));
    let per_step = PerStepDef { factors: factors.collect(), probability_01: 1.0 };
    let per_step = PerStepDef { probability_01: draw(rng, 0.0, 1.0), ..per_step };
    ProcessDef { name, driven_by: text(rng), on, per_step, form }
}
