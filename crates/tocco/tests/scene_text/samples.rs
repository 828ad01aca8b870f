// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes by hand, as text and as data.

use tocco::Gesture;
use tocco::interactor::friction::FrictionParams;
use tocco::math::Real;
use tocco::param::Scale;
use tocco::resonator::modal::ModalParams;
use tocco::resonator::waveguide::StringParams;
use tocco::scene::SceneDef;
use tocco::scene::def::*;
use tocco::scene::kinds::network::NetworkParams;

/// Every key of the language once, by hand; those of strings, networks, friction and surfaces are in [`RUBBED`].
pub const FULL: &str = r#"version = 1
title = "felt hammer on a small bar"
duration_s = 1.0
rate_hz = 44100
seed = 7

[body.hammer]
type = "mass"
mass_kg = 0.02
gravity_m_s2 = 9.81
position_m = -0.001
velocity_m_s = 1.0

[body.wall]
type = "wall"
position_m = 0.5

[body.bow]
type = "guided"
velocity_m_s = 0.1
position_m = 0.25

[body.bar]
type = "modal"
freq_scale = 2.0
decay_scale = 0.5
jitter_01 = 0.1
modes = [
  { freq_hz = 220.0, decay_s = 0.45, mass_kg = 0.05 },
  { freq_hz = 1990.0, mass_kg = 0.06 },
]
[body.bar.port]
tip = [1.0, 1.0]
middle = [0.7, -1]

[contact.hit]
type = "impact"
between = ["hammer", "bar.tip"]
stiffness = 1.0e9
exponent = 1.5
dissipation_s_m = 0.5
viscous_exponent = 0.5
substeps = 8
exact_wall = false

[contact.felt]
type = "impact"
law = "stulov"
between = ["hammer", "wall"]
hysteresis_01 = 0.3
relaxation_s = 2e-4
[contact.spring]
type = "impact"
law = "linear"
between = ["bow", "bar.middle"]
stiffness = 1e4
[contact.bump]
type = "impact"
law = "power"
between = ["bow", "wall"]
exact_wall = true

[[drive]]
path = "hammer/force_n"
points = [[0.0, 0.0], [0.1, 2.0]]
[[drive]]
path = "bow/velocity_m_s"
noise = { rms = 0.1, mean = 0.2, from_s = 0.5, to_s = 1.5 }
[[drive]]
path = "bar.tip/force_n"
noise = { rms = 1 }
[[drive]]
path = "bar.tip/force_n"
wav = "tap.wav"
gain = 2.0
at_s = 0.25

[[event]]
at_s = 0.5
strike = "hammer"
velocity_m_s = 1.0
[[event]]
at_s = 0.6
hit = "bar.tip"
impulse_n_s = 0.01
[[event]]
at_s = 0.7
set = "hit/stiffness"
value = 1e8

[[tap]]
of = "bar.tip"
[[tap]]
of = "hit"
quantity = "force"
gain = 0.001
channel = 3
[[tap]]
of = "bar"
quantity = "acceleration"
pan_01 = 0.25

[[control]]
name = "hardness"
path = "hit/stiffness"
range = [1.0e6, 1.0e10]
scale = "log"
[[control]]
name = "speed"
path = "bow/velocity_m_s"
range = [0.2, -0.2]

[body.bar.morph]
modes = [{ freq_hz = 330.0, decay_s = 0.2, mass_kg = 0.04 }]
[body.bar.morph.port]
middle = [-0.5]
tip = [1.0]

[midi]
notes = "pitch"
low = 36
high = 96
strike = ["hammer"]
velocity_m_s = [0.2, 3]
retune = "bar"
reference = 57
voices = 4
release_s = 0.25
mpe = true
bend = "speed"
pressure = "speed"
slide = "speed"
cc = { 11 = "speed", "1" = "speed" }

[look.bar]
place_m = [0.1, -0.2]
size_m = [0.3, 0.02]
drawing = "bar"
[look.hammer]
moves = "down"
hangs_m = 0.2
rides = "bow"
"#;

pub const SMALL: &str = "[body.ball]\ntype = \"mass\"\n[body.floor]\ntype = \"wall\"\n[contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"floor\"]\n";

pub const RUBBED: &str = r#"[body.bow]
type = "guided"
[body.ball]
type = "mass"
[body.string]
type = "string"
freq_hz = 196.0
q = 700
q_tilt = 0.5
impedance_kg_s = 0.3
inharmonicity = 5.57e-5
[body.string.port]
bow_point = 0.1267
middle = 0.5
[body.other]
type = "string"

[contact.press]
type = "impact"
between = ["ball", "string.middle"]
texture = { height_m = 1e-6, travel_from = "bow" }

[contact.rub]
type = "friction"
between = ["bow", "string.bow_point"]
law = "lugre"
normal_force_n = 1.1
mu_static = 0.9
mu_dynamic = 0.2
stribeck_m_s = 0.05
bristle_stiffness = 2e4
bristle_damping = 0.2
viscosity = 0.01
roughness = 0.1
breakaway_01 = 0.5
viscous_exponent = 2
texture = { type = "fractal", beta = 1.25, grain_m = 2e-5, longest_m = 0.02, poles_per_decade = 3 }

