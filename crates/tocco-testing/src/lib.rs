// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of tocco's crates share: a counting allocator, spectra, what describes a step, what recorded ones are like, decays in rooms, pictures compared, and tests that cannot run here.

pub mod allocations;
pub mod decays;
pub mod descriptors;
#[cfg(feature = "pictures")]
pub mod pictures;
pub mod recorded;
pub mod spectra;

use std::io::Write as _;

/// Says that something is not tried here, as a program or file is missing. With `TOCCO_REQUIRE_ALL=1` the test fails instead:
/// where everything is to be tried, nothing may be left out unseen.
pub fn skip(untried: &str, missing: &str) {
    let required = std::env::var_os("TOCCO_REQUIRE_ALL").is_some_and(|value| value == "1");
    let said = skipped(untried, missing, required);
    // Not `eprintln`, which the test runner keeps to itself when a test passes.
    let _ = writeln!(std::io::stderr(), "{said}");
}

fn skipped(untried: &str, missing: &str, required: bool) -> String {
    assert!(!required, "{untried}: not tried, as {missing} is missing, and TOCCO_REQUIRE_ALL=1 asks for everything");
    format!("SKIPPED: {untried}, as {missing} is missing")
}

/// A scene: a bar of these modes, and a hammer that strikes it at 10 ms with 1 m/s. `head` are lines that go before.
#[macro_export]
macro_rules! struck_bar {
    ($head:literal, $modes:literal) => {
        concat!(
            $head,
            "[body.hammer]\ntype = \"mass\"\n[body.bar]\ntype = \"modal\"\nmodes = [",
            $modes,
            "]\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\n",
            "[[event]]\nat_s = 0.01\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[tap]]\nof = \"bar\"\n",
        )
    };
}

/// A scene: so many masses that press on one bar from the start, one island.
pub fn crowd(count: usize) -> String {
    let mut text = String::from("[body.bar]\ntype = \"modal\"\nmodes = [");
    for mode in 0..60 {
        text += &format!("{{ freq_hz = {}.0, decay_s = 0.5, mass_kg = 0.05 }}, ", 200 + 150 * mode);
    }
    text += "]\n[[tap]]\nof = \"bar\"\n";
    for mass in 0..count {
        text += &format!(
            "[body.m{mass}]\ntype = \"mass\"\nmass_kg = 0.01\nposition_m = 0.0\nvelocity_m_s = 1.0\n\
             [contact.c{mass}]\ntype = \"impact\"\nbetween = [\"m{mass}\", \"bar\"]\nstiffness = 1e9\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::skipped;

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!(skipped("FLAC", "the program 'flac'", false), "SKIPPED: FLAC, as the program 'flac' is missing");
    }

    #[test]
    #[should_panic(expected = "as the program 'flac' is missing")]
    fn where_everything_is_asked_for_a_skipped_test_fails() {
        skipped("FLAC", "the program 'flac'", true);
    }
}
