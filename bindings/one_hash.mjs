// SPDX-License-Identifier: MIT OR Apache-2.0
// The same notes give the same samples through the program, the page's engine, the C library and Python:
// node one_hash.mjs PROGRAM MODULE.wasm C_RENDER PYTHON SCENE...
// PROGRAM is tocco, C_RENDER examples/c/render.c, PYTHON an interpreter that has the binding.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const [program, modulePath, render, python, ...scenes] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath));
const tocco = instance.exports;
const folder = mkdtempSync(join(tmpdir(), "tocco-hash-"));
const options = { maxBuffer: 1 << 28 };

const RATE = 48_000;
const FRAMES = RATE + 7;
// Ticks and MIDI bytes: a chord, a key let go, a repeated note.
const NOTES = [
  [11, [0x90, 60, 96]], [4_801, [0x90, 64, 50]], [9_600, [0x90, 67, 120]], [20_003, [0x80, 60, 0]], [30_000, [0x90, 64, 20]],
];

function answer(address, length) {
  return new TextDecoder().decode(new Uint8Array(tocco.memory.buffer, address, length));
}

function say(string, use) {
  const bytes = new TextEncoder().encode(string);
  const at = tocco.tocco_alloc(bytes.length);
  new Uint8Array(tocco.memory.buffer).set(bytes, at);
  const result = use(at, bytes.length);
  tocco.tocco_dealloc(at, bytes.length);
  if (!result) throw new Error(answer(tocco.tocco_error(), tocco.tocco_error_len()));
  return result;
}

const words = () => answer(tocco.tocco_text(), tocco.tocco_text_len());

/** The scene with its voices, and what the notes mean in it: gestures with their ticks. */
function meaning(text) {
  const keys = say(text, (at, len) => tocco.tocco_keys(at, len));
  tocco.tocco_keys_scene(keys);
  const voiced = words();
  const place = tocco.tocco_alloc(8);
  const gestures = NOTES.flatMap(([tick, bytes]) => {
    new Uint8Array(tocco.memory.buffer).set(bytes, place);
    tocco.tocco_keys_feed(keys, place, bytes.length, tick / RATE);
    return JSON.parse(words()).map((gesture) => ({ at: tick, ...gesture }));
  });
  tocco.tocco_keys_free(keys);
  return { voiced, gestures };
}

/** What the page's engine gives, in blocks of a worklet, and the take of it. */
function page(scene, gestures) {
  const session = say(scene, (at, len) => tocco.tocco_load(at, len, RATE));
  if (!tocco.tocco_record(session)) throw new Error("no take");
  for (const { at: tick, ...gesture } of gestures) say(JSON.stringify(gesture), (at, len) => tocco.tocco_gesture(session, at, len, tick));
  const parts = [];
  for (let at = 0; at < FRAMES; at += 128) {
    const frames = Math.min(128, FRAMES - at);
    const place = tocco.tocco_render(session, frames);
    parts.push(Buffer.from(tocco.memory.buffer.slice(place, place + 4 * frames * tocco.tocco_channels(session))));
  }
  if (!tocco.tocco_take(session)) throw new Error("no take");
  const take = words();
  tocco.tocco_free(session);
  return { sound: Buffer.concat(parts), take };
}

/** Samples of a WAV file of floats. */
function samples(file) {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("data", 12, "latin1");
  return bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4));
}

const PYTHON = `
import json, sys, tocco
scene = tocco.Scene(sys.argv[1])
for line in open(sys.argv[2]):
    gesture = json.loads(line)
    scene.gesture(gesture, at_s=gesture.pop("at") / scene.rate_hz)
sys.stdout.buffer.write(scene.render(float(sys.argv[3])).tobytes())
`;

let failed = 0;
for (const path of scenes) {
  const { voiced, gestures } = meaning(readFileSync(path, "utf8"));
  const file = (ending) => join(folder, basename(path, ".toml") + ending);
  writeFileSync(file(".toml"), voiced);
  writeFileSync(file(".gestures"), gestures.map((gesture) => JSON.stringify(gesture)).join("\n") + "\n");
  const seconds = String(FRAMES / RATE);
  const { sound, take } = page(voiced, gestures);
  writeFileSync(file(".jsonl"), take);
  execFileSync(program, ["render", "--take", file(".jsonl"), "--bits", "32f", "-o", file(".wav")], { stdio: "pipe" });
  const heard = {
    page: sound,
    program: samples(file(".wav")),
    c: execFileSync(render, [file(".toml"), seconds, file(".gestures")], options),
    python: execFileSync(python, ["-c", PYTHON, file(".toml"), file(".gestures"), seconds], options),
  };
  const hashes = Object.entries(heard).map(([who, bytes]) => [who, createHash("sha256").update(bytes).digest("hex").slice(0, 16)]);
  const loud = new Float32Array(Uint8Array.from(sound).buffer).some((x) => Math.abs(x) > 1e-3);
  const one = new Set(hashes.map(([, hash]) => hash)).size === 1 && loud && gestures.length >= 3;
  if (!one) failed += 1;
  console.log(`${basename(path)}: ${one ? "one hash" : "DIFFERENT"} ${hashes.map(([who, hash]) => `${who} ${hash}`).join(", ")}, ${gestures.length} gestures`);
}
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
