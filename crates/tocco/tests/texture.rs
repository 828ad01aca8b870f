// SPDX-License-Identifier: MIT OR Apache-2.0
//! Surfaces and fractal noise against their law. Statistics use fixed seeds and bounds of five standard errors: by
//! chance one such bound fails in 1.7 million.

use std::f64::consts::TAU;
use tocco::param::Tunable;
use tocco::rng::Rng;
use tocco::scene::kinds::texture::TEXTURE;
use tocco::texture::fractal::Fractal;
use tocco::texture::{MAX_DRAWS, MEMORY, SEAM, Surface, Texture, TextureParams};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};
use tocco_testing::spectra::periodogram;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RATES_HZ: [f64; 3] = [44_100.0, 48_000.0, 96_000.0];
const FIRST_HZ: f64 = 2.0;

fn noise(beta: f64, poles_per_decade: u32, rate_hz: f64, seed: u64) -> Fractal {
    Fractal::new(beta, poles_per_decade, FIRST_HZ, rate_hz, Rng::new(seed, "noise"))
}

fn surface(beta: f64, seed: u64) -> Surface {
    Surface::new(TextureParams { beta }, 1e-5, 0.01, 2, Rng::new(seed, "surface"))
}

/// Exponent fitted to a power spectrum from 20 Hz to 20 kHz, and the deviation from the asked one, rms and largest, dB.
fn fit(beta: f64, power: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let points = 400;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..points {
        let f = 20.0 * 1000f64.powf(f64::from(i) / f64::from(points - 1));
        x.push(10.0 * f.log10());
        y.push(10.0 * power(f).log10());
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let slope = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
        / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>();
    let off: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - my + beta * (x - mx)).collect();
    let rms = mean(&off.iter().map(|d| d * d).collect::<Vec<_>>()).sqrt();
    (-slope, rms, off.iter().fold(0.0, |m, d| d.abs().max(m)))
}

/// Integral of a density over 0..1/2 on a logarithmic grid, with what lies below it taken as constant.
fn integrate(f: impl Fn(f64) -> f64) -> f64 {
    let (low, n) = (1e-9f64, 40_000);
    let step = (0.5 / low).ln() / f64::from(n);
    let at = |i: i32| low * (step * f64::from(i)).exp();
    let simpson: f64 = (0..=n)
        .map(|i| {
            let w = if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            w * at(i) * f(at(i))
        })
        .sum();
    simpson * step / 3.0 + low * f(low)
}

#[test]
fn the_slope_is_beta_from_20_hz_to_20_khz_for_every_beta() {
    for rate_hz in RATES_HZ {
        let mut worst = [0.0f64; 3];
        for tenths in 0..=40 {
            let beta = 0.05 * f64::from(tenths);
            let noise = noise(beta, 2, rate_hz, 1);
            let (slope, rms, max) = fit(beta, |f| noise.power(f / rate_hz));
            for (w, d) in worst.iter_mut().zip([(slope - beta).abs(), rms, max]) {
                *w = w.max(d);
            }
        }
        println!("{rate_hz} Hz: slope error {:.4}, rms {:.4} dB, max {:.3} dB", worst[0], worst[1], worst[2]);
        // Asked for: 0.0025 and 0.08 dB.
        assert!(worst[0] < 0.0014 && worst[1] < 0.023 && worst[2] < 0.16, "{rate_hz}: {worst:?}");
    }
}

#[test]
fn one_or_six_poles_per_decade_keep_the_slope_as_well() {
    for (h, slope_error, rms_db) in [(1, 0.0044, 0.19), (3, 0.0025, 0.03), (6, 0.0025, 0.03)] {
        for rate_hz in RATES_HZ {
            for beta in [0.5, 1.0, 1.5, 1.81, 2.0] {
                let noise = noise(beta, h, rate_hz, 1);
                let (slope, rms, _) = fit(beta, |f| noise.power(f / rate_hz));
                assert!((slope - beta).abs() < slope_error && rms < rms_db, "{h} {rate_hz} {beta}: {slope} {rms}");
            }
        }
    }
}

