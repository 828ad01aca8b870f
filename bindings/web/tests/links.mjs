// SPDX-License-Identifier: MIT OR Apache-2.0
// Links that hold a scene, with random damage: each gives a text or is refused in one line, soon, and never with more than a scene may be.

import { readFileSync, readdirSync } from "node:fs";
import { gathered, LARGEST_SCENE, sceneIn } from "../studio/keep.js";

const seconds = process.env.TOCCO_LONG ? 60 : 5;
let state = 1n;
const draw = (below) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(below));
};

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
const fragment = (bytes) =>
  `#scene=${btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;

const fail = (what) => {
  console.error(what);
  process.exit(1);
};

async function attempt(link, what) {
  const since = performance.now();
  let said = null;
  let text = null;
  try {
    text = await sceneIn(link);
  } catch (error) {
    said = error.message;
  }
  if (performance.now() - since > 20_000) fail(`${what} took ${performance.now() - since} ms`);
  if (text !== null && text.length > LARGEST_SCENE) fail(`${what} gave ${text.length} characters`);
  if (said !== null && (said.includes("\n") || !said.includes("link"))) fail(`${what} was refused with ${said}`);
  return text !== null;
}

const scene = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\ntap = [{ of = 'bar' }]\n";
const seed = await packed(scene);
if ((await sceneIn(fragment(seed))) !== scene) fail("a scene does not come back from its link");
if ((await sceneIn("#other")) !== null) fail("another fragment is taken for a scene");
// A flood in a short link, and one that is just too long.
const flood = await packed(new Uint8Array(LARGEST_SCENE + 1));
if (await attempt(fragment(flood), "a flood")) fail("a flood was taken");
if (await attempt(`#scene=${"A".repeat(1 << 20)}`, "a long link")) fail("a long link was taken");

// What never ends, silent or not.
const endless = {
  silence: () => new Promise(() => {}),
  nothing: (to) => to.enqueue(new Uint8Array(0)),
  "a byte after another": (to) => to.enqueue(new Uint8Array(1)),
};
for (const [what, pull] of Object.entries(endless)) {
  const since = performance.now();
  const ended = await gathered(new ReadableStream({ pull }), 1000, 200).then(
    () => "it came to an end",
    (error) => error.message,
  );
  if (!ended.startsWith("too ") || performance.now() - since > 10_000) fail(`${what} without an end: ${ended}`);
}

// What once went wrong, or would where lengths are believed.
for (const name of readdirSync(new URL("corpus/links/", import.meta.url))) {
  await attempt(readFileSync(new URL(`corpus/links/${name}`, import.meta.url), "utf8").trim(), name);
}

let [rounds, taken] = [0, 0];
for (const until = performance.now() + 1000 * seconds; performance.now() < until; rounds += 1) {
  const bytes = [...seed];
  for (let edit = draw(4); edit >= 0; edit -= 1) {
    const at = draw(Math.max(1, bytes.length));
    const kind = draw(4);
    if (kind === 0) bytes[at] = draw(256);
    else if (kind === 1) bytes.splice(at, 1 + draw(4));
    else if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + draw(16)));
    else bytes.length = at + 1;
  }
  let link = fragment(bytes);
  if (draw(4) === 0) link = link.slice(0, 7) + "%\u0000=é"[draw(4)] + link.slice(7 + draw(5));
  taken += await attempt(link, `round ${rounds}`);
}
if (rounds < 20 || taken === rounds) fail(`${rounds} rounds, ${taken} taken`);
console.log(`${rounds} links, ${taken} taken, the rest refused in a line`);
