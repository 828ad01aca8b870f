// SPDX-License-Identifier: MIT OR Apache-2.0
//! Soles: what stands between a foot and the ground.
//!
//! **What.** Seven soles. On solid ground a sole is a hammer: a mass and a contact law. On ground of many grains it presses more or less of
//! them, each more or less hard, and more or less suddenly.
//!
//! **Law.** A the area of contact, A0 that of a boot's heel or toe:
//! - `[sole.1]  F = k x^a (1 + mu x')`: the hammer's contact, its mass that of the part of the foot that stops at once.
//! - `[sole.2]  N -> N A/A0`: as many grains as are under it; water is as loud as so many drops, by the root of it.
//! - `[sole.3]  f -> f (A0/A)^(1/6)`: grains that press each other harder ring higher. A contact of round grains (Hertz) is as stiff as the
//!   cube root of its load, so its frequency goes with the sixth root of the pressure.
//! - `[sole.4]  rise -> rise + T_c`: what is soft loads slowly; T_c is the contact time of the hammer at 0.5 m/s.
//! - `[sole.5]  g = min(1, T_boot/T_c)^(3/2)`: on solid ground, factor on what it scrapes loose and on what cracks; what is soft scrapes little.
//! - `[sole.6]  q = (T_boot/T_c)^(1/2)`: how quick it is beside a boot. Grit is as bright: its corner goes with q. Grains between a foot and the
//!   ground are heard up to q times as high, from 16 kHz under a boot on: what is soft lies against them and swallows the rest. What cracks is
//!   pushed for 1/q of the time. Bubbles in water are smaller by the root of q. A recorded step is as if in a boot: its bands move by [sole.3], and
//!   each is heard `((1 + (f/16 kHz)^4)/(1 + (f/(q 16 kHz))^4))^(1/2)` as loud.
//!
//! **Sources.** De Sena et al. 2009 section 3.2 has hammers without numbers. Masses, stiffnesses and areas are choices, placed by contact time; [sole.2] to
//! [sole.6] are ours.

use crate::math::{Real, pow};

/// A sole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sole {
    /// Its word in scene files.
    pub word: &'static str,
    /// Mass that stops at once, kg.
    pub mass_kg: Real,
    /// N/m^exponent
    pub stiffness: Real,
    /// Exponent of its contact.
    pub exponent: Real,
    /// mu, s/m
    pub dissipation_s_m: Real,
    /// Contact time at 0.5 m/s on something rigid, s.
    pub contact_s: Real,
    /// Areas of heel and toe, m^2.
    pub area_m2: [Real; 2],
    /// How much it takes off the knock of the heel, 0 to 1.
    pub cushion_01: Real,
}

/// The area that [sole.2] and [sole.3] compare with, m^2: a boot's.
const AREA_M2: Real = 40e-4;

/// Grains under a boot are heard up to here, Hz: choice.
const HEARD_HZ: Real = 16_000.0;

/// Contact time of a boot at 0.5 m/s, s.
pub const BOOT_CONTACT_S: Real = 3.365e-3;

/// All of them, the brightest first.
pub const SOLES: [Sole; 7] = [
    sole("stiletto", [0.06, 3.0e8, 1.5, 2.0], 0.488e-3, [1.5e-4, 25e-4], 0.05),
    sole("leather-heel", [0.15, 5.0e7, 1.5, 3.0], 1.441e-3, [28e-4, 30e-4], 0.1),
    sole("boot", [0.5, 2.0e7, 1.5, 4.0], 3.365e-3, [40e-4, 40e-4], 0.3),
    sole("hard-rubber", [0.25, 8.0e6, 1.5, 4.0], 3.679e-3, [42e-4, 44e-4], 0.3),
    sole("sneaker", [0.3, 9.2e7, 2.0, 6.0], 5.998e-3, [60e-4, 65e-4], 0.8),
    sole("barefoot", [0.5, 1.23e8, 2.3, 8.0], 12.006e-3, [75e-4, 80e-4], 0.0),
    sole("sock", [0.5, 1.03e8, 2.5, 10.0], 17.975e-3, [90e-4, 95e-4], 0.1),
];

