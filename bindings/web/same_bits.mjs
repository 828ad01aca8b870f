// SPDX-License-Identifier: MIT OR Apache-2.0
// The WebAssembly build gives the bits of the native build, and the same gestures for a keyboard's bytes: node same_bits.mjs MODULE.wasm NATIVE_PROGRAM SCENE...
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

// Threads share the work: each of them waits for the native side of what it does.
const THREADS = 2;
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
function runNative(...args) {
  const options = typeof args.at(-1) === "object" ? args.pop() : {};
  return Uint8Array.from(execFileSync(native, args.map(String), { maxBuffer: 1 << 30, ...options }));
}

function maths() {
  const stream = runNative("maths");
  for (let at = 0, index = 0; at < stream.length; index += 1) {
    const end = stream.indexOf(10, at);
    const [name, count] = String.fromCharCode(...stream.subarray(at, end)).split(" ");
    at = end + 1 + 8 * count;
    tocco.tocco_maths(index); // first: it may grow the memory, which detaches the old buffer
    same(`math::${name}`, new Float64Array(tocco.memory.buffer, tocco.tocco_numbers(), tocco.tocco_numbers_len()),
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

// Two seconds in blocks of a worklet; the native side renders them in one piece. A scene that listens hears a noise that swells and ebbs,
// every number of which a float can hold, or nothing.
function scene(path, rate, listening) {
  const name = `${basename(path)} at ${rate || "its own"} Hz${listening ? ", which hears something" : ""}`;
  const session = text(readFileSync(path, "utf8"), (p, n) => tocco.tocco_load(p, n, rate));
  if (session === 0) return failures.push(`${name}: ${error()}`);
  const channels = tocco.tocco_channels(session);
  const block = 128;
  const frames = Math.ceil((2 * tocco.tocco_rate_hz(session)) / block) * block;
  const got = new Float32Array(frames * channels);
  const inputs = tocco.tocco_inputs(session);
  if (listening && inputs === 0) return tocco.tocco_free(session);
  const heard = Float32Array.from({ length: listening ? frames * inputs : 0 }, noise());
  for (let at = 0; at < frames; at += block) {
    if (listening) {
      const place = tocco.tocco_input(session, block); // first: it may grow the memory
      const room = new Float32Array(tocco.memory.buffer, place, inputs * block);
      for (let c = 0; c < inputs; c += 1) room.set(heard.subarray(c * frames + at, c * frames + at + block), c * block);
    }
    const pointer = tocco.tocco_render(session, block);
    got.set(new Float32Array(tocco.memory.buffer, pointer, block * channels), at * channels);
  }
  tocco.tocco_free(session);
  const input = Buffer.from(heard.buffer);
  same(name, got, new Float32Array(runNative(path, rate, frames, { input }).buffer));
}

/** Noise of 20 bits, louder and softer by turns. */
function noise() {
  const roll = dice(14);
  return (_, i) => ((roll(1 << 20) - (1 << 19)) / (1 << 20)) * (i % 20_000 < 9_000 ? 1 : 1 / 64);
}

// Two seconds of water that falls into a tank: every position, velocity and sound.
function dam(frames) {
  tocco.tocco_dam(frames);
  same(`a block of water after ${frames} frames`, new Float64Array(tocco.memory.buffer, tocco.tocco_numbers(), tocco.tocco_numbers_len()).slice(),
    new Float64Array(runNative("dam", frames).buffer));
}

function refusal() {
  const session = text("version = 1\n[body.bar]\ntype = 'modle'\n", (p, n) => tocco.tocco_load(p, n, 0));
  if (session === 0 && error().includes("modal")) passed += 1;
  else failures.push(`a misspelt scene: ${session}, "${error()}"`);
}

/** Numbers that look random and are the same every time. */
function dice(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

// A keyboard gone mad: notes, bends, pressures, controllers, zones of MPE, pieces of messages, and plain noise.
function bytesOf(roll) {
  const channel = roll(3) ? roll(4) : roll(16);
  switch (roll(9)) {
    case 0: return [0x80 | channel, 48 + roll(40), roll(128)];
    case 1: return [0xe0 | channel, roll(128), roll(128)];
    case 2: return [0xd0 | channel, roll(128)];
    case 3: return [0xa0 | channel, 48 + roll(40), roll(128)];
    case 4: return [0xb0 | channel, [1, 74, 120, 121, 123][roll(5)], roll(128)];
    case 5: return [0xb0 | channel, 101, 0, 100, roll(2) * 6, 6, roll(49)];
    case 6: return Array.from({ length: 1 + roll(6) }, () => roll(256));
    default: return [0x90 | channel, 48 + roll(40), roll(128)];
  }
}

function keys(path) {
  const name = `${basename(path)}: keys`;
  const board = text(readFileSync(path, "utf8"), (p, n) => tocco.tocco_keys(p, n));
  if (board === 0) return failures.push(`${name}: ${error()}`);
  const roll = dice(1);
  const stream = Array.from({ length: 4000 }, (_, i) => ({ now: i / 64, bytes: bytesOf(roll) }));
  const input = stream.map(({ now, bytes }) => [now, ...bytes].join(" ")).join("\n");
  const wanted = execFileSync(native, ["keys", path], { input, encoding: "utf8", maxBuffer: 1 << 28 }).trim().split("\n");
  const at = tocco.tocco_alloc(16);
  const read = () => new TextDecoder().decode(new Uint8Array(tocco.memory.buffer, tocco.tocco_text(), tocco.tocco_text_len()));
  const wrong = stream.findIndex(({ now, bytes }, i) => {
    new Uint8Array(tocco.memory.buffer).set(bytes, at);
    tocco.tocco_keys_feed(board, at, bytes.length, now);
    return read() !== wanted[i];
  });
  const struck = wanted.filter((line) => /strike|hit/.test(line)).length;
  if (wrong >= 0) failures.push(`${name}: wasm means ${read()}, native ${wanted[wrong]} for ${stream[wrong].bytes}`);
  else if (struck < 100) failures.push(`${name}: only ${struck} notes sounded`);
  else passed += 1;
  tocco.tocco_keys_free(board);
}

/** Does whatever nobody has begun, by a counter that all threads have in common. */
function work(begun) {
  const jobs = [maths, refusal, ...[20, 120].map((frames) => () => dam(frames))];
  for (const path of scenes) {
    if (/^\[midi\]/m.test(readFileSync(path, "utf8"))) jobs.push(() => keys(path));
    for (const rate of [0, 44100]) for (const listening of [false, true]) jobs.push(() => scene(path, rate, listening));
  }
  for (let job; (job = jobs[Atomics.add(begun, 0, 1)]);) job();
  return { passed, failures };
}

if (isMainThread) {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const ends = await Promise.all(Array.from({ length: THREADS }, () => new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), workerData: begun }).on("message", resolve).on("error", reject);
  })));
  const failures = ends.flatMap((end) => end.failures);
  for (const failure of failures) console.error(failure);
  console.log(`wasm: ${ends.reduce((sum, end) => sum + end.passed, 0)} passed, ${failures.length} failed`);
  process.exit(failures.length ? 1 : 0);
} else {
  parentPort.postMessage(work(workerData));
}
