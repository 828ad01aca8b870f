// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine's own cases, as scenes.

use super::bank::{Mode, RATE_HZ};
use tocco::engine::Engine;
use tocco::scene::{Fetch, FetchedScene, Recording, Scene, SceneDef};
use tocco::{Document, Gesture, Queue};

/// A bank of modes that has just received an impulse; nothing touches it.
pub fn ringing(modes: &[Mode]) -> Result<Engine, String> {
    let list: String = modes.iter().map(|m| mode(m.freq_hz, m.decay_s, 0.05)).collect();
    let gains: Vec<f64> = modes.iter().map(|m| m.gain).collect();
    build(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{list}]\n[body.bar.port]\ntip = {gains:?}\n\
         [[event]]\nat_s = 0.0\nhit = \"bar.tip\"\nimpulse_n_s = 0.01\n\
         [[tap]]\nof = \"bar.tip\"\nquantity = \"velocity\"\n"
    ))
}

/// A hammer of 0.01 kg pressed onto a modal body with 10 N, for ever in contact: SDT's figures were taken with these
/// bodies (its help patch for three modes, 200 to 8000 Hz otherwise).
pub fn pressed(count: usize) -> Result<Engine, String> {
    let list = body(count, 1.0);
    let engine = build(&format!(
        "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n\
         [body.bar]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\n\
         stiffness = 1e7\ndissipation_s_m = 1.0\nexponent = 1.5\nsubsteps = 1\n\
         [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 10.0]]\n\
         [[tap]]\nof = \"bar\"\nquantity = \"velocity\"\n"
    ))?;
    Ok(after_2_s(engine))
}

/// A shipped scene at 48 kHz.
pub fn shipped(name: &str) -> crate::error::Result<Engine> {
    let scene = crate::library::load(name)?;
    let built = Scene::build(&scene.def, RATE_HZ).map_err(|error| crate::library::wrong(&scene, &error))?;
    Ok(Engine::new(built))
}

/// The same hammer that has struck such a body and flown away: the contact sleeps, the body rings.
pub fn struck(count: usize) -> Result<Engine, String> {
    let list = body(count, 1.0);
    let mut engine = build(&format!(
        "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\n\
         [body.bar]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nstiffness = 1e7\n\
         [[tap]]\nof = \"bar\"\nquantity = \"velocity\"\n"
    ))?;
    engine.render(&[], &mut Queue::new(), &mut vec![0.0; (0.1 * RATE_HZ) as usize]);
    Ok(engine)
}

/// A bank that rings while a drive moves one of its parameters to and fro, 20 times a second.
pub fn retuned(count: usize, path: &str) -> Result<Engine, String> {
    let list = |scale: f64| -> String {
        super::bank::modes(count).iter().map(|m| mode(scale * m.freq_hz, m.decay_s, 0.05)).collect()
    };
    build(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{}]\nmorph = {{ modes = [{}] }}\n\
         [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.01\n\
         {}[[tap]]\nof = \"bar\"\nquantity = \"velocity\"\n",
        list(1.0),
        list(1.1),
        to_and_fro(path, 0.05)
    ))
}

/// A drive that moves a parameter between 1 and 0.9, so long each way, s.
fn to_and_fro(path: &str, each_s: f64) -> String {
    let points: Vec<[f64; 2]> =
        (0..4000).map(|i| [each_s * f64::from(i), if i % 2 == 0 { 1.0 } else { 0.9 }]).collect();
    format!("[[drive]]\npath = \"{path}\"\npoints = {points:?}\n")
}

/// The body under a pressed hammer, or a hand that rubs it, bent all the while.
pub fn touched_and_bent(count: usize, rubbed: bool) -> Result<Engine, String> {
    let list = body(count, if rubbed { 0.003 } else { 1.0 });
    let touch = if rubbed {
        format!(
            "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.05\n\
             [contact.rub]\n{RUB}between = [\"bow\", \"bar\"]\nnormal_force_n = 1.0\n"
        )
    } else {
        "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\n\
         stiffness = 1e7\ndissipation_s_m = 1.0\nexponent = 1.5\nsubsteps = 1\n\
         [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 10.0]]\n"
            .to_owned()
    };
    Ok(after_2_s(build(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{list}]\n{touch}{}[[tap]]\nof = \"bar\"\nquantity = \"velocity\"\n",
        to_and_fro("bar/freq_scale", 0.05)
    ))?))
}

