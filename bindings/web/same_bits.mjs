// SPDX-License-Identifier: MIT OR Apache-2.0
// The WebAssembly build gives the bits of the native build: node same_bits.mjs MODULE.wasm NATIVE_PROGRAM SCENE...
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [modulePath, native, ...scenes] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath));
const tocco = instance.exports;

let passed = 0;
const failures = [];
function same(name, got, want) {
  const bits = got.BYTES_PER_ELEMENT === 8 ? BigUint64Array : Uint32Array;
  const [g, w] = [got, want].map((a) => new bits(a.buffer, a.byteOffset, a.length));
  const at = g.findIndex((x, i) => x !== w[i]);
  if (g.length !== w.length) failures.push(`${name}: wasm gives ${g.length} values, native ${w.length}`);
  else if (at >= 0) failures.push(`${name}: wasm ${got[at]}, native ${want[at]} at ${at} of ${g.length}`);
  else if (!got.some((x) => x !== 0)) failures.push(`${name}: silence`);
  else passed += 1;
}

// A copy at the start of a buffer of its own, where any element type may be laid over it.
const runNative = (...args) => Uint8Array.from(execFileSync(native, args.map(String), { maxBuffer: 1 << 30 }));

function maths() {
  const stream = runNative("maths");
  for (let at = 0, index = 0; at < stream.length; index += 1) {
    const end = stream.indexOf(10, at);
    const [name, count] = String.fromCharCode(...stream.subarray(at, end)).split(" ");
    at = end + 1 + 8 * count;
    const pointer = tocco.tocco_maths(index); // first: it may grow the memory, which detaches the old buffer
    same(`math::${name}`, new Float64Array(tocco.memory.buffer, pointer, +count),
      new Float64Array(stream.slice(end + 1, at).buffer));
  }
}

function text(string, use) {
  const bytes = new TextEncoder().encode(string);
  const pointer = tocco.tocco_alloc(bytes.length);
  new Uint8Array(tocco.memory.buffer).set(bytes, pointer);
  const result = use(pointer, bytes.length);
  tocco.tocco_dealloc(pointer, bytes.length);
  return result;
}

function error() {
  const said = new Uint8Array(tocco.memory.buffer, tocco.tocco_error(), tocco.tocco_error_len());
  return new TextDecoder().decode(said);
}

// Two seconds in blocks of a worklet; the native side renders them in one piece.
function scene(path, rate) {
  const name = `${basename(path)} at ${rate || "its own"} Hz`;
  const player = text(readFileSync(path, "utf8"), (p, n) => tocco.tocco_load(p, n, rate));
  if (player === 0) return failures.push(`${name}: ${error()}`);
  const channels = tocco.tocco_channels(player);
  const block = 128;
  const frames = Math.ceil((2 * tocco.tocco_rate_hz(player)) / block) * block;
  const got = new Float32Array(frames * channels);
  for (let at = 0; at < frames; at += block) {
    const pointer = tocco.tocco_render(player, block);
    got.set(new Float32Array(tocco.memory.buffer, pointer, block * channels), at * channels);
  }
  tocco.tocco_free(player);
  same(name, got, new Float32Array(runNative(path, rate, frames).buffer));
}

function refusal() {
  const player = text("version = 1\n[body.bar]\ntype = 'modle'\n", (p, n) => tocco.tocco_load(p, n, 0));
  if (player === 0 && error().includes("modal")) passed += 1;
  else failures.push(`a misspelt scene: ${player}, "${error()}"`);
}

maths();
refusal();
for (const path of scenes) for (const rate of [0, 44100]) scene(path, rate);

for (const failure of failures) console.error(failure);
console.log(`wasm: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
