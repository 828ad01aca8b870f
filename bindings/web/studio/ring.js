// SPDX-License-Identifier: MIT OR Apache-2.0
// What the audio side leaves behind for the pictures: one row per sample, the output first, then watched signals.

/** Frames kept: five seconds at 48 kHz. */
export const RING_FRAMES = 1 << 18;
/** Values per row: the output and up to eight watched signals. */
export const ROW = 9;

/** The reading side: with shared memory the very rows of the worklet, else a copy that its messages fill. */
export class Ring {
  constructor() {
    this.isShared = globalThis.crossOriginIsolated === true;
    const bytes = 4 * RING_FRAMES * ROW;
    const rows = this.isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    this.rows = new Float32Array(rows);
    // 32 bits would be full after half a day.
    this.count = new BigInt64Array(this.isShared ? new SharedArrayBuffer(8) : new ArrayBuffer(8));
    this.shared = this.isShared ? { rows, head: this.count.buffer } : null;
  }

  /** Frames written since the start. */
  head() {
    return Number(this.isShared ? Atomics.load(this.count, 0) : this.count[0]);
  }

  /** The rows as they are now, for views that are frozen while new ones are written. */
  copy() {
    const copy = Object.create(Ring.prototype);
    const head = this.head();
    return Object.assign(copy, { isShared: false, rows: this.rows.slice(), count: BigInt64Array.of(BigInt(head)) });
  }

  /** A message of the worklet that shares no memory. */
  take(block, head) {
    const frames = block.length / ROW;
    for (let i = 0; i < frames; i += 1) {
      this.rows.set(block.subarray(i * ROW, (i + 1) * ROW), ((head - frames + i) % RING_FRAMES) * ROW);
    }
    this.count[0] = BigInt(head);
  }

  /** The `frames` values of a column that end `before` frames ago; earlier than the start is zero. */
  column(column, frames, end = this.head(), out = new Float32Array(frames)) {
    for (let i = 0; i < frames; i += 1) {
      const at = end - frames + i;
      out[i] = at < 0 ? 0 : this.rows[(at % RING_FRAMES) * ROW + column];
    }
    return out;
  }
}