[contact.rosin]
type = "friction"
between = ["bow", "other"]
law = "thermal"
normal_from = "press"
heat_capacity_j_k = 1e-6
conduction_w_k = 1e-3
advection_w_s_m_k = 0.2

[[drive]]
path = "string.middle/force_n"
noise = { rms = 0.1, beta = 1.5, first_hz = 10 }
[[drive]]
path = "ball/force_n"
noise = { rms = 0.1, beta = 1 }

[body.net]
type = "network"
freq_scale = 2
decay_scale = 0.5
mass_kg = { a = 0.01, b = 1 }
fixed = ["floor", "wall"]
[[body.net.link]]
between = ["floor", "a", "b"]
stiffness_n_m = 1e5
damping_n_s_m = 0.5
[[body.net.link]]
between = ["b", "wall"]
damping_n_s_m = 1
[body.pair]
type = "network"
mass_kg = 2e-3
points = ["left", "right"]

[midi]
notes = "ports"
hit = "net"
impulse_n_s = [1e-3, 1e-2]
"#;

pub fn rubbed_def() -> SceneDef {
    let profile = TextureDef {
        beta: 1.5,
        grain_m: 1e-5,
        longest_m: 0.01,
        poles_per_decade: 2,
        height_m: 1e-6,
        travel: Some("bow".into()),
    };
    let worn =
        TextureDef { beta: 1.25, grain_m: 2e-5, longest_m: 0.02, poles_per_decade: 3, height_m: 0.0, travel: None };
    let noise = |path: &str, beta, first_hz| DriveDef {
        times: None,
        path: path.into(),
        source: Source::Noise { rms: 0.1, mean: 0.0, from_s: 0.0, to_s: Real::INFINITY, beta, first_hz },
    };
    let string = StringParams { freq_hz: 196.0, q: 700.0, q_tilt: 0.5, impedance_kg_s: 0.3, inharmonicity: 5.57e-5 };
    let network = NetworkDef::new().mass("a", 0.01).mass("b", 1.0).fixed("floor").fixed("wall");
    let network = network.link(&["floor", "a", "b"], 1e5, 0.5).link(&["b", "wall"], 0.0, 1.0);
    let lugre = FrictionDef {
        params: FrictionParams {
            normal_force_n: 1.1,
            mu_static: 0.9,
            mu_dynamic: 0.2,
            stribeck_m_s: 0.05,
            bristle_stiffness: 2e4,
            bristle_damping: 0.2,
            viscosity: 0.01,
            roughness: 0.1,
            breakaway_01: 0.5,
            ..FrictionParams::default()
        },
        law: FrictionLaw::LuGre,
        normal_from: None,
        viscous_exponent: Some(2.0),
        texture: Some(worn),
        strength: None,
        travel: None,
    };
    let thermal = FrictionDef {
        params: FrictionParams {
            heat_capacity_j_k: 1e-6,
            conduction_w_k: 1e-3,
            advection_w_s_m_k: 0.2,
            ..FrictionParams::default()
        },
        ..FrictionDef::pressed_by("press").law(FrictionLaw::Thermal)
    };
    let scene = SceneDef::new()
        .body("bow", GuidedDef::new(0.0))
        .body("ball", MassDef::new(0.01))
        .body(
            "string",
            StringDef { params: string, ..StringDef::default() }.port("bow_point", 0.1267).port("middle", 0.5),
        )
        .body("other", StringDef::new(147.0))
        .body("net", NetworkDef { params: NetworkParams { freq_scale: 2.0, decay_scale: 0.5 }, ..network })
        .body("pair", NetworkDef::new().mass("left", 2e-3).mass("right", 2e-3))
        .contact("press", ["ball", "string.middle"], ImpactDef { texture: Some(profile), ..ImpactDef::new(1e8) })
        .contact("rub", ["bow", "string.bow_point"], lugre)
        .contact("rosin", ["bow", "other"], thermal);
    SceneDef {
        drives: vec![noise("string.middle/force_n", 1.5, 10.0), noise("ball/force_n", 1.0, 2.0)],
        midi: Some(MidiDef {
            notes: Notes::Ports,
            hit: vec!["net".into()],
            strength: [1e-3, 1e-2],
            ..MidiDef::striking(Vec::new())
        }),
        ..scene
    }
}