#[test]
fn the_sign_printed_in_the_papers_mirrors_the_spectrum_and_loses_the_slope() {
    // C31 at 44.1 kHz with the first pole at 20 Hz, as in physics.md G: 1 + a/z instead of 1 - a/z.
    for (beta, expected) in [(0.5, -0.0359), (1.0, -0.0716), (1.5, -0.1078), (1.81, -0.1303), (2.0, -0.1441)] {
        let noise = Fractal::new(beta, 2, 20.0, 44_100.0, Rng::new(1, "printed"));
        let power = |f: f64, sign: f64| {
            let distance = |root: f64| 1.0 + root * root - 2.0 * sign * root * (TAU * f / 44_100.0).cos();
            let last = noise.poles().len() - 1;
            let pairs = noise.zeros().iter().zip(noise.poles()).take(last);
            pairs.fold(1.0, |p, (&b, &a)| p * distance(b) / distance(a))
        };
        let (printed, _, _) = fit(beta, |f| power(f, -1.0));
        // The last digits depend on the grid of the fit.
        assert!((printed - expected).abs() < 4e-3, "{beta}: {printed}");
        let (corrected, _, _) = fit(beta, |f| power(f, 1.0));
        assert!((corrected - beta).abs() < 0.09, "{beta}: {corrected}");
    }
}

#[test]
fn brownian_noise_is_one_leaky_integrator() {
    let noise = noise(2.0, 2, 48_000.0, 1);
    let n = noise.poles().len();
    for i in 0..n - 2 {
        assert_eq!(noise.zeros()[i], noise.poles()[i + 1]);
    }
    let leak = (-TAU * FIRST_HZ / 48_000.0).exp();
    assert!((noise.poles()[0] - leak).abs() < 1e-15);
}

#[test]
fn white_noise_passes_untouched() {
    let mut noise = Fractal::new(0.0, 2, FIRST_HZ, 48_000.0, Rng::new(3, "white"));
    for f in [1e-6, 1e-3, 0.1, 0.5] {
        assert!((noise.power(f) - 1.0).abs() < 1e-12);
    }
    let mut rng = Rng::new(3, "white");
    // The stationary start takes one normal number per pole first.
    for _ in 0..noise.poles().len() {
        rng.normal();
    }
    for _ in 0..10_000 {
        assert!((noise.draw() - rng.normal()).abs() < 1e-12);
    }
}

#[test]
fn the_analytic_variance_is_the_integral_of_the_spectrum() {
    for (beta, h, first) in
        [(0.3, 2, 2.0), (1.0, 2, 2.0), (1.81, 6, 2.0), (2.0, 1, 2.0), (1.5, 3, 0.01), (1.2, 6, 400.0)]
    {
        let noise = Fractal::new(beta, h, first, 48_000.0, Rng::new(1, "variance"));
        let variance = 2.0 * integrate(|f| noise.power(f));
        assert!((variance - 1.0).abs() < 1e-6, "{beta} {h} {first}: {variance}");
    }
}

#[test]
fn the_first_samples_have_the_stationary_covariance() {
    // 20 000 sources, odd and even numbers of pairs; covariance at lags 0, 1 and 300 from the very first sample.
    let sources = 20_000;
    for (beta, h) in [(0.5, 2), (1.0, 1), (1.5, 2), (2.0, 3)] {
        let mut sums = [0.0; 3];
        for seed in 0..sources {
            let mut noise = Fractal::new(beta, h, 40.0, 48_000.0, Rng::new(seed, "start"));
            let first = noise.draw();
            let mut value = first;
            sums[0] += first * first;
            for lag in 1..=300 {
                value = noise.draw();
                if lag == 1 {
                    sums[1] += first * value;
                }
            }
            sums[2] += first * value;
        }
        let noise = Fractal::new(beta, h, 40.0, 48_000.0, Rng::new(0, "start"));
        for (sum, lag) in sums.iter().zip([0.0, 1.0, 300.0]) {
            let expected = 2.0 * integrate(|f| noise.power(f) * (TAU * f * lag).cos());
            let error = ((1.0 + expected * expected) / sources as f64).sqrt();
            let got = sum / sources as f64;
            assert!((got - expected).abs() < 5.0 * error, "{beta} {h} lag {lag}: {got} for {expected} +- {error}");
        }
    }
}

