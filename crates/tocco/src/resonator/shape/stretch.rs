// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stretches when a shape moves far: the potential of [`bending`](crate::resonator::bending) from the geometry.
//!
//! **What.** Strings and skins are held at their ends: all of one is under one tension, which grows with the square of the
//! slope. Plates are free to draw in at their edges; where they are bent two ways they are stretched, each place otherwise.
//!
//! **Law.** With phi_i of mean square 1, k_i the wave number of a mode:
//! - `[stretch.1]  G_i = sqrt(E A L) k_i^2`: a string (Kirchhoff, Carrier); `sqrt(E h S/(1 - nu^2)) k_i^2`: a skin of area S
//!   (Berger)
//! - `[stretch.2]  G_kij = sqrt(E h) integral of Psi_k L(phi_i, phi_j)`: a plate (von Karman), `L(f, g) = f_xx g_yy + f_yy g_xx
//!   - 2 f_xy g_xy`; Psi_k are Airy's functions of the stress, orthogonal with `integral of (laplace Psi)^2 = 1`
//! - `[stretch.3]` in polar coordinates `L(f, g) = f_rr (g_r/r + g_aa/r^2) + g_rr (f_r/r + f_aa/r^2) - 2 (f_ra/r - f_a/r^2)
//!   (g_ra/r - g_a/r^2)`, a the angle
//! - `[stretch.4]  Psi = cos(p pi x/a) cos(q pi y/b)`: a supported rectangle whose edges stay straight (Levy)
//!
//! An edge that nothing pulls in the plane has `Psi = 0` and no slope of Psi: the shapes of the clamped disc and of the
//! clamped rectangle, by the same routines. The lowest [`FUNCTIONS`] of them are kept; what is left out would make the
//! body stiffer, so that the potential is a lower bound.
//!
//! **Symbols.** E `young_pa`, nu `poisson`, h `thickness_m`, A cross section, L `length_m`.
//!
//! **Sources.** Levy, NACA report 737 (1942); Chia, *Nonlinear analysis of plates* (1980), chapter 1; Touze, Thomas, Chaigne,
//! J. Sound Vib. 258 (2002) for the free disc.

use super::disc::{Rim, disc_roots, radial_curve};
use super::{Fault, Given, Point, Solved, ritz};
use crate::math::{PI, Real, TAU, gauss_panels};
use crate::resonator::bending::Stretch;
use core::f64::consts::SQRT_2;

/// Functions of the stress kept; a pair of a disc, cosine and sine, is kept whole.
const FUNCTIONS: usize = 20;
/// Couplings smaller than this part of the largest of their function are left out: what rounding leaves of zero.
const ROUNDING: Real = 1e-9;
/// First zero of J_0, the wave number of the lowest mode of a round skin times its radius.
const FIRST_ZERO: Real = 2.404_825_557_695_773;

