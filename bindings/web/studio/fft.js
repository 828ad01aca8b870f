// SPDX-License-Identifier: MIT OR Apache-2.0
// Power spectra of real signals, and how alike two are: radix two, tables made once.

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
    this.transform();
    const scale = 16 / (size * size); // two sides, window's mean 1/2
    for (let k = 0; k < size / 2; k += 1) this.power[k] = scale * (re[k] * re[k] + im[k] * im[k]);
    return this.power;
  }

  /** How much of `late` is `early`, so many values before: sums of products for delays from 0 on, as many as asked for. Together with those delays no longer than the size. */
  products(early, late, delays) {
    const { size, re, im, order } = this;
    re.fill(0);
    im.fill(0);
    for (let i = 0; i < early.length; i += 1) {
      re[order[i]] = early[i];
      im[order[i]] = late[i];
    }
    this.transform();
    // Both spectra out of one, then their product: H conj(P), whose conjugate is transformed again.
    const [cross, other] = [new Float32Array(size), new Float32Array(size)];
    for (let k = 0; k < size; k += 1) {
      const m = (size - k) % size;
      const [pr, pi] = [(re[k] + re[m]) / 2, (im[k] - im[m]) / 2];
      const [hr, hi] = [(im[k] + im[m]) / 2, (re[m] - re[k]) / 2];
      cross[order[k]] = hr * pr + hi * pi;
      other[order[k]] = -(hi * pr - hr * pi);
    }
    re.set(cross);
    im.set(other);
    this.transform();
    return Float32Array.from({ length: delays }, (_, lag) => re[lag] / size);
  }

  /** In place, of values that are laid in their order. */
  transform() {
    const { size, re, im } = this;
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
  }
}
