// SPDX-License-Identifier: MIT OR Apache-2.0
//! Poles of a sum of decaying exponentials by the rotation of its signal subspace (ESPRIT).
//!
//! **What.** Windows of `M` successive samples of a sum of P exponentials lie in a P-dimensional subspace. Moving the
//! window by one sample multiplies each exponential by its pole, and so maps the subspace onto itself by a matrix whose
//! eigenvalues are the poles, whatever the weights. Several signals with the same poles share the subspace.
//!
//! **Law.** With U the leading eigenvectors of the summed covariance of the windows, `U1` without its last and `U2`
//! without its first row: `U1 Psi = U2` in least squares; as U is orthonormal, `U1^H U1 = I - r^H r` with r the last row,
//! whose inverse is a rank-one correction.
//!
//! **Order.** An eigenvalue counts as signal if it stands clear of the plateau that noise makes. Too many are taken
//! rather than too few: a pole that noise made has a weight no larger than its own uncertainty and is dropped for that.
//!
//! **Sources.** Roy, Kailath, *ESPRIT*, IEEE Trans. ASSP 37 (1989); Hua, Sarkar, *Matrix pencil method*, ibid. 38 (1990).

use nalgebra::{Complex, DMatrix, DVector, SymmetricEigen};

/// Most samples of a window: the resolution, and the cube of the work.
pub const MOST_WINDOW: usize = 84;
/// Share of the eigenvalues that may be signal; the noise level is read behind them, where the filter still passes.
const SIGNAL_SHARE: f64 = 0.4;
/// Eigenvalues must exceed the noise plateau so many times.
const CLEAR: f64 = 2.0;
/// Rounding noise of the covariance, relative to its largest eigenvalue.
const ROUNDING: f64 = 1e-13;

/// Poles found in one band.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Poles, per decimated sample.
    pub poles: Vec<Complex<f64>>,
    /// Power of the noise in the band.
    pub noise: f64,
}

/// Poles that the signals share; `weights` multiply their powers.
pub fn poles(signals: &[Vec<Complex<f64>>], weights: &[f64]) -> Found {
    let shortest = signals.iter().map(Vec::len).min().unwrap_or(0);
    let window = (shortest / 2).min(MOST_WINDOW);
    if window < 6 {
        return Found::default();
    }
    let mut covariance = DMatrix::<Complex<f64>>::zeros(window, window);
    let mut columns = 0.0;
    for (signal, weight) in signals.iter().zip(weights) {
        add_covariance(&mut covariance, signal, *weight);
        columns += weight * (signal.len() + 1 - window) as f64;
    }
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..window).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let value = |i: usize| eigen.eigenvalues[order[i]].max(0.0);
    let most = (SIGNAL_SHARE * window as f64) as usize;
    let plateau = value(most).max(ROUNDING * value(0));
    let spread = {
        let aspect = (window as f64 / (shortest + 1 - window) as f64).min(1.0).sqrt();
        (1.0 + aspect) * (1.0 + aspect)
    };
    let count = (0..most).take_while(|&i| value(i) > CLEAR * spread * plateau).count();
    let noise = plateau / columns;
    if count == 0 {
        return Found { poles: Vec::new(), noise };
    }
    let vectors: Vec<DVector<Complex<f64>>> =
        order[..count].iter().map(|&i| eigen.eigenvectors.column(i).into_owned()).collect();
    Found { poles: rotation(&vectors), noise }
}