type Law = fn(&Given<'_>, &Solved) -> Result<Stretch, Fault>;

/// How a shape stretches; `None`: not known.
pub(super) fn law(id: &str) -> Option<Law> {
    match id {
        "string" => Some(string),
        "rectangular-membrane" => Some(rectangular_skin),
        "circular-membrane" => Some(round_skin),
        "rectangular-plate" => Some(rectangle),
        "circular-plate" => Some(disc),
        _ => None,
    }
}

/// Why a shape cannot be asked for it.
pub(super) fn not_for(id: &str) -> String {
    format!("is for strings, membranes, rectangular and circular plates, and this is a {id}; leave it out")
}

fn string(given: &Given<'_>, solved: &Solved) -> Result<Stretch, Fault> {
    let (length, diameter) = (given.need("length_m")?, given.need("diameter_m")?);
    let pull = 0.25 * PI * diameter * diameter * given.material.young_pa;
    let k = |n: i32| PI * Real::from(n) / length;
    let root = fault!(STRETCH_STRING, (pull * length).sqrt(), times 1.2);
    Ok(Stretch::Tension(solved.modes.iter().map(|mode| root * k(mode.numbers[0]) * k(mode.numbers[0])).collect())) // [stretch.1]
}

/// sqrt(E h S/(1 - nu^2)).
fn skin(given: &Given<'_>, area: Real) -> Result<Real, Fault> {
    let m = given.material;
    Ok((m.young_pa * given.need("thickness_m")? * area / (1.0 - m.poisson * m.poisson)).sqrt())
}

fn rectangular_skin(given: &Given<'_>, solved: &Solved) -> Result<Stretch, Fault> {
    let (a, b) = (given.need("length_m")?, given.need("width_m")?);
    let root = skin(given, a * b)?;
    let k2 = |numbers: [i32; 3]| {
        let (x, y) = (Real::from(numbers[0]) / a, Real::from(numbers[1]) / b);
        PI * PI * (x * x + y * y)
    };
    Ok(Stretch::Tension(solved.modes.iter().map(|mode| root * k2(mode.numbers)).collect())) // [stretch.1]
}

fn round_skin(given: &Given<'_>, solved: &Solved) -> Result<Stretch, Fault> {
    let radius = given.need("radius_m")?;
    let root = skin(given, PI * radius * radius)?;
    let k = |freq_hz: Real| FIRST_ZERO / radius * (freq_hz / solved.modes[0].freq_hz);
    Ok(Stretch::Tension(solved.modes.iter().map(|mode| root * k(mode.freq_hz) * k(mode.freq_hz)).collect())) // [stretch.1]
}

/// Leaves out what is zero but for rounding.
fn clean(mut square: Vec<(usize, usize, Real)>) -> Vec<(usize, usize, Real)> {
    let largest = square.iter().fold(0.0, |most: Real, (_, _, value)| most.max(value.abs()));
    square.retain(|(_, _, value)| value.abs() > ROUNDING * largest);
    square
}

/// One function of the radius and the angle: `[f, f_r, f_rr]` at the nodes.
struct Round {
    n: i32,
    sine: i32,
    along: Vec<[Real; 3]>,
}

fn disc(given: &Given<'_>, solved: &Solved) -> Result<Stretch, Fault> {
    let radius = given.need("radius_m")?;
    let (rim, nu) = (given.word::<Rim>("edge"), given.material.poisson);
    let stiff = super::plate::stiffness(given)?;
    let root = |freq_hz: Real| (freq_hz * TAU / stiff).sqrt() * radius;
    let top = solved.modes.last().map_or(1.0, |mode| root(mode.freq_hz));
    let nodes = gauss_panels(0.0, 1.0, 4 + (top / 3.0) as usize);
    let round = |n: i32, sine: i32, rim: Rim, x: Real| {
        let shape = radial_curve(rim, nu, n, x);
        Round { n, sine, along: nodes.iter().map(|(r, _)| shape(*r)).collect() }
    };
    let bending = || solved.bending().iter();
    let modes: Vec<Round> =
        bending().map(|mode| round(mode.numbers[0], mode.numbers[2], rim, root(mode.freq_hz))).collect();
    let mut functions: Vec<(Real, i32)> = (0..)
        .take_while(|n| *n < FUNCTIONS as i32)
        .flat_map(|n| disc_roots(Rim::Clamped, nu, n, 22.0).into_iter().map(move |x| (x, n)))
        .collect();
    crate::order::sort(&mut functions, |a, b| a.0.total_cmp(&b.0));
    let eh = (given.material.young_pa * given.need("thickness_m")?).sqrt() / radius;
    let mut squares = Vec::new();
    for (zeta, n) in functions {
        if squares.len() >= FUNCTIONS {
            break;
        }
        for sine in 0..if n == 0 { 1 } else { 2 } {
            let stress = round(n, sine, Rim::Clamped, zeta);
            let unit = eh / (zeta * zeta * PI.sqrt());
            let mut square = Vec::new();
            for (i, a) in modes.iter().enumerate() {
                for (j, b) in modes.iter().enumerate().skip(i) {
                    let angles = around(a, b, &stress);
                    if angles != [0.0; 2] {
                        let value = unit * along(&nodes, a, b, &stress, angles); // [stretch.2]
                        square.push((solved.rigid + i, solved.rigid + j, value));
                    }
                }
            }
            squares.push(clean(square));
        }
    }
    let groups = (0..solved.rigid as u32).map(|_| 0);
    let groups = groups.chain(modes.iter().map(|mode| 1 + 2 * mode.n as u32 + mode.sine as u32)).collect();
    Ok(Stretch::Sheet { groups, squares })
}

/// Integrals over the angle of the three, and of the slopes of the first two times the third, each slope over its n.
fn around(a: &Round, b: &Round, c: &Round) -> [Real; 2] {
    // A sine is a cosine a quarter of a period later, a slope one a quarter earlier; all have mean square 1.
    let root = |of: &Round| if of.n == 0 { 1.0 } else { SQRT_2 };
    let scale = 0.25 * TAU * root(a) * root(b) * root(c);
    let together = |late: i32| {
        let mut sum = 0.0;
        for (s, t) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            if a.n + s * b.n + t * c.n == 0 {
                sum += [1.0, 0.0, -1.0, 0.0][(a.sine + late + s * (b.sine + late) + t * c.sine).rem_euclid(4) as usize];
            }
        }
        scale * sum
    };
    [together(0), if a.n * b.n == 0 { 0.0 } else { together(-1) }]
}

