// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spectrograms of a recording and of its body, side by side, under one colour scale.

use super::{Analysis, Recording};
use crate::error::Result;
use crate::spectrogram;
use std::path::Path;

/// Longest part drawn, s.
const MOST_S: f64 = 10.0;

impl Analysis {
    /// Draws the first strike beside what the body makes of it, both from the onset on.
    pub fn picture(&self, recordings: &[Recording], png: &Path) -> Result<()> {
        let span = self.strikes[0].span;
        let heard: Vec<f32> = recordings[0].samples[span.onset..span.end]
            .iter()
            .take((MOST_S * self.rate_hz) as usize)
            .map(|x| *x as f32)
            .collect();
        // The body begins where it moves alone; the attack before that is silence.
        let attack = (span.start - span.onset).min(heard.len());
        let mut body = vec![0.0; attack];
        body.extend(self.resynthesis(0, heard.len() - attack)?.into_iter().map(|x| x as f32));
        spectrogram::pair(("recording", &heard), ("body", &body), self.rate_hz, png)
    }
}
