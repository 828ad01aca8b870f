// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses that mean the same in every scene: what each takes, and what is said back.

use tocco::gesture::OSC_METHODS;

/// Addresses that are neither paths of the scene nor gestures.
const OWN_METHODS: [(&str, &str); 8] = [
    ("tocco/describe", "nothing, or a pattern (s)"),
    ("tocco/ping", "up to 8 numbers or texts"),
    ("tocco/who", "the number that /tocco/who asked back (h)"),
    ("tocco/subscribe", "times a second, if at all (f), then names of signals (s...)"),
    ("tocco/unsubscribe", "nothing"),
    ("tocco/scene/load", "the name of a scene (s)"),
    ("tocco/scene/edit", "the name of a scene (s)"),
    ("tocco/scene/save", "the name of a scene (s)"),
];

/// Addresses that are not paths of the scene, and what each takes.
pub fn methods() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    OSC_METHODS.into_iter().chain(OWN_METHODS)
}

/// What a method takes; `None`: there is no such method.
pub fn takes(address: &str) -> Option<&'static str> {
    methods().find(|(method, _)| *method == address).map(|(_, takes)| takes)
}

/// Addresses of answers. If one comes in, it is not answered: two servers would talk for ever.
pub const ANSWERS: [&str; 14] = [
    "tocco/error",
    "tocco/clamped",
    "tocco/pong",
    "tocco/levels",
    "tocco/probe",
    "tocco/subscribed",
    "tocco/unsubscribed",
    "tocco/describe/path",
    "tocco/describe/method",
    "tocco/describe/end",
    "tocco/scene/loaded",
    "tocco/scene/edited",
    "tocco/scene/saved",
    "tocco/hushed",
];
