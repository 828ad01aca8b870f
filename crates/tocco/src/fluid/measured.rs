// SPDX-License-Identifier: MIT OR Apache-2.0
//! The front of a broken dam as it was measured: what the tank is held against.

use crate::math::Real;

/// Front of a column of water twice as high as wide that is let go, measured by J. C. Martin, W. J. Moyce, Phil. Trans. R. Soc. A 244
/// (1952), figure 3, n^2 = 2, column 2.25 inches wide: T = t sqrt(2 g/a) and Z = z/a, a its width.
pub const FRONT_WIDE: [(Real, Real); 15] = [
    (0.832, 1.217),
    (1.219, 1.474),
    (1.997, 2.292),
    (2.547, 2.995),
    (3.345, 4.134),
    (4.034, 4.944),
    (4.418, 5.881),
    (5.091, 6.980),
    (5.685, 7.945),
    (6.306, 8.966),
    (6.822, 9.986),
    (7.439, 10.963),
    (8.031, 11.977),
    (8.633, 13.005),
    (9.237, 13.970),
];
/// The same of a column 1.125 inches wide.
pub const FRONT_NARROW: [(Real, Real); 10] = [
    (0.849, 1.245),
    (1.212, 1.443),
    (1.602, 1.884),
    (2.283, 2.689),
    (2.950, 3.728),
    (3.598, 4.528),
    (3.905, 4.999),
    (4.592, 5.841),
    (4.961, 6.271),
    (5.316, 6.717),
];
/// T that the gate took: a column that is freed at once runs ahead of the measured ones by so much.
pub const GATE_TIME: Real = 0.265;