#[test]
fn the_periodogram_of_the_noise_has_the_slope_and_the_unit_variance() {
    let (n, segments, rate_hz) = (16_384, 200, 48_000.0);
    for beta in [0.0, 1.0, 1.81, 2.0] {
        let mut noise = noise(beta, 2, rate_hz, 11);
        let (mut mean_square, total) = (0.0, (n * segments) as f64);
        let density = periodogram(n, segments, || {
            let x = noise.draw();
            mean_square += x * x / total;
            x
        });
        // Bands of a third of an octave. The Hann window leaves every bin 1/1.94 of an independent one.
        let (mut bands, mut low) = (Vec::new(), 20.0 * n as f64 / rate_hz);
        while low * rate_hz / (n as f64) < 17_000.0 {
            let bins = low.ceil() as usize..(low * 1.26).ceil() as usize;
            let count = bins.len() as f64;
            let measured = bins.clone().map(|k| density[k]).sum::<f64>() / count;
            let expected = bins.clone().map(|k| noise.power(k as f64 / n as f64)).sum::<f64>() / count;
            // What the window smears at the curvature of f^-beta: f'' times half its second moment, 1/3 bin^2.
            let smear = 1.0 + beta * (beta + 1.0) / (6.0 * low * low);
            let error = (1.94 / (count * segments as f64)).sqrt();
            let ratio = measured / expected / smear;
            assert!((ratio - 1.0).abs() < 5.0 * error + 0.01, "beta {beta}, bin {low}: {ratio} +- {error}");
            let centre = bins.map(|k| (k as f64).ln()).sum::<f64>() / count;
            bands.push((centre, (measured / smear).ln(), 1.0 / (error * error)));
            low *= 1.26;
        }
        let sum = |f: &dyn Fn(&(f64, f64, f64)) -> f64| bands.iter().map(f).sum::<f64>();
        let weight = sum(&|b| b.2);
        let (mx, my) = (sum(&|b| b.2 * b.0) / weight, sum(&|b| b.2 * b.1) / weight);
        let spread = sum(&|b| b.2 * (b.0 - mx).powi(2));
        let slope = -sum(&|b| b.2 * (b.0 - mx) * (b.1 - my)) / spread;
        let error = 1.0 / spread.sqrt();
        println!("beta {beta}: measured {slope:.4} +- {error:.4}, variance {mean_square:.3}");
        assert!((slope - beta).abs() < 5.0 * error + 0.0025, "{beta}: {slope} +- {error}");
        // Standard error of the mean square: 2 sum R^2 / N = 2 integral S^2 / N.
        let error = (4.0 * integrate(|f| noise.power(f).powi(2)) / total).sqrt();
        assert!((mean_square - 1.0).abs() < 5.0 * error, "{beta}: variance {mean_square} +- {error}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_another_surface() {
    let draw = |seed| {
        let mut noise = noise(1.3, 2, 48_000.0, seed);
        let mut surface = surface(1.3, seed);
        (0..1000).map(|i| (noise.draw().to_bits(), surface.height(3.3e-6 * f64::from(i)).to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(draw(5), draw(5));
    assert!(draw(5).iter().zip(draw(6)).all(|(a, b)| a.0 != b.0 && a.1 != b.1));
}

#[test]
fn following_the_noise_recovers_the_white_noise_it_was_made_of() {
    let (mut source, mut rng) = (noise(1.4, 2, 48_000.0, 2), Rng::new(2, "noise"));
    for _ in 0..source.poles().len() {
        rng.normal();
    }
    let (mut same, mut other) = (noise(1.4, 2, 48_000.0, 2), noise(1.4, 2, 48_000.0, 3));
    for i in 0..40_000 {
        let (sample, white) = (source.draw(), rng.normal());
        assert!((same.follow(sample) - white).abs() < 1e-9);
        // From another past it takes the time of the slowest zero, 4.5 Hz: 1700 samples to 1/e.
        let error = (other.follow(sample) - white).abs();
        assert!(i < 20_000 || error < 1e-4, "{i}: {error}");
    }
}

#[test]
fn the_biquads_of_the_papers_give_the_same_noise() {
    for (beta, h) in [(0.5, 2), (1.81, 2), (1.81, 6), (2.0, 1), (1.0, 3)] {
        let mut noise = noise(beta, h, 44_100.0, 2);
        let biquads: Vec<_> = noise.biquads().collect();
        assert_eq!(biquads.len(), noise.poles().len().div_ceil(2));
        let odd = noise.poles().len() % 2 == 1;
        assert_eq!(biquads.last().map(|q| q.a[1] == 0.0 && q.b[1] == 0.0), Some(odd));
        // From silence: the stationary start is forgotten at the slowest pole, 2 Hz, 3500 samples to 1/e.
        let mut rng = Rng::new(2, "noise");
        for _ in 0..noise.poles().len() {
            rng.normal();
        }
        let mut states = vec![[0.0; 2]; biquads.len()];
        for i in 0..150_000 {
            let mut value = rng.normal();
            for (q, [v1, v2]) in biquads.iter().zip(&mut states) {
                let v = value - q.a[0] * *v1 - q.a[1] * *v2;
                value = v + q.b[0] * *v1 + q.b[1] * *v2;
                (*v2, *v1) = (*v1, v);
            }
            let error = (noise.draw() - noise.gain() * value).abs();
            assert!(i < 100_000 || error < 1e-8, "{beta} {h} {i}: {error}");
        }
    }
}

#[test]
fn a_sudden_turn_from_brownian_to_white_is_white_at_once() {
    let mut noise = Fractal::new(2.0, 2, 0.01, 48_000.0, Rng::new(9, "turn"));
    for _ in 0..1000 {
        noise.draw();
    }
    noise.set_beta(0.0);
    let n = 10_000;
    let mean = (0..n).map(|_| noise.draw()).sum::<f64>() / f64::from(n);
    assert!(mean.abs() < 5.0 / f64::from(n).sqrt(), "{mean}");
}

#[test]
fn a_moving_beta_neither_clicks_nor_drifts() {
    let mut noise = noise(0.0, 2, 48_000.0, 9);
    let (mut sum, n) = (0.0, 480_000);
    for i in 0..n {
        if i % 32 == 0 {
            noise.set_beta(1.0 - (TAU * f64::from(i) / 48_000.0).cos());
        }
        let x = noise.draw();
        assert!(x.abs() < 6.0, "{i}: {x}");
        sum += x * x / f64::from(n);
    }
    assert!(sum > 0.5 && sum < 2.0, "{sum}");
}

#[test]
fn any_parameters_give_finite_noise_of_size_one() {
    let mut rng = Rng::new(4, "ranges");
    for seed in 0..2000 {
        let h = 1 + (rng.bits() % 6) as u32;
        let first = rng.between_log(1e-9, 1.0);
        let mut noise = Fractal::new(rng.between(-0.5, 2.5), h, first, 1.0, Rng::new(seed, "any"));
        for i in 0..50 {
            if i == 25 {
                noise.set_beta(rng.between(0.0, 2.0));
            }
            let x = noise.draw();
            assert!(x.abs() < 8.0, "{h} {first}: {x}");
        }
        let (a, b) = (noise.poles(), noise.zeros());
        assert!(a.iter().chain(b).all(|root| root.abs() < 1.0));
        assert!((0..200).all(|k| noise.power(f64::from(k) / 400.0).is_finite()));
    }
    assert!(noise_of(f64::NAN).is_finite());
}

fn noise_of(beta: f64) -> f64 {
    noise(beta, 2, 48_000.0, 1).draw()
}

#[test]
fn a_contact_at_rest_meets_one_height() {
    let mut surface = surface(1.5, 3);
    let height = surface.height(0.123_456_7);
    for _ in 0..1000 {
        assert_eq!(surface.height(0.123_456_7).to_bits(), height.to_bits());
    }
    assert_eq!(surface.height(f64::NAN).to_bits(), height.to_bits());
    assert_eq!(surface.height(f64::INFINITY).to_bits(), height.to_bits());
}

#[test]
fn back_and_forth_over_the_same_place_meets_the_same_heights() {
    // 40 mm, just inside the memory of 4096 grains of 10 um, in steps of 0.37 grain, starting backwards.
    let places: Vec<f64> = (0..10_800).map(|i| 0.02 - 3.7e-6 * f64::from(i)).collect();
    let mut surface = surface(1.5, 3);
    let once: Vec<u64> = places.iter().map(|&u| surface.height(u).to_bits()).collect();
    for _ in 0..2 {
        for (&u, bits) in places.iter().zip(&once).rev() {
            assert_eq!(surface.height(u).to_bits(), *bits, "{u}");
        }
        for (&u, bits) in places.iter().zip(&once) {
            assert_eq!(surface.height(u).to_bits(), *bits, "{u}");
        }
    }
}

#[test]
fn beyond_its_memory_the_surface_is_new_and_goes_on_without_a_seam() {
    // Steps across the seam against steps elsewhere: structure functions at lags of 1, 16 and 128 grains, 2000
    // surfaces, far from the start (the stretch behind is forgotten) and at once (only a few heights are known).
    for beta in [0.5, 1.0, 1.5, 2.0] {
        for outward in [4, 3 * MEMORY as i64] {
            let lags = [1i64, 16, 128];
            let (mut sums, mut square, count) = ([0.0; 3], 0.0, 2000);
            for seed in 0..count {
                let mut surface = surface(beta, seed);
                let mut at = |i: i64| surface.height(1e-5 * (i as f64 + 1e-9));
                (0..outward).for_each(|i| {
                    at(i);
                });
                // The lowest grain that is known, and turning back across it.
                let low = (outward + 2 - MEMORY as i64).max(-1);
                let heights: Vec<f64> = (low - 128..low + 128).rev().map(&mut at).collect();
                let height = |i: i64| heights[(low + 127 - i) as usize];
                for (sum, lag) in sums.iter_mut().zip(lags) {
                    *sum += (height(low - (lag + 1) / 2) - height(low + lag / 2)).powi(2) / count as f64;
                }
                square += height(low - 128).powi(2) / count as f64;
            }
            let noise = surface(beta, 0);
            for (sum, lag) in sums.iter().zip(lags) {
                let expected = 4.0 * integrate(|f| noise.noise().power(f) * (1.0 - (TAU * f * lag as f64).cos()));
                let error = expected * (2.0 / count as f64).sqrt();
                println!("beta {beta}, {outward}: lag {lag}: {:.3} of the law's", sum / expected);
                assert!(
                    (sum - expected).abs() < 5.0 * error + 0.1 * expected,
                    "{beta} {outward} {lag}: {sum} for {expected}"
                );
            }
            assert!((square - 1.0).abs() < 5.0 * (2.0 / count as f64).sqrt() + 0.05, "{beta} {outward}: {square}");
        }
    }
    const { assert!(SEAM < MEMORY && MAX_DRAWS < MEMORY as i64) };
    let mut long = surface(1.5, 3);
    let before: Vec<f64> = (0..100).map(|i| long.height(1e-5 * f64::from(i))).collect();
    (0..5000).for_each(|i| {
        long.height(1e-5 * f64::from(i));
    });
    let after: Vec<f64> = (0..100).rev().map(|i| long.height(1e-5 * f64::from(i))).collect();
    assert!(before.iter().zip(after.iter().rev()).all(|(a, b)| a != b));
}

#[test]
fn twice_the_speed_is_an_octave_higher() {
    // Reading every second place is reading twice as fast: S_2v(f) = S_v(f/2)/2. [texture.2]
    let (n, segments) = (4096, 400);
    let read = |grains_per_sample: f64| {
        let (mut surface, mut i) = (surface(1.5, 8), 0.0);
        periodogram(n, segments, || {
            i += 1.0;
            surface.height(1e-5 * grains_per_sample * i)
        })
    };
    let (slow, fast) = (read(0.25), read(0.5));
    let mut k = 8;
    while k <= 256 {
        let ratio = slow[k..2 * k].iter().sum::<f64>() / fast[2 * k..4 * k].iter().sum::<f64>();
        // k and 2k bins of 400 segments each, 1.94 for the window, both random; the first bins smear by 1 %.
        let error = (1.94 / segments as f64 * (1.0 / k as f64 + 0.5 / k as f64)).sqrt();
        assert!((ratio - 1.0).abs() < 5.0 * error + 0.02, "{k}: {ratio} +- {error}");
        k *= 2;
    }
    let (mut one, mut two) = (surface(1.5, 8), surface(1.5, 8));
    for i in 0..2000 {
        let slow = one.height(2e-6 * f64::from(i));
        if i % 2 == 0 {
            assert_eq!(two.height(2e-6 * f64::from(i)).to_bits(), slow.to_bits());
        }
    }
}

#[test]
fn the_cubic_between_the_grains_keeps_the_variance_stated() {
    for (beta, stated) in [(0.0, 0.814), (1.0, 0.965), (2.0, 0.9995)] {
        let mut surface = surface(beta, 8);
        let (mut sum, n) = (0.0, 2_000_000);
        for i in 0..n {
            let x = surface.height(1e-5 * 0.618_033_988_75 * f64::from(i));
            sum += x * x / f64::from(n);
        }
        println!("beta {beta}: {sum:.3}");
        let error = (4.0 * integrate(|f| surface.noise().power(f).powi(2)) / (0.618 * f64::from(n))).sqrt();
        assert!((sum - stated).abs() < 5.0 * error + 0.001, "{beta}: {sum}");
    }
}

#[test]
fn a_leap_costs_no_more_than_a_fast_slide_and_leaves_a_surface() {
    let mut surface = surface(1.5, 8);
    let mut u = 0.0;
    for i in 0..2000 {
        u = if i % 2 == 0 { 1e9 } else { -1e9 } * f64::from(i);
        let height = surface.height(u);
        assert!(height.abs() < 8.0);
        assert_eq!(surface.height(u).to_bits(), height.to_bits());
    }
    let rough =
        (0..100).map(|i| surface.height(1e-5 * f64::from(i)).to_bits()).collect::<std::collections::HashSet<_>>();
    assert!(u.is_finite() && rough.len() > 90);
}

#[test]
fn the_declared_texture_tunes_its_beta() {
    let mut surface = surface(1.5, 8);
    assert_eq!(surface.specs(), TEXTURE.params);
    surface.set(0, 0.5);
    assert_eq!((surface.get(0), surface.noise().beta()), (0.5, 0.5));
}

#[test]
fn a_surface_once_built_allocates_nothing() {
    let mut surface = surface(1.5, 8);
    watched(|| {
        for i in 0..100_000 {
            let turn = TAU * f64::from(i) / 30_000.0;
            surface.height(0.2 * turn.sin());
            if i % 32 == 0 {
                surface.set(0, 1.0 + turn.cos());
            }
        }
    });
    assert_eq!(count(), 0);
    assert_awake();
}
