// SPDX-License-Identifier: MIT OR Apache-2.0
// Power spectra of real signals: radix two, tables made once.

export class Spectrum {
  constructor(size) {
    this.size = size;
    this.re = new Float32Array(size);
    this.im = new Float32Array(size);
    this.window = Float32Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    this.cos = Float32Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.sin = Float32Array.from({ length: size / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / size));
    this.order = new Uint32Array(size);
    const bits = Math.log2(size);
    for (let i = 0; i < size; i += 1) {
      let j = 0;
      for (let b = 0; b < bits; b += 1) if (i & (1 << b)) j |= 1 << (bits - 1 - b);
      this.order[i] = j;
    }
    this.power = new Float32Array(size / 2);
  }

  /** Power per bin; a full-scale sine gives 1 at its bin. */
  of(signal) {
    const { size, re, im } = this;
    for (let i = 0; i < size; i += 1) {
      re[this.order[i]] = signal[i] * this.window[i];
      im[i] = 0;
    }
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k += 1) {
          const [c, s] = [this.cos[k * stride], -this.sin[k * stride]];
          const [a, b] = [start + k, start + k + half];
          const [x, y] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c];
          re[b] = re[a] - x;
          im[b] = im[a] - y;
          re[a] += x;
          im[a] += y;
        }
      }
    }
    const scale = 16 / (size * size); // two sides, window's mean 1/2
    for (let k = 0; k < size / 2; k += 1) this.power[k] = scale * (re[k] * re[k] + im[k] * im[k]);
    return this.power;
  }
}
