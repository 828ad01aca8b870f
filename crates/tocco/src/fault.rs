// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults planted on purpose, to see that the tests and `tocco reproduce` notice them. Without the feature `faults` nothing of it
//! is compiled.
//!
//! **What.** `fault!(NAME, right, wrong)` stands where a wrong engine would err: without the feature it is `right` and nothing
//! else; with it, `wrong` where the fault of that name is chosen. `fault!(NAME, right, times 0.5)` is short for half of it.
//!
//! **The choice.** One build knows all faults; the variable `TOCCO_FAULT` names one. It is read once, by the first scene that is
//! built, into the one global of this crate, which exists under the feature only. No program and no default build has it.
//!
//! **The table.** `ALL` says of each fault where it is, what is wrong, which test of this crate is to notice it, and which items of
//! `tocco reproduce`. `cargo run -p tocco-lab --features faults --example faults` tries all of them; `./test --long` does so.

#[cfg(not(feature = "faults"))]
macro_rules! fault {
    ($name:ident, $right:expr, times $factor:expr) => {
        $right
    };
    ($name:ident, $right:expr, $wrong:expr) => {
        $right
    };
}

#[cfg(feature = "faults")]
macro_rules! fault {
    ($name:ident, $right:expr, times $factor:expr) => {
        $crate::fault::scaled($crate::fault::Planted::$name, $factor, $right)
    };
    ($name:ident, $right:expr, $wrong:expr) => {
        if $crate::fault::is_chosen($crate::fault::Planted::$name) { $wrong } else { $right }
    };
}

#[cfg(feature = "faults")]
pub use planted::{ALL, Fault, Planted, is_chosen, scaled};

