// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much a neighbour weighs at a distance, and a wall.

use crate::math::{PI, Real};

/// Entries of a wall's table.
const ENTRIES: usize = 256;
/// Strips of Simpson's rule for one of them; the integrand is smooth, the error below 1e-9.
const STRIPS: usize = 64;

/// Wendland's kernel of the second order, times the volume of a particle. `[fluid.1]`
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    per_length: Real,
    weight: Real,
    slope: Real,
    /// What a particle weighs where it stands.
    pub own: Real,
    /// Added to the divisor of \[fluid.3\], so that two particles in one place do no harm, 1/m^2.
    pub least: Real,
}

/// `(1 - q/2)^4 (2 q + 1)`, 0 from q = 2.
fn wendland(q: Real) -> Real {
    let t = (1.0 - 0.5 * q).max(0.0);
    (t * t) * (t * t) * (2.0 * q + 1.0)
}

impl Kernel {
    pub fn new(spacing: Real, smoothing: Real) -> Self {
        let reach = (2.0 * smoothing / spacing) as i32 + 1;
        let mut lattice = 0.0;
        for i in -reach..=reach {
            for j in -reach..=reach {
                let square = Real::from(i * i + j * j);
                lattice += wendland(square.sqrt() * spacing / smoothing);
            }
        }
        // [fluid.1] with V = 1/(sum of W): the factor 7/(4 pi h^2) goes out of the weight.
        let weight = 1.0 / lattice;
        Self {
            per_length: 1.0 / smoothing,
            weight,
            slope: fault!(FLUID_KERNEL, -5.0 * weight / (smoothing * smoothing), times 0.7),
            own: weight,
            least: 1e-9 / (spacing * spacing),
        }
    }

    /// Weight, and the factor on the vector between them that gives its gradient, from the square of their distance.
    #[inline(always)]
    pub fn at(&self, square: Real) -> (Real, Real) {
        let q = square.sqrt() * self.per_length;
        let t = (1.0 - 0.5 * q).max(0.0);
        let cube = t * t * t;
        (self.weight * (cube * t) * (2.0 * q + 1.0), self.slope * cube) // [fluid.1]
    }
}

/// What a plane wall weighs at a distance, as if water stood behind it. `[fluid.6]`
#[derive(Clone, Debug)]
pub(super) struct Wall {
    reach: Real,
    per_entry: Real,
    weight: Vec<Real>,
    slope: Vec<Real>,
}

impl Wall {
    pub fn new(smoothing: Real) -> Self {
        let reach = 2.0 * smoothing;
        let step = reach / (ENTRIES - 1) as Real;
        let norm = 7.0 / (4.0 * PI * smoothing * smoothing);
        // Integral of W along a line at distance s.
        let line = |s: Real| {
            let half = (reach * reach - s * s).max(0.0).sqrt();
            let strip = half / STRIPS as Real;
            let mut sum = 0.0;
            for k in 0..=STRIPS {
                let t = k as Real * strip;
                let factor = if k == 0 || k == STRIPS {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                sum += factor * wendland((s * s + t * t).sqrt() / smoothing);
            }
            2.0 * norm * sum * strip / 3.0
        };
        let slope: Vec<Real> = (0..ENTRIES).map(|k| -line(k as Real * step)).collect();
        let mut weight = vec![0.0; ENTRIES];
        for k in (0..ENTRIES - 1).rev() {
            let middle = -line((k as Real + 0.5) * step);
            weight[k] = weight[k + 1] - step * (slope[k] + 4.0 * middle + slope[k + 1]) / 6.0; // [fluid.6]
        }
        Self { reach, per_entry: 1.0 / step, weight, slope }
    }

    /// Weight and its slope, 1/m, at a distance; `None` where it is out of reach.
    #[inline(always)]
    pub fn at(&self, distance: Real) -> Option<(Real, Real)> {
        if distance >= self.reach {
            return None;
        }
        let place = distance.max(0.0) * self.per_entry;
        let k = (place as usize).min(ENTRIES - 2);
        let part = place - k as Real;
        let between = |table: &[Real]| table[k] + part * (table[k + 1] - table[k]);
        Some((between(&self.weight), between(&self.slope)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_lattice_has_density_one_and_half_of_it_with_a_wall_too() {
        let (d, h) = (0.01, 0.013);
        let (kernel, wall) = (Kernel::new(d, h), Wall::new(h));
        let mut all = 0.0;
        let mut above = 0.0;
        for i in -4..=4 {
            for j in -4..=4 {
                let (w, _) = kernel.at(Real::from(i * i + j * j) * d * d);
                all += w;
                // A particle half a spacing above the floor.
                above += if j >= 0 { w } else { 0.0 };
            }
        }
        assert!((all - 1.0).abs() < 1e-14, "{all}");
        let (weight, _) = wall.at(0.5 * d).unwrap();
        // A lattice is no continuum: what a row stands for differs by a tenth of what the wall weighs.
        assert!((above + weight - 1.0).abs() < 0.03, "{above} {weight}");
    }

    #[test]
    fn a_wall_weighs_half_where_it_passes_through_and_its_slope_is_that_of_its_weight() {
        let wall = Wall::new(0.013);
        assert!((wall.at(0.0).unwrap().0 - 0.5).abs() < 1e-7);
        assert!(wall.at(0.026).is_none());
        for s in [0.001, 0.005, 0.011, 0.02] {
            let e = 1e-4;
            let slope = (wall.at(s + e).unwrap().0 - wall.at(s - e).unwrap().0) / (2.0 * e);
            assert!((slope / wall.at(s).unwrap().1 - 1.0).abs() < 2e-3, "{s}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_weight() {
        let kernel = Kernel::new(0.01, 0.013);
        for r in [0.002, 0.01, 0.02] {
            let e = 1e-7;
            let slope = (kernel.at((r + e) * (r + e)).0 - kernel.at((r - e) * (r - e)).0) / (2.0 * e);
            assert!((slope / (kernel.at(r * r).1 * r) - 1.0).abs() < 1e-6, "{r}");
        }
    }
}
