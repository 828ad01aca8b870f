// SPDX-License-Identifier: MIT OR Apache-2.0
// A microphone that hears the loudspeaker: whether it does, by how much and how much later, and a gate that takes it out again. No browser in here.

import { Spectrum } from "./fft.js";

/** Samples that are taken together before they are compared: 6 kHz of 48. */
export const TOGETHER = 8;
/** How much is compared, and how much later it may come, in such samples: 0.7 s, and 0.34 s. */
const COMPARED = 4096;
const LATEST = 2048;
/** What is played and heard between two comparisons. */
export const WINDOW = COMPARED + LATEST;
/** Quieter than this nothing is compared. */
const QUIET = 1e-4;
/** Likeness from which on it is the loudspeaker, and by how much it must stand above that of all other delays: steps that merely sound alike do not. */
const ALIKE = 0.25;
const STANDS_OUT = 5;
/** Delays are not told apart in a whistle: this alike and this loud is one. */
const WHISTLE = [0.95, 0.3];

let transform;
const rms = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length);

/** Differences from sample to sample: hum and rumble are alike everywhere. */
function edges(x) {
  const y = new Float32Array(x.length);
  for (let i = 1; i < x.length; i += 1) y[i] = x[i] - x[i - 1];
  return y;
}

/**
 * Compares what was played with what was heard, `WINDOW` values each. Null if there is nothing to compare; else whether it `is` the loudspeaker, the
 * `likeness` (a correlation), after how many `steps` it comes, and how loud it is to what was played (`part`).
 */
export function compare(played, heard) {
  if (rms(played) < QUIET || rms(heard) < QUIET) return null;
  const [p, h] = [edges(played), edges(heard).fill(0, 0, LATEST)];
  const loud = Math.sqrt(h.reduce((sum, v) => sum + v * v, 0));
  const likeness = (transform ??= new Spectrum(8192)).products(p, h, LATEST);
  let before = 0;
  for (let i = 0; i < COMPARED; i += 1) before += p[LATEST + i] ** 2;
  for (let lag = 0; lag < LATEST; lag += 1) {
    likeness[lag] = Math.abs(likeness[lag]) / (loud * Math.sqrt(Math.max(before, 0)) + 1e-12);
    before += p[LATEST - lag - 1] ** 2 - p[WINDOW - lag - 1] ** 2;
  }
  let steps = 0;
  likeness.forEach((value, lag) => value > likeness[steps] && (steps = lag));
  const middle = likeness.slice().sort()[LATEST >> 1];
  const best = Math.min(1, likeness[steps]);
  const is = (best > ALIKE && best > STANDS_OUT * middle) || (best > WHISTLE[0] && rms(heard) > WHISTLE[1]);
  return { is, likeness: best, steps, part: (best * rms(heard)) / rms(played) };
}

/** Collects both sides, a quantum at a time, and lets through what is louder than the loudspeaker would be. */
export class Gate {
  constructor(rate) {
    this.rate = rate;
    this.isOn = true;
    this.part = 0; // nothing is known to come back
    this.lag = 0;
    this.gain = 1;
    this.level = 0;
    this.peaks = new Float32Array(512); // of what was played, quantum by quantum: more than a second
    this.quanta = 0;
    this.played = new Float32Array(WINDOW);
    this.heard = new Float32Array(WINDOW);
    this.filled = 0;
    this.rest = [0, 0, 0];
  }

  /** What the page has found: `part` of what was played comes back after `seconds`. */
  learn(part, seconds) {
    Object.assign(this, { part, lag: seconds });
  }

  /** A quantum that was played and heard; true if a window is full: take `played` and `heard` before the next. */
  note(played, heard) {
    let peak = 0;
    let isFull = false;
    for (let i = 0; i < played.length; i += 1) {
      peak = Math.max(peak, Math.abs(played[i]));
      this.rest[0] += played[i];
      this.rest[1] += heard[i];
      this.rest[2] += 1;
      if (this.rest[2] < TOGETHER) continue;
      this.played[this.filled] = this.rest[0] / TOGETHER;
      this.heard[this.filled] = this.rest[1] / TOGETHER;
      this.rest = [0, 0, 0];
      this.filled += 1;
      if (this.filled === WINDOW) {
        this.filled = 0;
        isFull = true;
      }
    }
    this.peaks[this.quanta % this.peaks.length] = peak;
    this.quanta += 1;
    return isFull;
  }

  /** How loud the loudspeaker may be in the microphone now: what was played when it left, and what a room adds. */
  expected(quantum) {
    const each = quantum / this.rate;
    const from = Math.max(0, Math.floor((this.lag - 0.03) / each));
    const to = Math.min(this.peaks.length, Math.ceil((this.lag + 0.12) / each));
    let most = 0;
    for (let k = from; k < to && k < this.quanta; k += 1) most = Math.max(most, this.peaks[(this.quanta - 1 - k) % this.peaks.length]);
    return 3 * this.part * most;
  }

  /** Takes out of what was heard, in place, what is not louder than the loudspeaker. */
  pass(heard) {
    let peak = 0;
    for (const x of heard) peak = Math.max(peak, Math.abs(x));
    this.level = Math.max(peak, this.level * Math.exp(-heard.length / (0.01 * this.rate)));
    const goal = !this.isOn || this.part === 0 || this.level > this.expected(heard.length) ? 1 : 0;
    const step = (goal - this.gain) / heard.length;
    for (let i = 0; i < heard.length; i += 1) heard[i] *= this.gain + step * (i + 1);
    this.gain = goal;
  }
}