/// Integral over the disc of radius 1: [stretch.3].
fn along(nodes: &[(Real, Real)], a: &Round, b: &Round, c: &Round, [plain, slopes]: [Real; 2]) -> Real {
    let (na, nb) = (Real::from(a.n), Real::from(b.n));
    let mut sum = 0.0;
    for (((&(r, weight), f), g), psi) in nodes.iter().zip(&a.along).zip(&b.along).zip(&c.along) {
        let bent = |[f, f1, _]: &[Real; 3], n: Real| f1 / r - n * n * f / (r * r);
        let twist = |[f, f1, _]: &[Real; 3]| f1 / r - f / (r * r);
        let both = f[2] * bent(g, nb) + g[2] * bent(f, na);
        sum += weight * r * psi[0] * (both * plain - 2.0 * na * nb * twist(f) * twist(g) * slopes);
    }
    sum
}

fn rectangle(given: &Given<'_>, solved: &Solved) -> Result<Stretch, Fault> {
    let (a, b) = (given.need("length_m")?, given.need("width_m")?);
    let eh = (given.material.young_pa * given.need("thickness_m")?).sqrt();
    match given.def.word("edges") {
        Some("supported") => Ok(levy(a, b, eh, solved)),
        Some("clamped") => {
            let what = "is not known of a rectangular plate with clamped edges; leave it out, or let them be free or supported";
            Err(Fault::new("stiffens", what))
        }
        _ => free(given, a, b, eh, solved),
    }
}

