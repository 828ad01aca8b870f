// SPDX-License-Identifier: MIT OR Apache-2.0
//! One sort for what is put in order when something is built. The standard one is compiled anew for every type and every rule, five
//! kilobytes each time, and a page that plays in a browser would carry sixty of them.

use crate::math::Real;
use core::cmp::Ordering;

/// Places of `count` things, the least first; equals keep their order. `[control]`
pub fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// The same by a number of each. `[control]`
pub fn ascending(count: usize, number: &dyn Fn(usize) -> Real) -> Vec<usize> {
    order(count, &|a, b| number(a).total_cmp(&number(b)))
}

/// Puts things in order; equals keep theirs. `[control]`
pub fn sort<T>(things: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(things.len(), &|a, b| compare(&things[a], &things[b]));
    let mut before: Vec<Option<T>> = things.drain(..).map(Some).collect();
    things.extend(order.into_iter().filter_map(|at| before[at].take()));
}

#[cfg(test)]
mod tests {
    use super::{ascending, sort};
    use crate::rng::Rng;

    #[test]
    fn things_are_sorted_as_the_standard_library_does() {
        let mut rng = Rng::new(1, "order");
        for count in [0, 1, 2, 20, 21, 500] {
            let mut things: Vec<(u64, String)> =
                (0..count).map(|at| (rng.bits() % 50, format!("thing {at}"))).collect();
            let numbers: Vec<f64> = things.iter().map(|thing| thing.0 as f64).collect();
            let mut wanted = things.clone();
            wanted.sort_by_key(|thing| thing.0);
            let places = ascending(count, &|at| numbers[at]);
            assert_eq!(places.iter().map(|&at| &things[at]).collect::<Vec<_>>(), wanted.iter().collect::<Vec<_>>());
            sort(&mut things, |a, b| a.0.cmp(&b.0));
            assert_eq!(things, wanted);
        }
    }
}
