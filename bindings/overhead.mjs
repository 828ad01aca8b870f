// SPDX-License-Identifier: MIT OR Apache-2.0
// What a front end costs beside the program, by instructions (callgrind), start-up apart: two lengths of one scene are rendered, and
// what the longer one takes more is divided by the same of the program. Prints reached or missed, exits 1 on a miss.
// node overhead.mjs PROGRAM SCENE NAME=BOUND=COMMAND...   where COMMAND has {scene} and {seconds}
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, scene, ...others] = process.argv.slice(2);
const [SHORT_S, LONG_S] = [1, 6];

function instructions(command, seconds) {
  const words = command.split(" ").map((word) => word.replace("{scene}", scene).replace("{seconds}", String(seconds)));
  const tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
  const { stderr, status } = spawnSync("valgrind", [...tool, ...words], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  const found = /Collected\s*:\s*(\d+)/.exec(stderr);
  if (status !== 0 || !found) throw new Error(`${words.join(" ")}: ${stderr}`);
  return Number(found[1]);
}

const slope = (command) => (instructions(command, LONG_S) - instructions(command, SHORT_S)) / (LONG_S - SHORT_S);

const own = slope(`${program} render {scene} --duration {seconds} --bits 32f -o ${join(tmpdir(), "tocco-overhead.wav")}`);
let missed = false;
for (const row of others) {
  const [name, bound, command] = row.split("=");
  const ratio = slope(command) / own;
  missed ||= ratio > 1 + Number(bound) / 100;
  const verdict = ratio <= 1 + Number(bound) / 100 ? "reached" : "MISSED";
  console.log(`${name}: ${(100 * (ratio - 1)).toFixed(2)} % more instructions than the program, at most ${bound} %: ${verdict}`);
}
process.exit(missed ? 1 : 0);