/// So many voices that ring, each bent by a finger of its own, as MPE does.
pub fn voices_bent(voices: usize, count: usize) -> Result<Engine, String> {
    let list: String = super::bank::modes(count).iter().map(|m| mode(m.freq_hz, m.decay_s, 0.05)).collect();
    let voice = |i: usize| {
        format!(
            "[body.bar{i}]\ntype = \"modal\"\nmodes = [{list}]\n\
             [[event]]\nat_s = 0.0\nhit = \"bar{i}\"\nimpulse_n_s = 0.01\n{}[[tap]]\nof = \"bar{i}\"\n",
            to_and_fro(&format!("bar{i}/freq_scale"), 0.05 + 0.003 * i as f64)
        )
    };
    build(&(0..voices).map(voice).collect::<String>())
}

/// SDT's friction as its figures were taken; its Stribeck velocity, which they do not name, is its default.
const RUB: &str = "type = \"friction\"\nmu_static = 0.95\nmu_dynamic = 0.15\nbristle_stiffness = 1e4\n\
                   bristle_damping = 1.0\nviscosity = 0.1\nbreakaway_01 = 0.2\nstribeck_m_s = 0.1\n";

/// How the rubbed body of three modes rings.
#[derive(Clone, Copy, PartialEq)]
pub enum Decays {
    /// As SDT's friction help patch has it.
    Short,
    /// As its impact help patch has it.
    Long,
}

/// A hand drawn over a light modal body at 0.05 m/s: stick-slip for ever. SDT's figure for three modes was taken on a
/// limit cycle of about 500 slips a second. Its equations, integrated by its published scheme with the values stated,
/// have that cycle (996 changes of sign of the sliding velocity per second; ours has 979) with the decays of its friction
/// help patch, 0.03, 0.02 and 0.01 s, and 3408 changes (ours 3406) with the long ones. A mode of weight m, gain 1 and
/// decay d in SDT is one of mass 3 m (of three) and 1/e time d/2 here.
pub fn stick_slip(count: usize, decays: Decays) -> Result<Engine, String> {
    let list = match decays {
        Decays::Short if count == 3 => {
            [(500.0, 0.015), (1300.0, 0.01), (1700.0, 0.005)].iter().map(|&(f, t)| mode(f, t, 0.003)).collect()
        }
        _ => body(count, 0.003),
    };
    let engine = build(&format!(
        "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.05\n\
         [body.glass]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.rub]\n{RUB}between = [\"bow\", \"glass\"]\nnormal_force_n = 1.0\n\
         [[tap]]\nof = \"glass\"\n"
    ))?;
    Ok(after_2_s(engine))
}

/// Six hands drawn over a body of 32 modes in six places, or each over a body of its own: stick-slip.
pub fn six_bows(on_one_body: bool) -> Result<Engine, String> {
    let list = body(32, 0.003);
    let place = |port: usize| -> Vec<f64> { (0..32).map(|mode| (0.4 + (port * mode) as f64).cos()).collect() };
    let mut text = String::from("[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.05\n");
    for port in 0..6 {
        let name = if on_one_body { "glass".to_owned() } else { format!("glass{port}") };
        if port == 0 || !on_one_body {
            text += &format!("[body.{name}]\ntype = \"modal\"\nmodes = [{list}]\n[body.{name}.port]\n");
            text.extend((0..6).map(|port| format!("p{port} = {:?}\n", place(port))));
            text += &format!("[[tap]]\nof = \"{name}.p0\"\n");
        }
        text += &format!("[contact.rub{port}]\n{RUB}between = [\"bow\", \"{name}.p{port}\"]\nnormal_force_n = 1.0\n");
    }
    Ok(after_2_s(build(&text)?))
}

/// Two modal bodies that friction holds together, one of them pushed with 1 N.
pub fn locked(count: usize) -> Result<Engine, String> {
    let list = body(count, 0.003);
    let engine = build(&format!(
        "[body.rubber]\ntype = \"modal\"\nmodes = [{list}]\n[body.glass]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.rub]\n{RUB}between = [\"rubber\", \"glass\"]\nnormal_force_n = 3.0\n\
         [[drive]]\npath = \"rubber/force_n\"\npoints = [[0.0, 1.0]]\n[[tap]]\nof = \"glass\"\n"
    ))?;
    Ok(after_2_s(engine))
}

