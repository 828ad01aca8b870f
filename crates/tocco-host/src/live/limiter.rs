// SPDX-License-Identifier: MIT OR Apache-2.0
//! The limiter between the engine and the ear: it lives beside the engine, since the page has the same one.

pub use tocco::limiter::{CEILING_DBTP, Limiter};

#[cfg(test)]
mod tests {
    use super::*;
    use realfft::RealFftPlanner;
    use tocco::rng::Rng;

    const RATE_HZ: f64 = 48_000.0;

    /// Largest magnitude of the band-limited signal, by sixteen-fold interpolation over the whole (by its spectrum).
    fn true_peak(signal: &[f32]) -> f64 {
        let n = signal.len();
        let mut planner = RealFftPlanner::<f64>::new();
        let (forth, back) = (planner.plan_fft_forward(n), planner.plan_fft_inverse(16 * n));
        let (mut time, mut narrow, mut wide) = (forth.make_input_vec(), forth.make_output_vec(), back.make_input_vec());
        time.iter_mut().zip(signal).for_each(|(t, s)| *t = f64::from(*s));
        forth.process(&mut time, &mut narrow).unwrap();
        // The bin at half the rate belongs half to either side.
        wide[..n / 2].copy_from_slice(&narrow[..n / 2]);
        let mut fine = back.make_output_vec();
        back.process(&mut wide, &mut fine).unwrap();
        fine.iter().fold(0.0, |most: f64, x| most.max(x.abs())) / n as f64
    }

    fn limited(signal: &[f32], channels: usize) -> (Vec<f32>, Limiter) {
        let mut limiter = Limiter::new(channels, RATE_HZ, CEILING_DBTP);
        let mut out = signal.to_vec();
        for block in out.chunks_mut(64 * channels) {
            limiter.limit(block);
        }
        (out, limiter)
    }

    #[test]
    fn below_the_ceiling_every_bit_passes_delayed() {
        let mut rng = Rng::new(1, "quiet");
        let quiet: Vec<f32> = (0..9_600).map(|_| rng.between(-0.3, 0.3) as f32).collect();
        let (out, limiter) = limited(&quiet, 2);
        let delay = 2 * limiter.latency();
        assert!(out[..delay].iter().all(|x| *x == 0.0));
        assert!(out[delay..].iter().zip(&quiet).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(limiter.latency() as f64 / RATE_HZ < 0.002);
    }

    #[test]
    fn after_a_peak_every_bit_passes_again() {
        let mut signal = vec![0.25_f32; 96_000];
        signal[1_000] = 4.0;
        let (out, limiter) = limited(&signal, 1);
        assert!(out.iter().all(|x| x.abs() <= 0.892), "nothing passes the ceiling");
        assert!(out[1_000 + limiter.latency()] < 0.892 && out[80_000..].iter().all(|x| *x == 0.25));
    }

    #[test]
    fn peaks_between_the_samples_are_caught() {
        // A sine at a quarter of the rate, 45 degrees off: its samples are 3 dB below its peaks.
        let (mut worst_in, mut worst_out) = (0.0_f64, 0.0_f64);
        let mut rng = Rng::new(2, "loud");
        for case in 0..24 {
            let freq_hz = if case == 0 { 12_000.0 } else { rng.between_log(50.0, 14_000.0) };
            let level = if case == 0 { 1.4 } else { rng.between_log(0.5, 30.0) };
            let (attack, decay) = (2_000.0, rng.between_log(300.0, 8_000.0));
            let signal: Vec<f32> = (0..16_384)
                .map(|i| {
                    let t = f64::from(i);
                    let phase = std::f64::consts::TAU * freq_hz * t / RATE_HZ + std::f64::consts::FRAC_PI_4;
                    let swell = if t < attack { 0.0 } else { (-(t - attack) / decay).exp() };
                    (level * swell * phase.sin()) as f32
                })
                .collect();
            let (out, _) = limited(&signal, 1);
            let samples = out.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert!(f64::from(samples) <= tocco::units::gain(CEILING_DBTP) * 1.000_001, "{freq_hz} Hz: {samples}");
            (worst_in, worst_out) = (worst_in.max(true_peak(&signal)), worst_out.max(true_peak(&out)));
        }
        // The annex allows its interpolator 0.55 dB below the truth at 0.45 of the rate; sudden onsets add a little.
        assert!(
            worst_in > 10.0 && 20.0 * worst_out.log10() < CEILING_DBTP + 0.6,
            "{:.2} dBTP",
            20.0 * worst_out.log10()
        );
    }

    #[test]
    fn a_louder_channel_turns_the_other_down_alike() {
        let signal: Vec<f32> = (0..9_600).flat_map(|i| [2.0 * (f64::from(i) * 0.05).sin() as f32, 0.1]).collect();
        let (out, limiter) = limited(&signal, 2);
        let late = 2 * limiter.latency() + 2_000;
        for (frame, before) in out[late..].chunks(2).zip(signal[2_000..].chunks(2)) {
            let gain = frame[1] / 0.1;
            assert!(gain < 0.5 && (frame[0] - gain * before[0]).abs() < 1e-6);
        }
    }

    #[test]
    fn what_is_enormous_or_no_number_does_not_break_it() {
        let (out, _) = limited(&[0.0, 1e30, -1e30, f32::MAX, 0.5, 0.0], 1);
        assert!(out.iter().all(|x| x.is_finite()));
    }
}