/// Functions by numbers of half waves: [stretch.4].
fn levy(a: Real, b: Real, eh: Real, solved: &Solved) -> Stretch {
    let wave = |p: i32, side: Real| PI * Real::from(p) / side;
    let most = FUNCTIONS as i32;
    let mut functions: Vec<(Real, i32, i32)> = (0..=most)
        .flat_map(|p| (0..=most).map(move |q| (p, q)))
        .filter(|pair| *pair != (0, 0))
        .map(|(p, q)| (wave(p, a) * wave(p, a) + wave(q, b) * wave(q, b), p, q))
        .collect();
    crate::order::sort(&mut functions, |a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    functions.truncate(FUNCTIONS);
    // Integrals over a side of 1 of cos(p) with two sines, and with two cosines.
    let single = |p: i32, r: i32| {
        if p != r.abs() {
            0.0
        } else if p == 0 {
            1.0
        } else {
            0.5
        }
    };
    let sines = |p: i32, m: i32, n: i32| 0.5 * (single(p, m - n) - single(p, m + n));
    let cosines = |p: i32, m: i32, n: i32| 0.5 * (single(p, m - n) + single(p, m + n));
    let square = |&(k2, p, q): &(Real, i32, i32)| {
        let mean = if p == 0 { 1.0 } else { 0.5 } * if q == 0 { 1.0 } else { 0.5 };
        let unit = eh / (k2 * (a * b * mean).sqrt());
        let mut square = Vec::new();
        for (i, first) in solved.modes.iter().enumerate() {
            for (j, second) in solved.modes.iter().enumerate().skip(i) {
                let ([m, n, _], [r, s, _]) = (first.numbers, second.numbers);
                let plain = a * b * sines(p, m, r) * sines(q, n, s);
                let slopes = a * b * cosines(p, m, r) * cosines(q, n, s);
                let (x1, y1, x2, y2) = (wave(m, a), wave(n, b), wave(r, a), wave(s, b));
                let both = x1 * x1 * y2 * y2 + y1 * y1 * x2 * x2;
                let value = 4.0 * unit * (both * plain - 2.0 * x1 * y1 * x2 * y2 * slopes);
                if value != 0.0 {
                    square.push((i, j, value));
                }
            }
        }
        square
    };
    let groups = solved.modes.iter().map(|mode| mode.numbers[0] as u32).collect();
    Stretch::Sheet { groups, squares: functions.iter().map(square).collect() }
}

/// A free plate: its curvatures and the shapes of the clamped plate at the nodes of a quarter.
fn free(given: &Given<'_>, a: Real, b: Real, eh: Real, solved: &Solved) -> Result<Stretch, Fault> {
    let most = solved.bending().len();
    let half_waves = |side: Real, other: Real| (4.0 / PI * most as Real * side / other).sqrt();
    let nodes = |waves: Real| gauss_panels(0.5, 1.0, 2 + (waves / 5.0) as usize);
    let (along, across) = (nodes(half_waves(a, b)), nodes(half_waves(b, a)));
    let (mut places, mut weights) = (Vec::<Point>::new(), Vec::new());
    for (x, u) in &along {
        for (y, v) in &across {
            places.push([*x, *y, 0.0]);
            weights.push(4.0 * a * b * u * v);
        }
    }
    let stiff = super::plate::stiffness(given)?;
    // The very modes of the body, once more with their curvatures.
    let bare = Given { points: &[], ..*given };
    let (again, curves) = ritz::solve_curved(&bare, a, b, stiff, 1.0, false, &places)?;
    let alike = again.modes.iter().zip(solved.bending()).all(|(a, b)| a.numbers == b.numbers);
    if !alike || again.modes.len() != most {
        return Err(Fault::new("stiffens", "its modes cannot be found twice alike; choose other dimensions"));
    }
    let clamped = Given { points: &places, most: FUNCTIONS, below_hz: 1e12, ..*given };
    let stress = ritz::solve(&clamped, a, b, 1.0, 1.0, true)?;
    let class = |numbers: &[i32; 3]| (numbers[0] + 2 * numbers[1]) as usize;
    let mut squares = vec![Vec::new(); stress.modes.len()];
    let mut bent = vec![0.0; places.len()];
    for i in 0..most {
        for j in i..most {
            let kind = class(&again.modes[i].numbers) ^ class(&again.modes[j].numbers);
            for ((bent, weight), curve) in bent.iter_mut().zip(&weights).zip(&curves) {
                let ([xx, yy, xy], [uu, vv, uv]) = (curve[i], curve[j]);
                *bent = weight * (xx * vv + yy * uu - 2.0 * xy * uv);
            }
            for (k, mode) in stress.modes.iter().enumerate().filter(|(_, mode)| class(&mode.numbers) == kind) {
                // The eigenvalue is that of the bending energy, for a stiffness of 1: (laplace Psi)^2 over the plate.
                let bending = TAU * mode.freq_hz * (a * b).sqrt();
                let sum: Real = bent.iter().zip(&stress.shapes).map(|(bent, shape)| bent * shape[k]).sum();
                squares[k].push((solved.rigid + i, solved.rigid + j, eh * sum / bending)); // [stretch.2]
            }
        }
    }
    let groups = (0..solved.rigid as u32).map(|_| 0);
    let groups = groups.chain(again.modes.iter().map(|mode| 1 + class(&mode.numbers) as u32)).collect();
    Ok(Stretch::Sheet { groups, squares: squares.into_iter().map(clean).collect() })
}