/// The cello's D string of Avanzini et al. 2002 under the bow, in Helmholtz motion.
pub fn bowed_string() -> Result<Engine, String> {
    let engine = build(
        "[body.bow]\ntype = \"guided\"\n\
         [body.string]\ntype = \"string\"\nfreq_hz = 147.0\nq = 500.0\nimpedance_kg_s = 0.55\n\
         inharmonicity = 5.57e-5\n[body.string.port]\nbow_point = 0.1267\n\
         [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"string.bow_point\"]\nnormal_force_n = 1.1\n\
         [[drive]]\npath = \"bow/velocity_m_s\"\npoints = [[0.0, 0.0], [0.03, 0.1]]\n\
         [[tap]]\nof = \"string.bow_point\"\n",
    )?;
    Ok(after_2_s(engine))
}

/// A mode that rings for long, heard in stereo, in the space that these keys of its output say.
pub fn in_space(keys: &str) -> Result<Engine, String> {
    let engine = build(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{}]\n[[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.01\n\
         [[tap]]\nof = \"bar\"\npan_01 = 0.4\n[output.main]\nchannels = [0, 1]\n{keys}",
        mode(440.0, 20.0, 0.05)
    ))?;
    Ok(after_2_s(engine))
}

/// So many bodies of which hands rub the first few, each with so many parameters on the move: of the hand, of the law, of the body.
/// The others are at rest under hands that do not press.
pub fn islands(count: usize, rubbing: usize, moving: usize) -> Result<Engine, String> {
    let island = |i: usize| if i < rubbing { rubbed(i, 0.05, 1.0) } else { rubbed(i, 0.0, 0.0) };
    let mut engine = build(&(0..count).map(island).collect::<String>())?;
    let paths = [
        ("rub", "normal_force_n", 0.9),
        ("bow", "velocity_m_s", 0.04),
        ("glass", "force_n", 0.01),
        ("rub", "mu_static", 0.9),
        ("rub", "mu_dynamic", 0.2),
        ("rub", "stribeck_m_s", 0.09),
        ("rub", "viscosity", 0.2),
        ("rub", "bristle_damping", 1.1),
        ("rub", "breakaway_01", 0.25),
        ("glass", "decay_scale", 0.9),
    ];
    let mut queue = Queue::new();
    for i in 0..rubbing {
        for (node, param, value) in &paths[..moving] {
            let gesture = Gesture::Glide { path: format!("{node}{i}/{param}"), value: *value, glide_s: 600.0 };
            let resolved = gesture.resolve(engine.scene().directory()).map_err(|cause| cause.to_string())?;
            queue.push(0, resolved.command);
        }
    }
    engine.render(&[], &mut queue, &mut vec![0.0; 4096]);
    Ok(engine)
}

/// A body of three modes under a hand of its own.
fn rubbed(i: usize, velocity_m_s: f64, normal_force_n: f64) -> String {
    let list = body(3, 0.003);
    format!(
        "[body.bow{i}]\ntype = \"guided\"\nvelocity_m_s = {velocity_m_s:?}\n\
         [body.glass{i}]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.rub{i}]\n{RUB}between = [\"bow{i}\", \"glass{i}\"]\nnormal_force_n = {normal_force_n:?}\n\
         [[tap]]\nof = \"glass{i}\"\n"
    )
}

/// Modes of SDT's help patch (three) or logarithmic ones.
fn body(count: usize, mass_kg: f64) -> String {
    if count == 3 {
        [(500.0, 1.0), (1300.0, 0.5), (1700.0, 0.25)].iter().map(|&(f, t)| mode(f, t, mass_kg)).collect()
    } else {
        super::bank::modes(count).iter().map(|m| mode(m.freq_hz, 1.0, mass_kg)).collect()
    }
}

fn after_2_s(mut engine: Engine) -> Engine {
    engine.render(&[], &mut Queue::new(), &mut vec![0.0; (2.0 * RATE_HZ) as usize]);
    engine
}

