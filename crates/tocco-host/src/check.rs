// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco check`: reads and builds a scene, then says what will sound.

use crate::error::Result;
use crate::render::{AUTO_MOST_S, Plan};
use std::fmt::Write as _;
use tocco::Gesture;
use tocco::interactor::friction::FrictionParams;
use tocco::interactor::impact::ImpactParams;
use tocco::math::pow;
use tocco::resonator::modal::ModalParams;
use tocco::resonator::shape::evaluate;
use tocco::resonator::waveguide::StringParams;
use tocco::scene::def::{
    BodyDef, BodyForm, ContactDef, ContactForm, FrictionLaw, HammerDef, ImpactLaw, Intent, Length, LinkDef, MidiDef,
    Notes, PlaceDef, PlaceOn, PointDef, SceneDef, ShapeDef, Source, Stuff, TapTo,
};
use tocco::scene::network::analyse;

/// A text that lists bodies, contacts, gestures, taps and controls. Errors are the scene's.
pub fn report(plan: &Plan) -> Result<String> {
    let scene = plan.build()?;
    plan.hears()?;
    let def = &plan.scene.def;
    let mut text = format!("{}: {}\n", plan.scene.name, plan.scene.title());
    let length = match plan.length {
        Length::Auto => format!("until it has decayed by 90 dB, at most {AUTO_MOST_S} s"),
        Length::Seconds(s) => format!("{} s", short(s)),
    };
    line(
        &mut text,
        "render",
        &format!("{length}, {} channel(s), {} Hz, seed {}", scene.channels(), plan.rate_hz, def.seed),
    );
    for body in &def.bodies {
        line(&mut text, &format!("body {}", body.name), &body_words(body, plan.rate_hz));
    }
    for contact in &def.contacts {
        line(&mut text, &format!("contact {}", contact.name), &contact_words(def, contact));
    }
    for drive in &def.drives {
        let words = match &drive.source {
            Source::Points(points) => {
                format!("{} points until {} s", points.len(), short(points.last().map_or(0.0, |p| p[0])))
            }
            Source::Noise { rms, beta, .. } if *beta != 0.0 => {
                format!("noise 1/f^{}, rms {}", short(*beta), short(*rms))
            }
            Source::Noise { rms, .. } => format!("noise, rms {}", short(*rms)),
            Source::Wav { file, .. } => file.clone(),
            Source::Input { channel, .. } => format!("sound from input {channel}"),
            Source::Samples { rate_hz, data, .. } => format!("recording of {} s", short(data.len() as f64 / rate_hz)),
        };
        line(&mut text, &format!("drive {}", drive.path), &words);
    }
    let most_events = 12;
    for event in def.events.iter().take(most_events) {
        let words = match &event.gesture {
            Gesture::Strike { body, velocity_m_s } => format!("strike {body} at {} m/s", short(*velocity_m_s)),
            Gesture::Hit { site, impulse_n_s } => format!("hit {site} with {} N s", short(*impulse_n_s)),
            Gesture::Set { path, value } => format!("set {path} to {}", short(*value)),
            _ => continue, // no event holds another
        };
        line(&mut text, &format!("at {} s", short(event.at_s)), &words);
    }
    if def.events.len() > most_events {
        line(&mut text, "", &format!("and {} more events", def.events.len() - most_events));
    }
    for tap in &def.taps {
        let quantity = format!("{:?}", tap.quantity).to_lowercase();
        let to = match tap.to {
            TapTo::Channel(channel) => format!("channel {channel}"),
            TapTo::Pan(pan) => format!("pan {}", short(pan)),
        };
        let at = if tap.outputs.is_empty() { String::new() } else { format!(" of {}", tap.outputs.join(" and ")) };
        line(&mut text, &format!("tap {}", tap.of), &format!("{quantity} times {} to {to}{at}", short(tap.gain)));
    }
    for output in &def.outputs {
        let channels: Vec<String> = output.channels.iter().map(usize::to_string).collect();
        let limiter = if output.limiter { "" } else { ", not limited" };
        let words = format!("channels {} of the device, times {}{limiter}", channels.join(", "), short(output.gain));
        line(&mut text, &format!("output {}", output.name), &words);
    }
    for control in &def.controls {
        let [low, high] = control.range;
        let paths: Vec<&str> = control.paths().collect();
        line(
            &mut text,
            &format!("control {}", control.name),
            &format!("{} from {} to {}, {:?}", paths.join(" and "), short(low), short(high), control.scale)
                .to_lowercase(),
        );
    }
    if let Some(midi) = &def.midi {
        line(&mut text, "midi", &midi_words(midi));
    }
    for omitted in scene.omitted() {
        line(&mut text, "left out", &format!("{omitted}: too high for {} Hz", plan.rate_hz));
    }
    text.push_str("The scene is sound.\n");
    Ok(text)
}

