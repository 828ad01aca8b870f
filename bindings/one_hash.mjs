// SPDX-License-Identifier: MIT OR Apache-2.0
// The same notes give the same samples through the program, the page's engine, the C library, Python, Pure Data, a CLAP host and a
// VST3 host: node one_hash.mjs program=TOCCO page=MODULE.wasm c=C_RENDER python=PYTHON [pd=FOLDER] [clap=RENDER,FILE]
// [vst3=PYTHON,BUNDLE,PRESETS] SCENE...
// C_RENDER is examples/c/render.c, by gestures and by notes, PYTHON an interpreter that has the binding (for vst3: pedalboard), FOLDER has the external, RENDER is
// bindings/clap/examples/render.rs. Scenes are shipped ones: plug-ins load them by name.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const given = process.argv.slice(2);
const scenes = given.filter((word) => !word.includes("="));
const told = Object.fromEntries(given.filter((word) => word.includes("=")).map((word) => word.split("=")));
const { program, page: modulePath, c: render, python } = told;
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath));
const tocco = instance.exports;
const folder = mkdtempSync(join(tmpdir(), "tocco-hash-"));
const options = { maxBuffer: 1 << 28 };

const RATE = 48_000;
const VOICES = 64;
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
  const [place, weights] = [tocco.tocco_alloc(8), tocco.tocco_alloc(8 * VOICES)];
  let played = 0;
  const gestures = NOTES.flatMap(([tick, bytes]) => {
    // What was played rings; the quietest voices are the others.
    new Float64Array(tocco.memory.buffer, weights, VOICES).forEach((_, voice, all) => (all[voice] = voice < played ? 1 : 0));
    tocco.tocco_keys_weigh(keys, weights, VOICES);
    if (bytes[0] === 0x90) played += 1;
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

const PYTHON_NOTES = `
import sys, tocco
scene = tocco.Scene(sys.argv[1], notes=True)
for line in open(sys.argv[2]):
    tick, status, key, velocity = map(int, line.split())
    if status == 0x90:
        scene.note_on(key, velocity / 127, at_s=tick / scene.rate_hz)
    else:
        scene.note_off(key, at_s=tick / scene.rate_hz)
sys.stdout.buffer.write(scene.render(float(sys.argv[3])).tobytes())
`;

/** What Pure Data hears: a patch with the notes at their times and an array for each channel, written as a file. */
function pd(folder, scene, channels, file) {
  const [boxes, wires] = [[], []];
  const put = (box) => boxes.push(`#X ${box};`) - 1;
  const wire = (...ends) => wires.push(`#X connect ${ends.join(" ")};`);
  const box = put(`obj 10 10 tocco~ ${scene}`);
  const [begin, first, on] = [put("obj 10 10 loadbang"), put("obj 10 10 t b b b"), put("msg 10 10 \\; pd dsp 1")];
  wire(begin, 0, first, 0);
  wire(first, 2, on, 0);
  const arrays = Array.from({ length: channels }, (_, channel) => `heard-${channel}`);
  arrays.forEach((array, channel) => {
    put(`obj 10 10 array define ${array} ${FRAMES}`);
    const write = put(`obj 10 10 tabwrite~ ${array}`);
    wire(box, channel, write, 0);
    wire(first, 1, write, 0);
  });
  const later = (ms, message) => {
    const [delay, said] = [put(`obj 10 10 del ${ms}`), put(`msg 10 10 ${message}`)];
    wire(first, 0, delay, 0);
    wire(delay, 0, said, 0);
    return said;
  };
  for (const [tick, [status, key, velocity]] of NOTES) {
    wire(later((tick * 1e3) / RATE, `note ${key} ${status === 0x90 ? velocity : 0}`), 0, box, 0);
  }
  const end = (FRAMES * 1e3) / RATE + 50;
  const filer = put("obj 10 10 soundfiler");
  wire(later(end, `write -wave -bytes 4 ${file(".pd.wav")} ${arrays.join(" ")}`), 0, filer, 0);
  later(end + 50, "\\; pd quit");
  writeFileSync(file(".pd"), `#N canvas 0 0 450 300 12;\n${boxes.join("\n")}\n${wires.join("\n")}\n`);
  const args = ["-nogui", "-noprefs", "-batch", "-nosound", "-r", String(RATE), "-path", folder, "-open", file(".pd")];
  execFileSync("pd", args, { stdio: "pipe", timeout: 120_000 });
  return samples(file(".pd.wav"));
}

/** Plug-ins play a mono scene on both sides: one of them, if both are the same. */
function folded(bytes, channels) {
  if (channels !== 1) return bytes;
  const both = new Uint32Array(Uint8Array.from(bytes).buffer);
  const one = both.filter((_, at) => at % 2 === 0);
  if (one.some((left, at) => left !== both[2 * at + 1])) throw new Error("left is not right");
  return Buffer.from(one.buffer);
}

let failed = 0;
for (const path of scenes) {
  const { voiced, gestures } = meaning(readFileSync(path, "utf8"));
  const file = (ending) => join(folder, basename(path, ".toml") + ending);
  writeFileSync(file(".toml"), voiced);
  writeFileSync(file(".gestures"), gestures.map((gesture) => JSON.stringify(gesture)).join("\n") + "\n");
  writeFileSync(file(".notes"), NOTES.map(([tick, bytes]) => [tick, ...bytes].join(" ") + "\n").join(""));
  const seconds = String(FRAMES / RATE);
  const { sound, take } = page(voiced, gestures);
  writeFileSync(file(".jsonl"), take);
  execFileSync(program, ["render", "--take", file(".jsonl"), "--bits", "32f", "-o", file(".wav")], { stdio: "pipe" });
  const heard = {
    page: sound,
    program: samples(file(".wav")),
    c: execFileSync(render, [file(".toml"), seconds, file(".gestures")], options),
    "c, notes": execFileSync(render, [path, seconds, file(".notes")], options),
    python: execFileSync(python, ["-c", PYTHON, file(".toml"), file(".gestures"), seconds], options),
    "python, notes": execFileSync(python, ["-c", PYTHON_NOTES, path, file(".notes"), seconds], options),
  };
  const name = basename(path, ".toml");
  const channels = sound.length / 4 / FRAMES;
  if (told.pd) heard.pd = pd(told.pd, name, channels, file);
  if (told.clap) {
    const [host, plugin] = told.clap.split(",");
    heard.clap = folded(execFileSync(host, [plugin, name, seconds, file(".notes")], options), channels);
  }
  if (told.vst3) {
    const [interpreter, bundle, presets] = told.vst3.split(",");
    const host = new URL("clap/tests/vst3.py", import.meta.url).pathname;
    heard.vst3 = folded(execFileSync(interpreter, [host, bundle, presets, "render", name, file(".notes"), seconds], options), channels);
  }
  const hashes = Object.entries(heard).map(([who, bytes]) => [who, createHash("sha256").update(bytes).digest("hex").slice(0, 16)]);
  const loud = new Float32Array(Uint8Array.from(sound).buffer).some((x) => Math.abs(x) > 1e-3);
  const one = new Set(hashes.map(([, hash]) => hash)).size === 1 && loud && gestures.length >= 3;
  if (!one) failed += 1;
  console.log(`${basename(path)}: ${one ? "one hash" : "DIFFERENT"} ${hashes.map(([who, hash]) => `${who} ${hash}`).join(", ")}, ${gestures.length} gestures`);
}
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