fn mode(freq_hz: f64, decay_s: f64, mass_kg: f64) -> String {
    format!("{{ freq_hz = {freq_hz:?}, decay_s = {decay_s:?}, mass_kg = {mass_kg:?} }}, ")
}

/// So many voices of particles that are fed steadily, or not at all.
pub fn particles(voices: usize, resonances: usize, level: f64) -> Result<Engine, String> {
    let bands: Vec<String> =
        (0..resonances).map(|i| format!("{{ freq_hz = {}.0, bandwidth_hz = 900.0 }}", 2400 + 1700 * i)).collect();
    let mut text = format!("[signal.feed]\ntype = \"points\"\npoints = [[0.0, {level:?}]]\n");
    for i in 0..voices {
        text += &format!(
            "[process.p{i}]\ntype = \"particles\"\ndriven_by = \"feed\"\nlevel = 1.0\nobjects = 64.0\n\
             resonances = [{}]\n[[tap]]\nof = \"p{i}\"\nquantity = \"sound\"\n",
            bands.join(", ")
        );
    }
    Ok(after_2_s(build(&text)?))
}

/// Something that gives way 5000 times a second.
pub fn crumpling() -> Result<Engine, String> {
    Ok(after_2_s(build(
        "[signal.squeeze]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.paper]\ntype = \"crumple\"\n\
         driven_by = \"squeeze\"\nlevel = 1.0\nload = 0.0\nevents = 5000.0\nfragments = 16\nmodes = [\
         { freq_hz = 400.0, decay_s = 0.02, mass_kg = 0.002 }, { freq_hz = 1500.0, decay_s = 0.01, mass_kg = 0.002 }, \
         { freq_hz = 2900.0, decay_s = 0.01, mass_kg = 0.002 }]\n[[tap]]\nof = \"paper\"\nquantity = \"sound\"\n",
    )?))
}

/// A bank of bubbles of which every voice sounds at any time, and rises.
pub fn bubbles(voices: usize, law: &str) -> Result<Engine, String> {
    // They last for 1.2 s and more, and a hundred come in a second.
    Ok(after_2_s(build(&format!(
        "[signal.flow]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.water]\ntype = \"bubbles\"\ndriven_by = \"flow\"\n\
         rate_hz = 100.0\nsmallest_m = 0.03\nlargest_m = 0.05\nrise = 0.1\nrise_above_01 = 0.0\nvoices = {voices}\nlaw = \"{law}\"\n\
         [[tap]]\nof = \"water\"\nquantity = \"sound\"\n"
    ))?))
}

/// The river of the shipped scene, in one channel.
pub fn river() -> Result<Engine, String> {
    Ok(after_2_s(build(
        "[signal.flow]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.water]\ntype = \"bubbles\"\ndriven_by = \"flow\"\n\
         rate_hz = 3000.0\nsmallest_m = 0.0005\nlargest_m = 0.01\nsize_exponent = 2.4\nrise = 0.05\nrise_above_01 = 0.8\n\
         gust = 0.15\nbed = 1.5\n[[tap]]\nof = \"water\"\nquantity = \"sound\"\n",
    )?))
}

/// Rain on water, thick.
pub fn shower() -> Result<Engine, String> {
    Ok(after_2_s(build(
        "[signal.fall]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.rain]\ntype = \"rain\"\ndriven_by = \"fall\"\n\
         rate_hz = 500.0\nbed = 0.5\n[[tap]]\nof = \"rain\"\nquantity = \"sound\"\n",
    )?))
}

/// Five nodes and taps; names end in this. If they sound, the bar has been struck and the dust is fed, else nobody moves.
fn five_nodes(end: &str, sounds: bool) -> String {
    let press = if sounds { "type = \"points\"\npoints = [[0.0, 1.0]]" } else { "type = \"input\"" };
    let mut text = format!(
        "[body.hammer{end}]\ntype = \"mass\"\n[body.bar{end}]\ntype = \"modal\"\nmodes = [{}]\n[contact.hit{end}]\ntype = \"impact\"\n\
         between = [\"hammer{end}\", \"bar{end}\"]\n[signal.press{end}]\n{press}\n[process.dust{end}]\ntype = \"particles\"\n\
         driven_by = \"press{end}\"\nlevel = 1.0\nresonances = [{{ freq_hz = 3000.0, bandwidth_hz = 900.0 }}]\n[[tap]]\nof = \"bar{end}\"\n",
        body(3, 1.0)
    );
    if sounds {
        text += &format!(
            "[[tap]]\nof = \"dust{end}\"\nquantity = \"sound\"\n[[event]]\nat_s = 0.0\nstrike = \"hammer{end}\"\nvelocity_m_s = 1.0\n"
        );
    }
    text
}