fn line(text: &mut String, head: &str, words: &str) {
    let _ = writeln!(text, "  {head:<18} {words}");
}

/// Up to four digits that matter.
pub fn short(x: f64) -> String {
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-3..1e6).contains(&magnitude) {
        let text = format!("{x:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (3 - magnitude.max(1e-3).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn midi_words(midi: &MidiDef) -> String {
    let (verb, names, unit) = match midi.strike.is_empty() {
        true => ("hit", &midi.hit, "N s"),
        false => ("strike", &midi.strike, "m/s"),
    };
    let [soft, hard] = midi.strength.map(short);
    let (low, high) = (midi.low, midi.high);
    let mut words = format!("notes {low} to {high} {verb} {} with {soft} to {hard} {unit}", names.join(", "));
    if midi.notes == Notes::Pitch {
        let _ = write!(words, "; they tune {}, voices: {}", midi.retune.join(", "), midi.voices);
    }
    words
}

fn body_words(body: &BodyDef, rate_hz: f64) -> String {
    match &body.form {
        BodyForm::Mass { velocity_m_s, .. } => {
            let mut words = format!("mass of {} kg", short(body.params.first().copied().unwrap_or_default()));
            if *velocity_m_s != 0.0 {
                let _ = write!(words, ", moving at {} m/s", short(*velocity_m_s));
            }
            if let Some(gravity) = body.params.get(1).filter(|g| **g != 0.0) {
                let _ = write!(words, ", gravity {} m/s^2", short(*gravity));
            }
            words
        }
        BodyForm::Wall { .. } => "rigid wall".into(),
        BodyForm::Guided { .. } => "guided".into(),
        BodyForm::String { ports } => string_words(body, ports),
        BodyForm::Network { masses, links, .. } => network_words(body, masses, links),
        BodyForm::Shape { figure, ports, morph } => {
            let scale = ModalParams::from_values(&body.params).freq_scale;
            let mut words = shape_words(figure, ports, scale, rate_hz);
            if let Some(morph) = morph {
                let _ = write!(words, "; morphs into {}", shape_words(&morph.figure, &[], scale, rate_hz));
            }
            words
        }
        BodyForm::Modal { modes, ports, morph } => {
            let range = |of: &dyn Fn(usize) -> f64| {
                let values = || (0..modes.len()).map(of).filter(|x| x.is_finite());
                let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
                match (low <= high, low == high) {
                    (false, _) => "none".into(),
                    (true, true) => short(low),
                    (true, false) => format!("{} to {}", short(low), short(high)),
                }
            };
            let to = morph.as_ref().map_or_else(String::new, |to| format!("; morphs into {} modes", to.modes.len()));
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            let places = if names.is_empty() { String::new() } else { format!("; places {}", names.join(", ")) };
            format!(
                "{} modes, {} Hz, decay {} s{places}{to}",
                modes.len(),
                range(&|i| modes[i].freq_hz),
                range(&|i| modes[i].decay_s)
            )
        }
    }
}

fn contact_words(def: &SceneDef, contact: &ContactDef) -> String {
    let [a, b] = &contact.between;
    let mut words = format!("{a} on {b}: ");
    match &contact.form {
        ContactForm::Impact { law, exact_wall, hammer, .. } => {
            let p = impact_params(def, contact);
            let law_words = match law {
                ImpactLaw::HuntCrossley => "hunt-crossley",
                ImpactLaw::Power => "power",
                ImpactLaw::Linear => "linear",
                ImpactLaw::Stulov => "stulov felt",
            };
            let _ = write!(words, "{law_words}, stiffness {}, exponent {}", short(p.stiffness), short(p.exponent));
            let _ = match law {
                ImpactLaw::Stulov => {
                    write!(words, ", hysteresis {}, relaxation {} s", short(p.hysteresis_01), short(p.relaxation_s))
                }
                ImpactLaw::Power => Ok(()),
                ImpactLaw::HuntCrossley | ImpactLaw::Linear => {
                    write!(words, ", dissipation {} s/m", short(p.dissipation_s_m))
                }
            };
            match hammer {
                Some(HammerDef { intent: Intent::ContactTime(tau), at_speed_m_s }) => {
                    let _ =
                        write!(words, ", made to touch for {} ms at {} m/s", short(1e3 * tau), short(*at_speed_m_s));
                }
                Some(HammerDef { intent: Intent::Hardness(hardness), at_speed_m_s }) => {
                    let _ = write!(words, ", hardness {} at {} m/s", short(*hardness), short(*at_speed_m_s));
                }
                None => {}
            }
            if *exact_wall {
                words.push_str(", exact wall");
            }
        }
        ContactForm::Friction { law, normal_from, .. } => {
            let p = FrictionParams::from_values(&contact.params);
            let law_words = match law {
                FrictionLaw::ElastoPlastic => "elasto-plastic friction",
                FrictionLaw::LuGre => "lugre friction",
                FrictionLaw::Dahl => "dahl friction",
                FrictionLaw::Static => "static friction",
                FrictionLaw::Thermal => "friction of rosin",
            };
            let pressed = match normal_from {
                Some(from) => format!("{from} presses"),
                None => format!("{} N press", short(p.normal_force_n)),
            };
            let _ = write!(words, "{law_words}, {pressed}, mu {} to {}", short(p.mu_static), short(p.mu_dynamic));
        }
    }
    if let ContactForm::Impact { viscous_exponent: Some(exponent), .. }
    | ContactForm::Friction { viscous_exponent: Some(exponent), .. } = &contact.form
    {
        let _ = write!(words, ", viscous exponent {}", short(*exponent));
    }
    if let Some(texture) = &contact.texture {
        let _ = write!(words, ", texture 1/f^{}", short(texture.beta));
        if let Some(travel) = &texture.travel {
            let _ = write!(words, ", {} m high, carried by {travel}", short(texture.height_m));
        }
    }
    if let (ContactForm::Impact { .. }, Some((mass_kg, speed))) = (&contact.form, hammer_of(def, &contact.between)) {
        let p = impact_params(def, contact);
        let touch_s = touch_s(mass_kg, p.stiffness, p.exponent, speed);
        let _ = write!(words, "; touches for about {} ms at {} m/s", short(1e3 * touch_s), short(speed));
    }
    words
}

/// With the stiffness that a hammer's intention asks for; a scene that cannot have it has been refused by then.
fn impact_params(def: &SceneDef, contact: &ContactDef) -> ImpactParams {
    let params = ImpactParams::from_values(&contact.params);
    ImpactParams { stiffness: def.stiffness(contact).unwrap_or(params.stiffness), ..params }
}

fn string_words(body: &BodyDef, ports: &[PlaceDef]) -> String {
    let p = StringParams::from_values(&body.params);
    let places: Vec<String> = ports.iter().map(|port| format!("{} at {}", port.name, short(port.place))).collect();
    let places = if places.is_empty() { String::new() } else { format!("; places {}", places.join(", ")) };
    format!("string, {} Hz, q {}, {} kg/s{places}", short(p.freq_hz), short(p.q), short(p.impedance_kg_s))
}

fn network_words(body: &BodyDef, masses: &[PointDef], links: &[LinkDef]) -> String {
    let count: usize = links.iter().map(|link| link.between.len().saturating_sub(1)).sum();
    let mut words = format!("network of {} masses, {count} links", masses.len());
    if let Ok(network) = analyse(body) {
        let high = network.omega.len().saturating_sub(1);
        let rigid = network.omega.iter().filter(|omega| **omega == 0.0).count();
        let _ = write!(words, ", {} to {} Hz", short(network.freq_hz(rigid.min(high))), short(network.freq_hz(high)));
        if rigid > 0 {
            let _ = write!(words, ", {rigid} rigid");
        }
        if !network.stands_alone() {
            words.push_str(", modes joined by dampers");
        }
    }
    let names: Vec<&str> = masses.iter().take(12).map(|mass| mass.name.as_str()).collect();
    let more = if masses.len() > names.len() { ", ..." } else { "" };
    format!("{words}; places {}{more}", names.join(", "))
}

/// Lowest modes named of a shape.
const NAMED_MODES: usize = 8;

fn shape_words(figure: &ShapeDef, ports: &[PlaceOn], scale: f64, rate_hz: f64) -> String {
    let stuff = match figure.material {
        Stuff::Air => "air".into(),
        Stuff::Named(id) => id.to_string(),
        Stuff::Own(own) => format!("{} kg/m^3, {} Pa", short(own.density_kg_m3), short(own.young_pa)),
    };
    let mut words = format!("{} of {stuff}", figure.kind.id);
    if let Ok(solved) = evaluate(figure, ports, 0.5 * rate_hz / scale) {
        let modes = &solved.modes;
        let named: Vec<String> = modes.iter().take(NAMED_MODES).map(|mode| short(scale * mode.freq_hz)).collect();
        let more = if modes.len() > NAMED_MODES { " ..." } else { "" };
        let decays = modes.iter().map(|mode| mode.decay_s);
        let (least, most) = (decays.clone().fold(f64::INFINITY, f64::min), decays.fold(0.0, f64::max));
        let highest = modes.last().map_or(0.0, |mode| scale * mode.freq_hz);
        let _ = write!(words, ", {} modes up to {} Hz: {}{more} Hz", modes.len(), short(highest), named.join(", "));
        let _ = write!(words, "; decay {} to {} s", short(least), short(most));
    }
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    if !names.is_empty() {
        let _ = write!(words, "; places {}", names.join(", "));
    }
    words
}

/// Mass and speed of the first partner that is a mass with a known speed: its own, or that of its first strike.
fn hammer_of(def: &SceneDef, between: &[String; 2]) -> Option<(f64, f64)> {
    between.iter().find_map(|site| {
        let body = def.bodies.iter().find(|body| body.name == *site)?;
        let BodyForm::Mass { velocity_m_s, .. } = body.form else { return None };
        let strike = def.events.iter().find_map(|event| match &event.gesture {
            Gesture::Strike { body, velocity_m_s } if body == site => Some(velocity_m_s.abs()),
            _ => None,
        });
        let speed = strike.unwrap_or(velocity_m_s.abs());
        (speed > 0.0).then_some((*body.params.first()?, speed))
    })
}

/// Contact time of a mass on a rigid wall without dissipation (physics: tau = c (m/k)^(1/(a+1)) v^((1-a)/(1+a)), with c
/// between 3.06 and 3.22 for every exponent); what it strikes may shorten or lengthen it.
fn touch_s(mass_kg: f64, stiffness: f64, exponent: f64, speed_m_s: f64) -> f64 {
    3.2 * pow(mass_kg / stiffness, 1.0 / (exponent + 1.0)) * pow(speed_m_s, (1.0 - exponent) / (1.0 + exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1e9, "1e9"),
            (0.00012, "1.2e-4"),
            (440.25, "440.2"),
            (-2.5, "-2.5"),
            (0.45, "0.45"),
            (48_000.0, "48000"),
        ] {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn the_estimated_contact_time_is_within_five_percent_of_the_exact_one() {
        // Elastic wall collision of physics.md B.2: 1.281135e-4 s.
        assert!((touch_s(0.01, 1e9, 1.5, 1.0) / 1.281_135e-4 - 1.0).abs() < 0.05);
    }
}
