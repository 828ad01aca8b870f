// SPDX-License-Identifier: MIT OR Apache-2.0
// How long the machine keeps a thread waiting that asks for next to nothing: node stalls.mjs SECONDS
// Started with `chrt -r` it stands above the browser's audio threads: what is late here no page could have played.
const cell = new Int32Array(new SharedArrayBuffer(4));
const until = performance.now() + 1000 * Number(process.argv[2]);
let worst = 0;
for (let before = performance.now(); before < until;) {
  Atomics.wait(cell, 0, 0, 1);
  const now = performance.now();
  worst = Math.max(worst, now - before - 1);
  before = now;
}
console.log(worst.toFixed(1));