/// The nodes of [`many_parts`] in one scene without parts, which sound.
pub fn written_out(count: usize) -> Result<Engine, String> {
    Ok(after_2_s(build(&(0..count).map(|i| five_nodes(&i.to_string(), true)).collect::<String>())?))
}

/// A scene that uses another one of five nodes so many times; whether they sound.
pub fn many_parts(count: usize, sounds: bool) -> Result<Document, String> {
    struct Inside(bool);
    impl Fetch for Inside {
        fn recording(&mut self, file: &str) -> Result<Recording, String> {
            Err(format!("no {file}"))
        }
        fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
            let text = five_nodes("", self.0);
            Ok(FetchedScene { identity: name.to_owned(), text, fetch: Box::new(Inside(self.0)) })
        }
    }
    let text: String = (0..count).map(|i| format!("[part.p{i}]\nscene = \"inside\"\ntranspose = 0.9\n")).collect();
    Document::read_with("parts", "benchmark", text, Inside(sounds)).map_err(|cause| cause.to_string())
}

/// The parts of [`many_parts`], while they sound.
pub fn sounding_parts(count: usize) -> Result<Engine, String> {
    let scene = Scene::build(&many_parts(count, true)?.def, RATE_HZ).map_err(|cause| cause.to_string())?;
    Ok(after_2_s(Engine::new(scene)))
}

/// Somebody in boots who walks over a shipped floor at a speed, m/s, in a room; past the first second.
pub fn walked(floor: &str, speed_m_s: f64) -> crate::error::Result<Engine> {
    let regions = ["heel_left", "toe_left", "heel_right", "toe_right"];
    let mut text = format!(
        "version = 1\nrate_hz = {RATE_HZ:?}\n[walk.anna]\nspeed_m_s = {speed_m_s:?}\nsole = \"boot\"\n[output.main]\nchannels = [0, 1]\n\
         room = {{ volume_m3 = 60.0, t60_s = 0.5, wet_01 = 0.2 }}\n"
    );
    if floor == "floor-concrete-as-wood" {
        text += &format!("[part.floor]\nscene = \"{floor}\"\n");
        text.extend(regions.map(|region| format!("signal.{region} = \"anna.{region}\"\n")));
    } else {
        let part = |region| format!("[part.{region}]\nscene = \"{floor}\"\nsignal.press = \"anna.{region}\"\n");
        text.extend(regions.map(part));
    }
    let document = crate::library::from_text("walk", "benchmark", text, None)?;
    let scene = Scene::build(&document.def, RATE_HZ).map_err(|e| crate::library::wrong(&document, &e))?;
    let mut engine = Engine::new(scene);
    // Where nobody walks ice cracks once under whoever stands there: it is measured when the room is silent again.
    let begun_s = if speed_m_s == 0.0 { 8.0 } else { 1.0 };
    engine.render(&[], &mut Queue::new(), &mut vec![0.0; 2 * (begun_s * RATE_HZ) as usize]);
    Ok(engine)
}

fn build(text: &str) -> Result<Engine, String> {
    let text = format!("version = 1\nduration_s = 1.0\nrate_hz = {RATE_HZ:?}\n{text}");
    let scene = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, RATE_HZ));
    scene.map(Engine::new).map_err(|e| format!("benchmark scene: {e}"))
}

#[cfg(test)]
mod tests {
    use super::super::bank::modes;
    use super::*;

    #[test]
    fn the_pressed_hammer_touches_in_every_sample() {
        for count in [3, 32, 512] {
            let mut engine = pressed(count).unwrap();
            let force = engine.scene().directory().probe("hit.force").unwrap();
            engine.watch(&[force]);
            let mut forces = [0.0; 9600];
            engine.render_probed(&[], &mut Queue::new(), &mut [0.0; 9600], &mut forces);
            assert!(forces.iter().all(|f| *f > 0.0), "{count} modes");
        }
    }

