// SPDX-License-Identifier: MIT OR Apache-2.0
// What a front end costs beside the program, by instructions (callgrind), start-up apart: two lengths of one scene are rendered, and
// what the longer one takes more is divided by the same of the program. Prints reached or missed, exits 1 on a miss.
// node overhead.mjs PROGRAM MODULE.wasm SCENE NAME=BOUND=COMMAND...   where COMMAND has {scene}, {name} and {seconds}, or {patch}: one for
// Pure Data that ends by itself. "voiced COMMAND": it plays the scene with the voices of its keyboard, and so does the program then.
// Without a BOUND it is only told.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const [program, modulePath, scene, ...others] = process.argv.slice(2);
const [SHORT_S, LONG_S] = [1, 6];
const folder = mkdtempSync(join(tmpdir(), "tocco-overhead-"));
const name = basename(scene, ".toml");

/** The scene with the voices of its keyboard, as the page makes them. */
async function voiced() {
  const { instance } = await WebAssembly.instantiate(readFileSync(modulePath));
  const tocco = instance.exports;
  const bytes = readFileSync(scene);
  const at = tocco.tocco_alloc(bytes.length);
  new Uint8Array(tocco.memory.buffer).set(bytes, at);
  const keys = tocco.tocco_keys(at, bytes.length);
  if (!keys) throw new Error(`${scene} has no keyboard`);
  tocco.tocco_keys_scene(keys);
  const file = join(folder, `${name}.toml`);
  writeFileSync(file, new Uint8Array(tocco.memory.buffer, tocco.tocco_text(), tocco.tocco_text_len()));
  return file;
}

function patch(seconds) {
  const file = join(folder, "patch.pd");
  const boxes = [`obj 10 10 tocco~ ${name}`, "obj 10 10 loadbang", "obj 10 10 t b b", "msg 10 10 \\; pd dsp 1", `obj 10 10 del ${seconds * 1e3}`, "msg 10 10 \\; pd quit"];
  const wires = ["1 0 2 0", "2 1 3 0", "2 0 4 0", "4 0 5 0"];
  writeFileSync(file, `#N canvas 0 0 450 300 12;\n${boxes.map((box) => `#X ${box};\n`).join("")}${wires.map((wire) => `#X connect ${wire};\n`).join("")}`);
  return file;
}

function instructions(command, seconds) {
  const places = { "{scene}": scene, "{name}": name, "{seconds}": String(seconds), "{patch}": command.includes("{patch}") ? patch(seconds) : "" };
  const words = command.split(" ").map((word) => places[word] ?? word);
  const tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
  const { stderr, status } = spawnSync("valgrind", [...tool, ...words], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", maxBuffer: 1 << 26 });
  const found = /Collected\s*:\s*(\d+)/.exec(stderr);
  if (status !== 0 || !found) throw new Error(`${words.join(" ")}: ${stderr}`);
  return Number(found[1]);
}

const slope = (command) => (instructions(command, LONG_S) - instructions(command, SHORT_S)) / (LONG_S - SHORT_S);
const alone = (file) => slope(`${program} render ${file} --duration {seconds} --bits 32f -o ${join(folder, "sound.wav")}`);

const own = {};
let missed = false;
for (const row of others) {
  const [who, bound, told] = row.split("=");
  const withVoices = told.startsWith("voiced ");
  own[withVoices] ??= alone(withVoices ? await voiced() : scene);
  const ratio = slope(told.replace(/^voiced /, "")) / own[withVoices];
  const most = bound === "" ? Infinity : 1 + Number(bound) / 100;
  missed ||= ratio > most;
  const verdict = bound === "" ? "" : `, at most ${bound} %: ${ratio <= most ? "reached" : "MISSED"}`;
  const beside = withVoices ? "the program with the same voices" : "the program";
  const million = (own[withVoices] / 1e6).toFixed(1);
  console.log(`${who}: ${(100 * (ratio - 1)).toFixed(2)} % more instructions than ${beside} (${million} million a second)${verdict}`);
}
rmSync(folder, { recursive: true });
process.exit(missed ? 1 : 0);
