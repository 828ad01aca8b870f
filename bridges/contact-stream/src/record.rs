// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a physics engine says of one contact in one step.

/// Two things that touch during a step. Speeds are those before the step, unless said. SI units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// The two things, by the caller's own numbers, in any order.
    pub pair: [u64; 2],
    /// Their materials, as rows of [`Pairs`](crate::Pairs).
    pub materials: [u16; 2],
    /// Impulse along the normal in this step, N s; not negative.
    pub impulse_n_s: f64,
    /// Speed at which the two surfaces approach each other, m/s; negative: they part.
    pub closing_m_s: f64,
    /// Speed at which they part at the same place after the step, m/s; 0 where that is not known.
    pub parting_m_s: f64,
    /// What outside forces add to that speed per second, m/s^2: gravity along the normal, where only one of the two falls.
    pub closing_m_s2: f64,
    /// Speed at which one surface slides over the other, m/s.
    pub slip_m_s: f64,
    /// Speed at which the place of contact wanders over the surfaces without sliding, m/s.
    pub roll_m_s: f64,
    /// Distance of the surfaces before the step, m; negative: they overlap.
    pub gap_m: f64,
    /// Mass that the impact feels, kg: 1/(n K n) of both bodies at the place.
    pub mass_kg: f64,
    /// Places at which they touch: one or two is a corner, an edge or a ball, more is a face.
    pub places: u32,
    /// Where, in the world, m.
    pub point_m: [f64; 3],
}

impl Record {
    /// A record of two things, everything else zero but one place.
    pub fn between(one: u64, other: u64) -> Self {
        Self { pair: [one, other], places: 1, ..Self::default() }
    }

    /// Every number is one, and the mass is that of something.
    pub fn is_sane(&self) -> bool {
        let Self { impulse_n_s, closing_m_s, parting_m_s, closing_m_s2, slip_m_s, roll_m_s, gap_m, mass_kg, .. } =
            *self;
        let numbers = [impulse_n_s, closing_m_s, parting_m_s, closing_m_s2, slip_m_s, roll_m_s, gap_m, mass_kg];
        numbers.iter().chain(&self.point_m).all(|x| x.is_finite())
            && mass_kg > 0.0
            && impulse_n_s >= 0.0
            && slip_m_s >= 0.0
            && roll_m_s >= 0.0
            && self.pair[0] != self.pair[1]
    }

    /// The same with the smaller number first.
    pub(crate) fn sorted(mut self) -> Self {
        if self.pair[0] > self.pair[1] {
            self.pair.reverse();
            self.materials.reverse();
        }
        self
    }

    /// Several places of one pair as one: impulses add up, the rest is weighed by them.
    pub(crate) fn with(self, other: Self) -> Self {
        let impulse_n_s = self.impulse_n_s + other.impulse_n_s;
        let share = if impulse_n_s > 0.0 { other.impulse_n_s / impulse_n_s } else { 0.5 };
        let mix = |a: f64, b: f64| a + share * (b - a);
        Self {
            impulse_n_s,
            closing_m_s: self.closing_m_s.max(other.closing_m_s),
            parting_m_s: mix(self.parting_m_s, other.parting_m_s),
            closing_m_s2: mix(self.closing_m_s2, other.closing_m_s2),
            slip_m_s: mix(self.slip_m_s, other.slip_m_s),
            roll_m_s: mix(self.roll_m_s, other.roll_m_s),
            gap_m: self.gap_m.min(other.gap_m),
            mass_kg: mix(self.mass_kg, other.mass_kg),
            places: self.places.saturating_add(other.places),
            point_m: std::array::from_fn(|axis| mix(self.point_m[axis], other.point_m[axis])),
            ..self
        }
    }
}
