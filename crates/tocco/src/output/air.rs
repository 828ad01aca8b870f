// SPDX-License-Identifier: MIT OR Apache-2.0
//! Air: how fast sound runs through it, and how much of it is lost on the way.
//!
//! **What.** Molecules of oxygen and nitrogen take up energy of vibration and give it back late. High sound loses more than low,
//! and dry air swallows other frequencies than moist air.
//!
//! **Law.** With `t = T/293.15 K` and the molar share of water vapour h in percent, at the pressure of the sea's level:
//! - `[air.1]  h = 100 H 10^(4.6151 - 6.8346 (273.16/T)^1.261)`
//! - `[air.2]  f_O = 24 + 40400 h (0.02 + h)/(0.391 + h)`, `f_N = (9 + 280 h exp(-4.170 (t^(-1/3) - 1)))/sqrt t`
//! - `[air.3]  a = 8.686 f^2 (1.84e-11 sqrt t + t^(-5/2) (0.01275 exp(-2239.1/T)/(f_O + f^2/f_O) + 0.1068 exp(-3352/T)/(f_N + f^2/f_N)))`
//! - `[air.4]  c = 343.2 sqrt t`
//!
//! **Symbols.** T temperature K (`temperature_c` + 273.15); H `humidity_01`; f_O, f_N relaxation frequencies of oxygen and nitrogen Hz; a
//! loss dB/m; c speed of sound m/s.
//!
//! **Sources.** ISO 9613-1:1993, (2) to (5), (A.5), (B.2), (B.3).

use crate::math::{Real, exp, pow};

/// Air by temperature and moisture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// Temperature, degrees Celsius.
    pub temperature_c: Real,
    /// Relative humidity, 0 to 1.
    pub humidity_01: Real,
}

impl Default for Air {
    fn default() -> Self {
        Self { temperature_c: 20.0, humidity_01: 0.5 }
    }
}

impl Air {
    fn kelvin(&self) -> Real {
        self.temperature_c + 273.15
    }

    /// Speed of sound, m/s. `[control]`
    pub fn sound_speed_m_s(&self) -> Real {
        343.2 * (self.kelvin() / 293.15).sqrt() // [air.4]
    }

    /// Loss of a plane wave at a frequency, dB/m. `[control]`
    pub fn loss_db_m(&self, freq_hz: Real) -> Real {
        let kelvin = self.kelvin();
        let t = kelvin / 293.15;
        let h = 100.0 * self.humidity_01 * pow(10.0, 4.6151 - 6.8346 * pow(273.16 / kelvin, 1.261)); // [air.1]
        // [air.2]
        let oxygen_hz = 24.0 + 4.04e4 * h * (0.02 + h) / (0.391 + h);
        let nitrogen_hz = (9.0 + 280.0 * h * exp(-4.170 * (pow(t, -1.0 / 3.0) - 1.0))) / t.sqrt();
        // [air.3]
        let square = freq_hz * freq_hz;
        let oxygen = fault!(AIR_OXYGEN, 0.01275, 0.01) * exp(-2239.1 / kelvin) / (oxygen_hz + square / oxygen_hz);
        let nitrogen = 0.1068 * exp(-3352.0 / kelvin) / (nitrogen_hz + square / nitrogen_hz);
        8.686 * square * (1.84e-11 * t.sqrt() + pow(t, -2.5) * (oxygen + nitrogen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_in_octave_bands_is_that_of_the_table_in_iso_9613_2() {
        // dB/km at 63 Hz to 8 kHz; temperature in C, humidity in percent. Exact midband frequencies; three digits are printed.
        let table = [
            (10.0, 70.0, [0.1, 0.4, 1.0, 1.9, 3.7, 9.7, 32.8, 117.0]),
            (20.0, 70.0, [0.1, 0.3, 1.1, 2.8, 5.0, 9.0, 22.9, 76.6]),
            (30.0, 70.0, [0.1, 0.3, 1.0, 3.1, 7.4, 12.7, 23.1, 59.3]),
            (15.0, 20.0, [0.3, 0.6, 1.2, 2.7, 8.2, 28.2, 88.8, 202.0]),
            (15.0, 50.0, [0.1, 0.5, 1.2, 2.2, 4.2, 10.8, 36.2, 129.0]),
            (15.0, 80.0, [0.1, 0.3, 1.1, 2.4, 4.1, 8.3, 23.7, 82.8]),
        ];
        for (temperature_c, percent, losses) in table {
            let air = Air { temperature_c, humidity_01: percent / 100.0 };
            for (band, loss) in losses.into_iter().enumerate() {
                let freq_hz = 1000.0 * 10f64.powf(0.3 * (band as f64 - 4.0));
                let got = 1000.0 * air.loss_db_m(freq_hz);
                assert!((got - loss).abs() < 0.052_f64.max(6e-3 * loss), "{temperature_c} {percent} {freq_hz}: {got}");
            }
        }
        let cold = Air { temperature_c: 0.0, ..Air::default() };
        assert!((cold.sound_speed_m_s() - 331.3).abs() < 0.1 && Air::default().sound_speed_m_s() == 343.2);
    }
}