/// Eigenvalues of the matrix that shifts the subspace by one sample.
fn rotation(vectors: &[DVector<Complex<f64>>]) -> Vec<Complex<f64>> {
    let (count, last) = (vectors.len(), vectors[0].len() - 1);
    let row: Vec<Complex<f64>> = vectors.iter().map(|v| v[last]).collect();
    let free = 1.0 - row.iter().map(|r| r.norm_sqr()).sum::<f64>();
    if free < 1e-9 {
        return Vec::new();
    }
    let cross = |a: usize, b: usize| -> Complex<f64> {
        (0..last).map(|n| vectors[a][n].conj() * vectors[b][n + 1]).fold(Complex::<f64>::default(), |s, x| s + x)
    };
    let mut psi = DMatrix::from_fn(count, count, cross);
    for column in 0..count {
        let along = (0..count).map(|i| row[i] * psi[(i, column)]).fold(Complex::<f64>::default(), |s, x| s + x) / free;
        for i in 0..count {
            psi[(i, column)] += row[i].conj() * along;
        }
    }
    // The iteration is bounded; a matrix that does not yield its eigenvalues yields no poles.
    let schur = nalgebra::Schur::try_new(psi, 1e-14, 100 * count.max(10));
    schur.map_or(Vec::new(), |schur| schur.unpack().1.diagonal().iter().copied().collect())
}

/// Adds the covariance of all windows of a signal: the first row by sums, the others by sliding.
fn add_covariance(into: &mut DMatrix<Complex<f64>>, signal: &[Complex<f64>], weight: f64) {
    let window = into.nrows();
    let columns = signal.len() + 1 - window;
    let mut covariance = DMatrix::<Complex<f64>>::zeros(window, window);
    for j in 0..window {
        covariance[(0, j)] =
            (0..columns).map(|n| signal[n] * signal[n + j].conj()).fold(Complex::<f64>::default(), |s, x| s + x);
    }
    for i in 1..window {
        for j in i..window {
            let (out, new) = ((i - 1, j - 1), (i - 1 + columns, j - 1 + columns));
            covariance[(i, j)] =
                covariance[out] - signal[out.0] * signal[out.1].conj() + signal[new.0] * signal[new.1].conj();
        }
    }
    for i in 0..window {
        for j in i..window {
            let value = covariance[(i, j)] * weight;
            into[(i, j)] += value;
            if i != j {
                into[(j, i)] += value.conj();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::math::{cos, exp, sin};
    use tocco::rng::Rng;

    fn signal(poles: &[(f64, f64)], weights: &[f64], noise: f64, seed: u64) -> Vec<Complex<f64>> {
        let mut rng = Rng::new(seed, "noise");
        let sample = |n: usize| {
            let tone = |(&(sigma, turn), &w): (&(f64, f64), &f64)| {
                Complex::new(cos(turn * n as f64), sin(turn * n as f64)) * (w * exp(-sigma * n as f64))
            };
            poles.iter().zip(weights).map(tone).fold(Complex::<f64>::default(), |s, x| s + x)
        };
        (0..400).map(|n| sample(n) + Complex::new(rng.normal(), rng.normal()) * noise).collect()
    }

    #[test]
    fn poles_of_noiseless_exponentials_are_found_to_nine_digits_and_no_others() {
        let given = [(0.01, 0.3), (0.012, 0.34), (0.03, -0.8), (0.002, 1.1)];
        let found = poles(&[signal(&given, &[1.0, 0.7, 0.2, 0.01], 0.0, 1)], &[1.0]).poles;
        assert_eq!(found.len(), given.len(), "{found:?}");
        for (sigma, turn) in given {
            let pole = Complex::new(cos(turn), sin(turn)) * exp(-sigma);
            assert!(found.iter().any(|z| (z - pole).norm() < 1e-9), "{sigma} {turn}: {found:?}");
        }
    }

    #[test]
    fn a_mode_that_one_strike_misses_is_found_from_the_other() {
        let given = [(0.01, 0.3), (0.02, 0.9)];
        let strikes = [signal(&given, &[1.0, 0.0], 1e-3, 1), signal(&given, &[0.0, 1.0], 1e-3, 2)];
        let found = poles(&strikes, &[1.0, 1.0]).poles;
        for (sigma, turn) in given {
            let pole = Complex::new(cos(turn), sin(turn)) * exp(-sigma);
            assert!(found.iter().any(|z| (z - pole).norm() < 1e-4), "{sigma} {turn}: {found:?}");
        }
    }
}
