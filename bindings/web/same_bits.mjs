// SPDX-License-Identifier: MIT OR Apache-2.0
// The WebAssembly build gives the bits of the native build: node same_bits.mjs MODULE.wasm NATIVE_PROGRAM
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [wasmPath, native] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(wasmPath));
const tocco = instance.exports;

let passed = 0;
const failures = [];
function check(name, got, want) {
  const bits = got.BYTES_PER_ELEMENT === 8 ? BigUint64Array : Uint32Array;
  const [g, w] = [got, want].map((a) => new bits(a.buffer, a.byteOffset, a.length));
  const at = g.length === w.length ? g.findIndex((x, i) => x !== w[i]) : Math.min(g.length, w.length);
  if (g.length > 0 && g.length === w.length && at < 0) passed += 1;
  else failures.push(`${name}: wasm ${got[at]}, native ${want[at]} at ${at} of ${g.length} and ${w.length}`);
}

const runNative = (...args) => execFileSync(native, args, { maxBuffer: 1 << 30 });

// NAME COUNT, a line feed, COUNT doubles; repeated.
const stream = runNative("maths");
for (let at = 0, index = 0; at < stream.length; index += 1) {
  const end = stream.indexOf(10, at);
  const [name, count] = stream.toString("latin1", at, end).split(" ");
  const want = new Float64Array(Uint8Array.from(stream.subarray(end + 1, end + 1 + 8 * count)).buffer);
  const pointer = tocco.tocco_maths(index); // may grow the memory, which detaches the old buffer: first
  check(`math::${name}`, new Float64Array(tocco.memory.buffer, pointer, count), want);
  at = end + 1 + 8 * count;
}

console.log(`wasm: ${passed} passed, ${failures.length} failed`);
for (const failure of failures) console.error(failure);
process.exit(failures.length ? 1 : 0);