pub fn full_def() -> SceneDef {
    let hit =
        ImpactDef { viscous_exponent: Some(0.5), substeps: Substeps::Fixed(8), ..ImpactDef::new(1e9).dissipation(0.5) };
    let mut felt = ImpactDef::new(1e8).law(ImpactLaw::Stulov);
    (felt.params.hysteresis_01, felt.params.relaxation_s) = (0.3, 2e-4);
    let bump = ImpactDef { exact_wall: true, ..ImpactDef::new(1e8).law(ImpactLaw::Power) };
    let lossless = Real::INFINITY;
    let bar = ModalDef::new().mode(220.0, 0.45, 0.05).mode(1990.0, lossless, 0.06);
    let bar = bar.port("tip", &[1.0, 1.0]).port("middle", &[0.7, -1.0]);
    let to = ModalDef::new().mode(330.0, 0.2, 0.04).port("tip", &[1.0]).port("middle", &[-0.5]);
    let bar = ModalDef {
        params: ModalParams { freq_scale: 2.0, decay_scale: 0.5, jitter_01: 0.1, morph_01: 0.0, stiffening: 1.0 },
        morph: Some(MorphDef { modes: to.modes, ports: to.ports }),
        ..bar
    };
    let scene = SceneDef::new()
        .body("hammer", MassDef::new(0.02).at(-0.001).moving(1.0).falling(9.81))
        .body("wall", WallDef { position_m: 0.5 })
        .body("bow", GuidedDef { position_m: 0.25, ..GuidedDef::new(0.1) })
        .body("bar", bar)
        .contact("hit", ["hammer", "bar.tip"], hit)
        .contact("felt", ["hammer", "wall"], felt)
        .contact("spring", ["bow", "bar.middle"], ImpactDef::new(1e4).law(ImpactLaw::Linear))
        .contact("bump", ["bow", "wall"], bump);
    SceneDef {
        version: 1,
        title: "felt hammer on a small bar".into(),
        duration: Length::Seconds(1.0),
        rate_hz: 44100.0,
        seed: 7,
        drives: vec![
            DriveDef {
                times: None,
                path: "hammer/force_n".into(),
                source: Source::Points(vec![[0.0, 0.0], [0.1, 2.0]]),
            },
            DriveDef {
                times: None,
                path: "bow/velocity_m_s".into(),
                source: Source::Noise { rms: 0.1, mean: 0.2, from_s: 0.5, to_s: 1.5, beta: 0.0, first_hz: 2.0 },
            },
            DriveDef {
                times: None,
                path: "bar.tip/force_n".into(),
                source: Source::Noise {
                    rms: 1.0,
                    mean: 0.0,
                    from_s: 0.0,
                    to_s: Real::INFINITY,
                    beta: 0.0,
                    first_hz: 2.0,
                },
            },
            DriveDef {
                times: None,
                path: "bar.tip/force_n".into(),
                source: Source::Wav { file: "tap.wav".into(), gain: 2.0, at_s: 0.25 },
            },
        ],
        events: vec![
            EventDef { at_s: 0.5, gesture: Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 } },
            EventDef { at_s: 0.6, gesture: Gesture::Hit { site: "bar.tip".into(), impulse_n_s: 0.01 } },
            EventDef { at_s: 0.7, gesture: Gesture::Set { path: "hit/stiffness".into(), value: 1e8 } },
        ],
        outputs: Vec::new(),
        taps: vec![
            TapDef {
                of: "bar.tip".into(),
                quantity: Quantity::Velocity,
                gain: 1.0,
                whole: false,
                outputs: Vec::new(),
                to: TapTo::Channel(0),
                ear: EarDef::default(),
                travel: None,
            },
            TapDef {
                of: "hit".into(),
                quantity: Quantity::Force,
                gain: 0.001,
                whole: false,
                outputs: Vec::new(),
                to: TapTo::Channel(3),
                ear: EarDef::default(),
                travel: None,
            },
            TapDef {
                of: "bar".into(),
                quantity: Quantity::Acceleration,
                gain: 1.0,
                whole: false,
                outputs: Vec::new(),
                to: TapTo::Pan(0.25),
                ear: EarDef::default(),
                travel: None,
            },
        ],
        controls: vec![
            ControlDef {
                name: "hardness".into(),
                path: "hit/stiffness".into(),
                also: Vec::new(),
                range: [1e6, 1e10],
                scale: Scale::Log,
            },
            ControlDef {
                name: "speed".into(),
                path: "bow/velocity_m_s".into(),
                also: Vec::new(),
                range: [0.2, -0.2],
                scale: Scale::Linear,
            },
        ],
        midi: Some(MidiDef {
            notes: Notes::Pitch,
            low: 36,
            high: 96,
            strength: [0.2, 3.0],
            retune: vec!["bar".into()],
            reference: 57.0,
            voices: 4,
            release_s: Some(0.25),
            mpe: true,
            bend: Some("speed".into()),
            pressure: Some("speed".into()),
            slide: Some("speed".into()),
            cc: vec![(1, "speed".into()), (11, "speed".into())],
            ..MidiDef::striking(vec!["hammer".into()])
        }),
        looks: vec![
            LookDef {
                name: "bar".into(),
                place_m: Some([0.1, -0.2]),
                size_m: Some([0.3, 0.02]),
                drawing: Some(Drawing::Bar),
                ..LookDef::default()
            },
            LookDef {
                name: "hammer".into(),
                moves: Some(Heading::Down),
                hangs_m: Some(0.2),
                rides: Some("bow".into()),
                ..LookDef::default()
            },
        ],
        ..scene
    }
}