const fn sole(word: &'static str, law: [Real; 4], contact_s: Real, area_m2: [Real; 2], cushion_01: Real) -> Sole {
    let [mass_kg, stiffness, exponent, dissipation_s_m] = law;
    Sole { word, mass_kg, stiffness, exponent, dissipation_s_m, contact_s, area_m2, cushion_01 }
}

/// The words of [`SOLES`].
pub const WORDS: &[&str] = &{
    let mut words = [""; SOLES.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = SOLES[i].word;
        i += 1;
    }
    words
};

impl Sole {
    /// The one of this word.
    pub fn named(word: &str) -> Option<&'static Sole> {
        SOLES.iter().find(|sole| sole.word == word)
    }

    /// Factor on the number of grains; `toe`: under the front of the foot. [sole.2]
    pub fn grains(&self, toe: bool) -> Real {
        let grains = self.area_m2[usize::from(toe)] / AREA_M2;
        fault!(SOLE_GRAINS, grains, 1.0 / grains)
    }

    /// Factor on grit and dust between it and solid ground. [sole.5]
    pub fn scrapes(&self) -> Real {
        pow((BOOT_CONTACT_S / self.contact_s).min(1.0), 1.5)
    }

    /// How quick it is beside a boot. [sole.6]
    pub fn quick(&self) -> Real {
        (BOOT_CONTACT_S / self.contact_s).sqrt()
    }

    /// Frequency up to which grains are heard that are heard up to `lowpass_hz` without a sole, Hz. [sole.6]
    pub fn heard_to_hz(&self, lowpass_hz: Real) -> Real {
        if self.quick() == 1.0 { lowpass_hz } else { self.quick() * lowpass_hz.min(HEARD_HZ) }
    }

    /// How loud a band of a recorded step at a frequency is beside the recording. [sole.6]
    pub fn band_gain(&self, freq_hz: Real) -> Real {
        let past = |edge_hz: Real| 1.0 + pow(freq_hz / edge_hz, 4.0);
        if self.quick() == 1.0 { 1.0 } else { (past(HEARD_HZ) / past(self.quick() * HEARD_HZ)).sqrt() }
    }

    /// Factor on the frequencies of grains. [sole.3]
    pub fn pitch(&self, toe: bool) -> Real {
        pow(1.0 / self.grains(toe), 1.0 / 6.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_sole_presses_fewer_grains_and_makes_them_ring_higher() {
        for toe in [false, true] {
            for pair in SOLES.windows(2) {
                assert!(pair[0].pitch(toe) > pair[1].pitch(toe) && pair[0].grains(toe) < pair[1].grains(toe));
                assert!(pair[0].contact_s < pair[1].contact_s);
            }
        }
        let boot = Sole::named("boot").unwrap();
        assert_eq!((boot.grains(false), boot.pitch(true), boot.scrapes()), (1.0, 1.0, 1.0));
        assert!(Sole::named("sock").unwrap().scrapes() < 0.1 && SOLES[0].scrapes() == 1.0);
        // A sixty-fourth of the area doubles every frequency.
        for pair in SOLES.windows(2) {
            assert!(pair[0].quick() > pair[1].quick() && pair[0].heard_to_hz(9e3) > pair[1].heard_to_hz(9e3));
        }
        assert_eq!((boot.quick(), boot.heard_to_hz(192e3)), (1.0, 192e3));
        assert!((Sole::named("sock").unwrap().heard_to_hz(192e3) - 6923.0).abs() < 1.0);
        let tip = Sole { area_m2: [AREA_M2 / 64.0; 2], ..*boot };
        assert!((tip.pitch(false) - 2.0).abs() < 1e-12);
    }
}
