// SPDX-License-Identifier: MIT OR Apache-2.0
// How long the machine keeps a thread waiting that asks for next to nothing: node stalls.mjs SECONDS. A line of JSON: the longest wait, ms, and
// when those of 10 ms and more ended, ms since 1970; and of these, as spans, when they began and ended.
// Started with `chrt -r` it stands above the browser's audio threads: what is late here no page could have played.
const cell = new Int32Array(new SharedArrayBuffer(4));
const until = performance.now() + 1000 * Number(process.argv[2]);
const LONG_MS = 10;
let worst = 0;
const [long, spans] = [[], []];
for (let before = performance.now(); before < until;) {
  Atomics.wait(cell, 0, 0, 1);
  const now = performance.now();
  worst = Math.max(worst, now - before - 1);
  if (now - before - 1 >= LONG_MS) {
    long.push(performance.timeOrigin + now);
    spans.push([performance.timeOrigin + before, performance.timeOrigin + now]);
  }
  before = now;
}
console.log(JSON.stringify({ worst, long, spans }));
