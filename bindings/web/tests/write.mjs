// SPDX-License-Identifier: MIT OR Apache-2.0
// Values written into the texts of shipped scenes: the engine reads each back, one place of the text is new, and what is taken back
// leaves the text as it was, to the byte. node write.mjs WASM SCENE...
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { instantiate } from "../studio/abi.js";
import { asIn, atKey, beginningWith, setAtStart, withValues, written } from "../studio/write.js";

const [wasm, ...files] = process.argv.slice(2);
const abi = await instantiate(await WebAssembly.compile(readFileSync(wasm)));
const describe = (text) => {
  const names = abi.names(text, 0);
  const info = names.describe();
  names.free();
  return info;
};
const accepts = (text) => {
  try {
    abi.names(text, 0).free();
    return true;
  } catch {
    return false;
  }
};
const PER_SCENE = 4;
let [atKeys, atStart] = [0, 0];

function tryOne(file, text, { path, value, min, max }) {
  const goal = Math.min(max, Math.max(min, value === 0 ? 0.3 * Math.min(1, max) : value * (value * 1.1 <= max ? 1.1 : 0.9)));
  const { text: next, lost } = withValues(text, [{ path, value: goal, others: [] }], accepts);
  assert.deepEqual(lost, [], `${file}: ${path}`);
  const [starts, now] = [new Map(setAtStart(next)), describe(next).paths.find((p) => p.path === path).value];
  const isRead = (found) => Math.abs(found - goal) <= 1e-5 * Math.abs(goal);
  assert.ok(isRead(starts.get(path) ?? now), `${file}: ${path} is ${starts.get(path) ?? now}, not ${goal}`);
  const comments = (words) => [...words.matchAll(/#.*/g)].join("\n");
  assert.equal(comments(next), comments(text), file);
  assert.equal(asIn(text, next, path), text, `${file}: ${path} does not go back`);
  if (starts.has(path)) atStart += 1;
  else atKeys += 1;
}

for (const file of files) {
  const text = readFileSync(file, "utf8");
  const paths = describe(text).paths.filter(({ path }) => !path.includes("~"));
  const every = Math.ceil(paths.length / PER_SCENE);
  paths.filter((_, i) => i % every === 0).forEach((spec) => tryOne(file, text, spec));
  assert.ok(accepts(beginningWith(text, paths[0].path, paths[0].value)), `${file}: ${paths[0].path} at the start of all`);
}
// Forms that no shipped scene has: tables on a line, keys with dots, no newline at the end, JSON.
const bar = "{ type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]";
for (const text of [
  `body.bar = ${bar}, freq_scale = 1.5 } # one line\ntap = [{ of = 'bar' }]\n`,
  `[body.bar]\r\ntype = 'modal'\r\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\r\n[[tap]]\r\nof = 'bar'\r\n`,
  `body.bar = ${bar} }\ntap = [{ of = 'bar' }]\nevent = [{ at_s = 0.0, hit = 'bar', impulse_n_s = 0.1 } # [ a blow, and
]\n`, `body.bar = ${bar} }\ntap = [{ of = 'bar' }]`,
  "[[tap]]\nof = 'bar'\n[body]\nbar.type = 'modal'\nbar.freq_scale = 1_0e-1 # with a _\nbar.modes = [\n  # a [ in a comment\n  { freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 },\n]",
  '{"body":{"bar":{"type":"modal","freq_scale":1.5,"modes":[{"freq_hz":440.0,"decay_s":0.5,"mass_kg":0.05}]}},"tap":[{"of":"bar"}]}',
]) {
  tryOne("written here", text, describe(text).paths.find(({ path }) => path === "bar/freq_scale"));
  assert.ok(accepts(beginningWith(text, "bar/freq_scale", 2)), text);
  // By an event at the start, too, where there is no key for it.
  if (/^[^{].*\n$/s.test(text) && !text.includes("event")) tryOne("written here", text, describe(text).paths.find(({ path }) => path === "bar/force_n"));
  const [pairs, all] = [/\r\n/g, /\n/g].map((ends) => (withValues(text, [{ path: "bar/freq_scale", value: 1.2, others: [] }], accepts).text.match(ends) ?? []).length);
  assert.ok(pairs === 0 || pairs === all, `${pairs} of ${all} lines end as the others`);
}
// Words over several lines are part of their table, whatever is in them: what is new stands behind them.
const several = '[[tap]]\nof = "bar"\n[body.bar]\ntype = "shape"\nshape = "bar"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\nmaterial = """\nsteel"""\n';
assert.equal(atKey(several, "bar/freq_scale", "1.5"), `${several}freq_scale = 1.5\n`);
assert.ok(accepts(`${several}freq_scale = 1.5\n`));
tryOne("written here", several, describe(several).paths.find(({ path }) => path === "bar/freq_scale"));
assert.equal(written(2), "2.0");
assert.ok(atKeys > 2 * files.length && atStart > files.length / 4, `${atKeys} at keys, ${atStart} at the start`);
console.log(`${atKeys} values at their keys, ${atStart} at the start`);
