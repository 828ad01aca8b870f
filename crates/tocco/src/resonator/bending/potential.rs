// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stretching holds, for modes in their slots.

use super::{Mode, Stretch, set};
use crate::math::Real;
use crate::resonator::kernel::{LANES, Line};

/// A chunk of modes that a square moves, and by what.
#[derive(Clone)]
pub(super) struct Target {
    pub chunk: usize,
    pub from: usize,
    pub to: usize,
}

/// One G_k: `sources` are modes, `weights` what each does to the eight of its target.
#[derive(Clone, Default)]
pub(super) struct Square {
    pub targets: Vec<Target>,
    pub sources: Vec<usize>,
    pub weights: Vec<Line>,
}

#[derive(Clone)]
pub(super) enum Potential {
    Tension(Vec<Line>),
    Sheet(Vec<Square>),
}

/// Multiplies a row.
pub(super) fn scale(row: &mut [Line], by: Real) {
    row.iter_mut().for_each(|line| line.0.iter_mut().for_each(|x| *x *= by));
}

/// Slot of every mode and the number of chunks: groups begin on chunks.
pub(super) fn layout(modes: usize, stretch: &Stretch) -> (Vec<usize>, usize) {
    let group = |i: usize| match stretch {
        Stretch::Tension(_) => 0,
        // A tail is stretched by nothing.
        Stretch::Sheet { groups, .. } => groups.get(i).copied().unwrap_or(u32::MAX),
    };
    let order = crate::order::order(modes, &|a, b| group(a).cmp(&group(b)));
    let (mut slots, mut next) = (vec![0; modes], 0usize);
    for (at, &i) in order.iter().enumerate() {
        if at > 0 && group(order[at - 1]) != group(i) {
            next = next.next_multiple_of(LANES);
        }
        slots[i] = next;
        next += 1;
    }
    (slots, next.div_ceil(LANES).max(1))
}

/// The potential for modes of 1 kg in their slots.
pub(super) fn potential(modes: &[Mode], chunks: usize, stretch: &Stretch) -> Potential {
    match stretch {
        Stretch::Tension(weights) => {
            let mut row = vec![Line::ZERO; chunks];
            modes.iter().zip(weights).for_each(|(mode, w)| set(&mut row, mode.slot, w / mode.mass));
            Potential::Tension(row)
        }
        Stretch::Sheet { squares, .. } => {
            Potential::Sheet(squares.iter().map(|all| square(modes, chunks, all)).collect())
        }
    }
}

fn square(modes: &[Mode], chunks: usize, all: &[(usize, usize, Real)]) -> Square {
    // By chunk of the target, then by source.
    let mut rows: Vec<std::collections::BTreeMap<usize, Line>> = vec![Default::default(); chunks];
    for &(i, j, value) in all {
        let (a, b) = (&modes[i], &modes[j]);
        let value = value / (a.mass * b.mass).sqrt();
        let mut add = |to: usize, from: usize| {
            rows[to / LANES].entry(from).or_insert(Line::ZERO).0[to % LANES] = value;
        };
        add(a.slot, b.slot);
        add(b.slot, a.slot);
    }
    let mut square = Square::default();
    for (chunk, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        let from = square.sources.len();
        square.sources.extend(row.keys());
        square.weights.extend(row.values());
        square.targets.push(Target { chunk, from, to: square.sources.len() });
    }
    square
}

/// gamma^2 of [bending.6], each G_k by the root of the sum of its squares.
pub(super) fn gamma2(modes: &[Mode], stretch: &Stretch) -> Real {
    let over = |i: usize, j: usize, value: Real| match modes[i].omega * modes[j].omega {
        0.0 => 0.0,
        omega2 => value / ((modes[i].mass * modes[j].mass).sqrt() * omega2),
    };
    match stretch {
        Stretch::Tension(weights) => {
            let largest = weights.iter().enumerate().fold(0.0, |most: Real, (i, &w)| most.max(over(i, i, w).abs()));
            largest * largest
        }
        Stretch::Sheet { squares, .. } => squares
            .iter()
            .flatten()
            .map(|&(i, j, value)| {
                let part = over(i, j, value);
                if i == j { part * part } else { 2.0 * part * part }
            })
            .sum(),
    }
}