#[cfg(feature = "faults")]
mod planted {
    use crate::math::Real;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// A fault that can be chosen.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Fault {
        /// What `TOCCO_FAULT` says.
        pub name: &'static str,
        /// File under `src`.
        pub file: &'static str,
        /// What is wrong.
        pub what: &'static str,
        /// Who is to notice: the file of tests (`lib`: those beside the code) and the beginning of a test's name.
        pub test: [&'static str; 2],
        /// Items of `tocco reproduce` that must notice, too.
        pub items: &'static [&'static str],
    }

    macro_rules! planted {
        ($($name:ident, $file:literal, $what:literal, $place:literal $test:literal, [$($item:literal),*];)*) => {
            /// Every fault by its name.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, missing_docs, reason = "named as TOCCO_FAULT says them; the table has the words")]
            #[repr(usize)]
            pub enum Planted { $($name),* }

            /// All faults, in the order of [`Planted`].
            pub const ALL: &[Fault] = &[$(Fault {
                name: stringify!($name),
                file: $file,
                what: $what,
                test: [$place, $test],
                items: &[$($item),*],
            }),*];
        };
    }

    /// Not read yet, and none.
    const UNREAD: usize = usize::MAX;
    const NONE: usize = usize::MAX - 1;

    /// The fault of this process. The only global of the crate, under this feature only.
    static CHOSEN: AtomicUsize = AtomicUsize::new(UNREAD);

    #[cold]
    fn read() -> usize {
        let chosen = match std::env::var("TOCCO_FAULT") {
            Ok(name) if !name.is_empty() => match ALL.iter().position(|fault| fault.name == name) {
                Some(index) => index,
                None => panic!("TOCCO_FAULT: there is no fault {name}"),
            },
            _ => NONE,
        };
        CHOSEN.store(chosen, Ordering::Relaxed);
        chosen
    }

    /// True if this fault is the one of this process. `[audio]`
    #[inline]
    pub fn is_chosen(fault: Planted) -> bool {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        (if chosen == UNREAD { read() } else { chosen }) == fault as usize
    }

    /// A number, or `factor` times it where this fault is chosen. `[audio]`
    #[inline]
    pub fn scaled(fault: Planted, factor: Real, right: Real) -> Real {
        if is_chosen(fault) { factor * right } else { right }
    }

    planted! {
        // impact
        FELT_TERM, "interactor/impact/stulov.rs", "felt relaxes by 0.3 of its part", "hammer_on_modes" "felt_rebounds", ["000-felt"];
        FELT_RELAXES, "interactor/impact/stulov.rs", "felt takes three times as long to relax", "hammer_on_modes" "felt_rebounds", ["000-felt"];
        LOSS_HALVED, "interactor/impact/hunt_crossley.rs", "half the loss of an impact", "rebound" "the_rebound_is", ["002-table-2.1", "002-fig-2.3", "002-fig-2.4", "002-fig-2.5", "002-fig-2.8", "002-bouncing", "003-contact-time", "003-fig-5.3", "003-fig-5.4"];
        LOSS_GIVES, "interactor/impact/hunt_crossley.rs", "the loss of an impact gives energy", "passivity" "energy_minus_work_never_rises_in_20000", ["002-fig-2.6"];
        EXPONENT, "interactor/impact/hunt_crossley.rs", "the force grows with another power", "hammers" "the_simulated_contact", ["002-fig-2.1", "002-fig-2.5", "000-fig-8.3", "003-fig-5.2", "003-fig-5.4", "003-fig-5.5", "000-fig-8.9", "000-fig-8.10"];
        VISCOUS_EXPONENT, "interactor/impact/hunt_crossley.rs", "the loss grows with another power than its own", "hammer_on_modes" "a_loss_with", [];
        ADHESION, "interactor/impact/hunt_crossley.rs", "a contact pulls", "rebound" "a_mass_that_leaves", ["000-fig-8.3"];
        HERTZ_MEAN, "interactor/impact/power.rs", "a sphere's mean force is 2.5 % too large", "passivity" "a_lossless", ["002-fig-2.6"];
        SUBSTEP_RULE, "contact.rs", "an eighth of the sub-steps", "rebound" "the_rebound_is", ["003-contact-time"];
        HARDNESS, "scene/hammer.rs", "contacts last 1.2 times what was asked for", "hammers" "the_simulated_contact", [];
        EXACT_SCHEME, "contact/exact.rs", "the exact scheme counts its loss twice", "rebound" "the_exact_wall", [];
        THIRD_LAW, "contact/step.rs", "the second partner feels 0.98 of the force", "rebound" "two_free_masses", ["003-fig-5.5"];
        CROSS_COMPLIANCE, "contact/step.rs", "contacts on one body do not know of each other", "passivity" "energy_minus_work_never_rises_in_4000", [];
        TOUCH_PAUSE, "contact/step.rs", "friction that is pressed again is no stroke of its own", "rest" "friction_that_is_pressed_again", [];
        TOUCHED_PLACE, "contact/world.rs", "a contact that wakes reads where its ports are heard", "touch" "a_body_that_rings", [];
        LEDGER_JOIN, "contact/join.rs", "what a contact holds is lost without a word when it is taken away", "joints" "what_a_contact_holds", [];
        TRAVEL_WAY, "contact/travel.rs", "a place goes 1.1 times its way", "travel" "a_finger_round_a_rim", [];
        // friction
        STRENGTH_LENGTH, "interactor/friction/strength.rs", "strength is drawn a tenth as often", "lib" "interactor::friction::strength::tests::a_draw_is_due", [];
        BRISTLE_STIFFNESS, "interactor/friction.rs", "bristles are half as stiff", "friction" "presliding_drift", ["000-table-8.1", "001-fig-3", "001-drift", "000-iterations"];
        BRISTLE_DAMPING, "interactor/friction.rs", "bristles have a fifth of their damping", "friction" "presliding_drift", ["001-stick-slip", "000-iterations"];
        VISCOSITY, "interactor/friction.rs", "twice the viscosity", "friction" "a_guided_body", ["000-table-8.1"];
        STRIBECK_SPEED, "interactor/friction.rs", "the curve falls over three times the speed", "friction" "a_guided_body", ["000-table-8.1", "000-fig-8.5", "001-fig-7", "001-stick-slip"];
        LUGRE_INSTEAD, "interactor/friction.rs", "LuGre in place of elasto-plastic", "friction" "below_breakaway", ["000-table-8.1", "001-fig-3", "001-drift"];
        STICTION, "interactor/friction.rs", "0.7 of what stiction has above sliding", "friction" "a_guided_body", ["000-fig-8.5"];
        DAHL_FALLS, "interactor/friction.rs", "Dahl's curve falls", "friction" "stick_slip", ["001-stick-slip"];
        BREAKAWAY, "interactor/friction.rs", "bristles yield at half their breakaway", "friction" "presliding_drift", ["001-fig-3"];
        ROUGHNESS, "interactor/friction.rs", "half the force of a surface's texture", "friction" "a_rough_surface", [];
        DAMPING_UNLIMITED, "interactor/friction/bristle.rs", "bristles that slip may give energy", "lib" "interactor::friction::bristle::tests::a_loaded_bristle", [];
        ROSIN_HEAT, "interactor/friction/thermal.rs", "ten times the heat capacity", "friction" "rosin_warms", ["001-fig-6"];
        ROSIN_CURVE, "interactor/friction/thermal.rs", "another fall of rosin's friction", "friction" "a_guided_body", ["001-fig-6"];
        STATIC_HOLDS, "interactor/friction/stribeck.rs", "it holds up to 0.6 of stiction", "lib" "interactor::friction::stribeck::tests::sliding_takes", [];
        // masses, hands, the ledger, sleep
        MASS_TWICE, "resonator/inertial.rs", "masses are twice as heavy", "hammer_on_modes" "the_hammer_leaves", ["003-contact-time"];
        GRAVITY, "resonator/inertial.rs", "0.97 of gravity", "rebound" "a_ball_bouncing", ["002-fig-2.8", "002-bouncing"];
        MASS_COMPLIANCE, "resonator/inertial.rs", "a mass yields half of what it moves", "rebound" "two_free_masses", ["002-fig-2.7"];
        SLEEP_REACH, "resonator/inertial.rs", "a flying mass may sleep until it is too late", "rebound" "a_ball_bouncing", [];
        LEDGER_GRAVITY, "resonator/inertial.rs", "gravity is not booked in contact", "passivity" "energy_minus_work_never_rises_under", [];
        LEDGER_HAND, "contact/step.rs", "a hand's work is not booked", "passivity" "energy_minus_work_never_rises_under", ["001-fig-6", "001-fig-7"];
        LEDGER_FORCE, "contact/step.rs", "work of outside forces is not booked", "passivity" "energy_minus_work_never_rises_under", [];
        LEDGER_SURFACE, "contact/step.rs", "work of a rough surface is not booked", "passivity" "energy_minus_work_never_rises_in_3000", [];
        LEDGER_HIT, "contact/world.rs", "work of hits is not booked", "passivity" "energy_minus_work_never_rises_under", ["000-fig-8.10"];
        LEDGER_HANDOVER, "scene/handover.rs", "what bodies bring into a scene is not booked", "handover" "what_comes_in", [];
        // modes
        FREQUENCY, "resonator/modal/bank.rs", "modes are 1 % sharp", "lib" "resonator::modal::forms::tests::a_mode_rings", ["003-fig-5.6"];
        DECAY, "resonator/modal/bank.rs", "modes die twice as fast", "lib" "resonator::modal::forms::tests::a_mode_rings", ["003-table-5.2", "003-fig-5.6", "003-fig-5.7"];
        FREE_DECAY, "resonator/modal/coefficients.rs", "modes that nothing touches die half as fast", "lib" "resonator::modal::forms::tests::a_mode_rings", ["003-table-5.2"];
        MODE_MASS, "resonator/modal/bank.rs", "modes are twice as heavy", "hammer_on_modes" "the_hammer_leaves", ["003-fig-5.2", "003-fig-5.5", "000-fig-8.9", "000-fig-8.10"];
        SHAPE_SIGN, "resonator/modal/bank.rs", "shapes have lost their signs", "touch" "a_bar_touched", [];
        PORTS_SHIFTED, "resonator/modal/bank.rs", "ports have the shapes of the next mode", "touch" "a_bar_touched", ["000-fig-8.1"];
        FREQ_SCALE, "resonator/modal/bank.rs", "tuning goes half the way", "invariance" "a_body_tuned", [];
        MODAL_COMPLIANCE, "resonator/modal/coefficients.rs", "modes yield 0.8 of what they move", "lib" "resonator::modal::motion::tests::the_label", ["003-fig-5.2"];
        HELD_FORM, "resonator/modal/forms.rs", "a tenth of the motion is lost where a contact lasts", "invariance" "a_glass_that_is_rubbed", [];
        HIT, "resonator/modal/motion.rs", "hits have half their impulse", "stiff_strings" "the_spectrum", [];
        RETUNE_ENERGY, "resonator/modal/course.rs", "a retuned mode keeps its place and not its energy", "lib" "resonator::modal::tests::retuning", [];
        MORPH_LINEAR, "resonator/modal/morph.rs", "a morph goes straight and not by ratios", "morphing" "pitch_decay", [];
        MORPH_SHAPE, "resonator/modal/morph.rs", "shapes morph late", "morphing" "pitch_decay", [];
        MORPH_MASS, "resonator/modal/morph.rs", "masses of the other end count twice", "morphing" "pitch_decay", [];
        HANDOVER_LOSES, "resonator/modal/carry.rs", "a body that is made otherwise takes over half the motion", "handover" "a_body_that_is", [];
        // strings
        STRING_FLAT, "resonator/waveguide.rs", "strings are 3 % flat", "strings" "the_first_partial", ["001-string"];
        STRING_Q, "resonator/waveguide.rs", "strings have 0.4 of their quality", "strings" "partials_one_and_ten", ["001-string"];
        STRING_STIFFNESS, "resonator/waveguide.rs", "strings are half as stiff", "strings" "twenty_partials", ["001-string"];
        STRING_TILT, "resonator/waveguide/fit.rs", "high partials decay as the first", "stiff_strings" "sixty_partials", ["001-string"];
        STRING_MASS, "resonator/partials.rs", "strings are twice as heavy", "stiff_strings" "a_held_force", [];
        STRING_NODES, "resonator/partials.rs", "places on strings are 2 % off", "stiff_strings" "partials_with_a_node", [];
        STRING_BESIDE, "resonator/waveguide.rs", "strokes on strings never fall beside their place", "irregular" "strokes_fall_beside", [];
        // shapes and networks
        BAR_SECTION, "resonator/shape/bar.rs", "bars are stiffer than their section", "shapes" "the_roots_of_bars", [];
        BAR_ROOTS, "resonator/shape/bar.rs", "free bars have the roots of another support", "shapes" "the_roots_of_bars", [];
        RIGID_INERTIA, "resonator/shape/bar.rs", "free bodies have twice their inertia", "rigid" "a_free_body", [];
        RIGID_MASS, "resonator/shape.rs", "free bodies move as if half as heavy", "rigid" "a_mallet_rebounds", [];
        MESH_GYRATION, "scene/kinds/mesh.rs", "baked bodies turn as if twice as wide", "meshes" "a_baked_body_yields", [];
        SUSPENSION, "resonator/shape.rs", "suspensions are 1.5 times as fast", "rigid" "a_hung", [];
        MEMBRANE_RATIOS, "resonator/shape/membrane.rs", "upper modes of a drum are flat", "shapes" "circular_membrane", ["000-fig-8.1"];
        MEMBRANE_SCALE, "resonator/shape/membrane.rs", "shapes of a drum are 1.1 times too large", "shapes" "every_flat_body", [];
        PLATE_POISSON, "resonator/shape/plate.rs", "plates forget Poisson's ratio", "shapes" "rectangular_membranes", [];
        PLATE_TWIST, "resonator/shape/ritz.rs", "plates twist too easily", "shapes" "the_free_square", [];
        BENDING_PULL, "resonator/bending/motion.rs", "what is stretched pulls as before the step", "bending" "a_lossless_body", [];
        STRETCH_STRING, "resonator/shape/stretch.rs", "a string is stretched as by a wire 1.2 times as stiff", "bending" "a_plucked_string", [];
        DISC_RIM, "resonator/shape/disc.rs", "the free rim of a disc forgets Poisson's ratio", "shapes" "discs_have", [];
        GLASS_MASS, "resonator/shape/glass.rs", "walls of glasses do not slide along", "shapes" "glasses_follow", [];
        GLASS_PITCH, "resonator/shape/glass.rs", "glasses have other modes", "shapes" "glasses_follow", [];
        TUBE_END, "resonator/shape/cavity.rs", "tubes end at their ends", "shapes" "cavities_have", [];
        CAVITY_SOUND, "resonator/shape/cavity.rs", "sound in boxes is 2 % too fast", "shapes" "cavities_have", [];
        SHELL_BENDING, "resonator/shape/cylinder.rs", "shells bend too stiffly", "shapes" "cylindrical_shells", [];
        THICK_SHEAR, "resonator/shape/thick.rs", "thick bars shear half as much", "thick" "a_thick_free_bar_has", [];
        TAIL_COUNT, "resonator/modal/tail.rs", "modes above a list grow in number too fast", "lib" "a_list_that_grows_by_a_power", [];
        TAIL_MASS, "resonator/modal/tail.rs", "a band of modes is as heavy as one mode", "lib" "a_tail_has_at_most_thirty_modes", [];
        TAIL_PHASE, "resonator/modal/tail.rs", "the modes of a band are heard in phase", "tail" "a_list_with_a_tail_is_heard", [];
        RADIATION, "resonator/shape/radiation.rs", "radiated sound is 1.5 times too strong", "radiation" "what_the_ear_receives", [];
        RADIATION_SHORT, "resonator/shape/radiation.rs", "free plates do not cancel around their edge", "radiation" "a_small_free_disc", [];
        RADIATION_LOSS, "resonator/shape/radiation.rs", "bodies lose half of what they radiate", "radiation" "what_the_ear_receives", [];
        MATERIAL_DECAY, "resonator/material.rs", "materials ring half as long", "lib" "resonator::material::tests::decay_and_quality", ["003-table-5.2", "003-fig-5.7"];
        LOSS_EXPONENT, "resonator/material.rs", "losses fall where they should rise", "lib" "resonator::material::tests::decay_and_quality", [];
        NETWORK_COUPLING, "resonator/network.rs", "springs between masses are 0.9 as stiff", "networks" "a_hammer_on_a_network", [];
        NETWORK_DAMPING, "resonator/network.rs", "dampers are 1.1 times as strong", "networks" "two_masses_on", [];
        // scenes
        GLIDE_TIME, "scene/slot.rs", "glides last 1.5 times as long", "glides" "a_glide_ends", [];
        GLIDE_CURVE, "scene/slot.rs", "glides have another curve", "glides" "a_glide_ends", [];
        JUMP_LATE, "engine.rs", "jumps wait for the control tick", "jumps" "a_jump_and", [];
        TAP_GAIN, "scene/build/outputs.rs", "everything is heard at 0.9", "inputs_outputs" "a_tap_is_heard", [];
        TAP_PAN, "scene/build/outputs.rs", "the right side is heard at 0.8", "inputs_outputs" "a_tap_is_heard", [];
        DRIVE_STEPS, "scene/drive.rs", "drives leap from point to point", "guided" "the_velocity", ["000-fig-8.5"];
        RECORDING_STEPS, "scene/drive.rs", "recordings leap from sample to sample", "inputs_outputs" "a_body_pushed", [];
        TRANSPOSE, "scene/whole.rs", "parts are transposed half the way", "parts" "a_part_is_set", [];
        // textures and signals
        NOISE_EXPONENT, "texture/fractal.rs", "the spectrum of noise falls 0.9 as steeply", "texture" "the_slope_is", ["000-fig-8.7"];
        NOISE_SIZE, "texture/fractal.rs", "noise is too small", "texture" "the_analytic_variance", [];
        TEXTURE_SLOPE, "texture.rs", "surfaces have kinks at their grains", "texture" "the_cubic_between", [];
        FOLLOW_FALL, "signal/follow.rs", "envelopes fall 1.5 times as slowly", "lib" "signal::follow::tests::the_time_constants", [];
        SIGNAL_EVERY, "signal.rs", "turns are 5 % too long", "signals" "a_curve_that_repeats", [];
        SIGNAL_SMOOTH, "signal.rs", "signals are smoothed half as long", "signals" "every_operator", [];
        SIGNAL_OUTLET, "signal.rs", "vessels drain as if they were full", "vessel" "a_vessel_with_an_outlet", [];
        SIGNAL_NOISE, "signal/noise.rs", "noise that ends early is too small", "lib" "signal::noise::tests::noise_keeps", [];
        // processes
        ARRIVALS, "process.rs", "waiting times are even and not exponential", "processes" "counts_of_events", ["002-collisions"];
        PULSE_MOMENTUM, "process.rs", "a hit between two samples loses momentum", "processes" "an_impulse_keeps", [];
        HIT_ON_THE_SAMPLE, "process.rs", "hits fall on samples", "lib" "process::tests::a_hit_between_two_samples", [];
        FRAGMENTS_HOLD, "process/fragment.rs", "pieces that ring get what hits add up to", "lib" "process::crumple::tests::its_own_fragments", [];
        BED_ROLLS, "process/scatter.rs", "objects beyond the few never roll", "landings" "a_bed_of_landings", [];
        HIT_ENERGY, "process.rs", "hits bring half their energy", "lib" "process::fragment::tests::a_hit", [];
        PARTICLES_RATE, "process/particles.rs", "0.8 of the collisions", "processes" "counts_of_events", ["002-collisions"];
        PARTICLES_DECAY, "process/particles.rs", "particles come to rest twice as slowly", "lib" "process::particles::tests::a_steady", [];
        GRAIN_DECAY, "process/particles.rs", "collisions sound twice as long", "lib" "process::particles::tests::a_grain", [];
        CRUMPLE_EXPONENT, "process/crumple.rs", "energies of crumpling fall more steeply", "processes" "the_exponent_of", ["002-crumple"];
        CRUMPLE_BUDGET, "process/crumple.rs", "crumpling spends twice its budget", "processes" "a_budget_is", [];
        BURST_ENERGY, "process/burst.rs", "bursts are 1.5 times too strong", "processes" "a_burst_gives", [];
        BURST_ON_THE_SAMPLE, "process/burst.rs", "bursts begin on samples", "lib" "process::burst::tests::a_burst_begins", [];
        SPREAD_MOMENTUM, "process/spread.rs", "spread impacts bring 1.1 times their momentum", "processes" "a_spread_impact", [];
        BREAK_ENERGY, "process/breaking.rs", "cracks have three times their energy", "process_energy" "the_pieces_of", [];
        RESTITUTION, "process/flight.rs", "things bounce too high", "lib" "process::flight::tests::a_bouncing", [];
        // water and ice
        BUBBLE_PITCH, "process/bubble.rs", "bubbles are 5 % sharp", "lib" "process::bubble::tests::the_table", ["002-table-4.1"];
        BUBBLE_DAMPING, "process/bubble.rs", "bubbles ring twice as long", "lib" "process::bubble::tests::the_table", ["002-table-4.1"];
        BUBBLE_RISE, "process/bubble.rs", "the pitch of bubbles does not rise", "water" "a_triggered_bubble", ["002-table-4.1", "002-fig-4.2"];
        PATTER_BANDS, "process/patter.rs", "the second band of a landing is too low", "lib" "process::patter::tests::the_bands", [];
        PATTER_DECAY, "process/patter.rs", "landings last eight times as long", "lib" "process::patter::tests::a_landing", ["002-fig-4.2"];
        DRIP_SHALLOW, "process/drip.rs", "drops close bubbles where no water stands", "water" "a_drop_into", ["002-fig-4.1"];
        DRIP_DEPTH, "process/drip.rs", "bubbles are larger than the water is deep", "water" "no_bubble_of", [];
        DRIP_CLOSES, "process/drip.rs", "bubbles of large drops close too soon", "water" "drops_close", [];
        SPLASH_SIZE, "process/splash.rs", "what is thrown is 1.1 times as large as its mass says", "water" "a_splash_is", [];
        SPLASH_DRAG, "process/splash.rs", "half the drag on the way to the bottom", "water" "a_stone", [];
        SPLASH_FLAT, "process/splash.rs", "what is flat meets the water as a ball", "water" "a_flat_body", [];
        RAIN_MOMENTUM, "process/rain.rs", "drops of rain weigh half", "water" "rain_on", [];
        VESSEL_END, "resonator/vessel.rs", "the air of a cup ends at half its correction", "vessel" "the_air_in", [];
        VESSEL_NECK, "resonator/vessel.rs", "necks of bottles are too short", "vessel" "a_bottle_sinks", [];
        VESSEL_BESIDE, "resonator/vessel.rs", "strokes on a rim never fall beside their place", "irregular" "strokes_fall_beside", [];
        VESSEL_BREATH, "resonator/vessel.rs", "walls keep their radius", "vessel" "a_wall_that_swings_wide", [];
        VESSEL_LOAD, "resonator/vessel.rs", "water loads a wall by half", "vessel" "the_wall_of", [];
        ICE_COINCIDENCE, "process/ice.rs", "ice is a tenth stiffer where it sings", "ice" "the_tone", ["002-coincidence"];
        ICE_WAVES, "process/ice.rs", "waves in ice are too slow", "ice" "the_tone", ["002-coincidence"];
        ICE_EXPONENT, "process/ice.rs", "energies of fractures fall more steeply", "ice" "energies_of", [];
        ICE_PLACE, "process/ice.rs", "ice remembers half as far", "ice" "ice_that_has", [];
        ICE_FORGETS, "process/ice.rs", "ice forgets what it has borne", "ice" "ice_that_has", [];
        ICE_FELT, "process/ice.rs", "half the force drops that is felt of a fracture", "ice" "at_each_fracture", [];
        ICE_SPENDS, "process/ice.rs", "aftershocks take what no load has done", "ice" "fractures_take", [];
        ICE_DONE, "process/ice.rs", "ice that has opened goes on cracking", "ice" "ice_opens", [];
        FLUID_FALL, "fluid.rs", "water falls with 0.7 of gravity", "fluid" "water_in_the_air", ["002-fig-4.3", "002-dam-front"];
        FLUID_PRESSURE, "fluid.rs", "water is pushed apart by a tenth", "fluid" "a_tank_at_rest", [];
        FLUID_KERNEL, "fluid/kernel.rs", "gradients are 0.7 of what they should be", "lib" "fluid::kernel::tests::the_gradient", [];
        FLUID_STANDS, "fluid/sound.rs", "bubbles sound before water stands", "fluid" "only_impacts", ["002-fig-4.3"];
        FLUID_RISE, "fluid/sound.rs", "bubbles rise the less the deeper", "fluid" "size_rise", ["002-fig-4.3"];
        FLUID_SIZE, "fluid/sound.rs", "bubbles do not grow with the level", "fluid" "size_rise", [];
        BED_LEVEL, "process/flow.rs", "beds are 1.2 times too loud", "water" "a_population_is", [];
        SPLASH_CAVITY, "process/splash.rs", "bubbles behind bodies are too large", "water" "a_splash_is", [];
        ICE_TONE, "process/ice.rs", "thin ice sings 5 % sharp", "ice" "the_tone", ["002-coincidence"];
        CRACK_LENGTH, "process/ice/cracks.rs", "cracks are 1.1 times too long", "ice" "cracks_are", [];
        SLIPPERY_WALLS, "fluid.rs", "water slides along walls", "fluid" "the_front", [];
        // walking
        GAIT_HUMPS, "gait/curve.rs", "feet press 1.1 times what they carry", "lib" "gait::curve::tests::walking_steps", ["002-force"];
        GAIT_ATTACK, "gait/curve.rs", "who walks faster has the smaller knock", "lib" "gait::curve::tests::walking_steps", ["002-attack"];
        GAIT_HEEL, "gait/curve.rs", "heels stay down too long", "lib" "gait::curve::tests::heel_and_toe", [];
        WALK_RATE, "gait/curve.rs", "1.1 times the steps", "walking" "a_walker_steps", [];
        WALK_EVEN, "gait/walker.rs", "left and right steps last alike", "walking" "two_steps", [];
        WALK_ALIKE, "gait/walker.rs", "all steps are alike", "walking" "two_steps", [];
        RUN_CONTACT, "gait/curve.rs", "running feet stand 1.25 times as long", "lib" "gait::curve::tests::running_has", [];
        JUMP_SPEED, "gait/curve.rs", "jumps are too high", "walking" "a_jump_leaves", [];
        SOLE_GRAINS, "gait/sole.rs", "small soles press more grains", "lib" "gait::sole::tests::a_smaller", [];
        STEP_DRAWS, "process/step.rs", "nothing is drawn after the first step", "walking" "nothing_is_drawn", [];
        BAND_WIDTH, "process/particles.rs", "bands are 1.2 times as wide", "lib" "process::particles::tests::a_grain", ["002-table-5.1"];
        FOOTSTEP_ENERGY, "process/footstep.rs", "shorter steps are louder than their force", "lib" "process::footstep::tests::a_steeper", [];
        FOOTSTEP_WAITS, "process/footstep.rs", "a step waits for its force", "lib" "process::footstep::tests::a_steeper", [];
        FOLLOW_LEVEL, "signal/follow.rs", "envelopes reach 0.9 of the sound", "lib" "signal::follow::tests::silence", ["002-envelope"];
        // rooms and air
        ROOM_T60, "output/room.rs", "rooms ring 1.15 times as long", "room" "every_octave_band", [];
        SABINE, "output/room.rs", "walls swallow more than Sabine says", "room" "walls_by_absorption", [];
        AIR_OXYGEN, "output/air.rs", "the oxygen of the air takes less", "lib" "output::air::tests::the_loss", [];
        PAIR_WAY, "output/pair.rs", "ears are half as far apart", "space" "a_head_hears", [];
        PAIR_SHADE, "output/pair.rs", "a head shades nothing", "space" "a_head_hears", [];
        FLOOR_LEVEL, "output/floor.rs", "a floor is twice as loud", "space" "a_floor_has", [];
        AIR_WAY, "output.rs", "the air takes half", "room" "distance_weakens", [];
        DISTANCE, "output.rs", "distance weakens by its root", "room" "distance_weakens", [];
    }
}