    /// Slips (changes of sign of the relative velocity, two each) and stuck samples in a tenth of a second.
    fn slips(engine: &mut Engine, site: &str, bow_m_s: f64) -> (usize, usize) {
        let signal = engine.scene().directory().probe(&format!("{site}.velocity")).unwrap();
        engine.watch(&[signal]);
        let mut velocity = [0.0; 4800];
        engine.render_probed(&[], &mut Queue::new(), &mut [0.0; 4800], &mut velocity);
        let slides = |v: f64| bow_m_s - v;
        let turns = velocity.windows(2).filter(|v| slides(v[0]) * slides(v[1]) < 0.0).count();
        (turns / 2, velocity.iter().filter(|v| slides(**v).abs() < 0.1 * bow_m_s).count())
    }

    #[test]
    fn the_rubbed_body_sticks_and_slips_for_ever() {
        for (count, decays) in [(3, Decays::Short), (3, Decays::Long), (32, Decays::Long), (128, Decays::Long)] {
            let (turns, stuck) = slips(&mut stick_slip(count, decays).unwrap(), "glass", 0.05);
            assert!(turns > 20 && stuck > 20, "{count} modes: {turns} slips, {stuck} samples stuck");
        }
    }

    #[test]
    fn the_rubbed_body_of_three_modes_slips_as_often_as_in_sdt() {
        // In a tenth of a second: 498 and 1704 slips a second by SDT's equations.
        for (decays, slips_hz) in [(Decays::Short, 498.0), (Decays::Long, 1704.0)] {
            let (turns, _) = slips(&mut stick_slip(3, decays).unwrap(), "glass", 0.05);
            assert!((turns as f64 * 10.0 / slips_hz - 1.0).abs() < 0.05, "{turns}");
        }
    }

    #[test]
    fn the_bowed_string_slips_once_a_period() {
        let (turns, stuck) = slips(&mut bowed_string().unwrap(), "string.bow_point", 0.1);
        assert!(turns >= 13 && stuck > 3000, "{turns} {stuck}");
    }

    #[test]
    fn the_locked_bodies_hold_each_other() {
        let mut engine = locked(32).unwrap();
        let force = engine.scene().directory().probe("rub.force").unwrap();
        engine.watch(&[force]);
        let mut forces = [0.0; 4800];
        engine.render_probed(&[], &mut Queue::new(), &mut [0.0; 4800], &mut forces);
        assert!(forces.iter().all(|f| *f > 0.1 && *f < 0.95 * 3.0));
    }

    #[test]
    fn the_parts_and_what_is_written_out_sound_all_the_time() {
        for mut engine in [sounding_parts(4).unwrap(), written_out(4).unwrap()] {
            let names = ["bar", "dust"].map(|node| {
                let name = |part: usize| [format!("p{part}/{node}"), format!("{node}{part}")];
                (0..4).flat_map(name).collect::<Vec<_>>()
            });
            let directory = engine.scene().directory().clone();
            let energies = names[0].iter().filter_map(|bar| directory.probe(&format!("{bar}.energy")).ok());
            let events = names[1].iter().filter_map(|dust| directory.probe(&format!("{dust}.events")).ok());
            let probes: Vec<_> = energies.chain(events).collect();
            assert_eq!(probes.len(), 8);
            let before: Vec<f64> = probes.iter().map(|probe| engine.probe(*probe)).collect();
            engine.render(&[], &mut Queue::new(), &mut [0.0; 48_000]);
            let now: Vec<f64> = probes.iter().map(|probe| engine.probe(*probe)).collect();
            assert!(now[..4].iter().all(|energy| *energy > 1e-12), "bars ring: {now:?}");
            assert!(now[4..].iter().zip(&before[4..]).all(|(now, before)| now > before), "dust falls: {now:?}");
        }
    }

    #[test]
    fn the_ringing_bank_rings() {
        let mut out = [0.0; 4800];
        ringing(&modes(32)).unwrap().render(&[], &mut Queue::new(), &mut out);
        assert!(out[2400..].iter().any(|x| x.abs() > 1e-6));
    }
}
