// SPDX-License-Identifier: MIT OR Apache-2.0
// What the program makes and the documents name, in the page: starters, pictures, and the scenes that pages of models say to hear.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, leave, load, problem, program, scenes, share, work } from "./harness.mjs";

const run = (folder, ...args) => execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
const root = new URL("../../../", import.meta.url);
const KINDS = ["strike", "shape", "bounce", "bow", "rub", "scrape", "roll", "walk", "pour"];

/** One pitch, two materials, for one listener. */
const SET = `title = "wood or steel"
scene = "single-mode"
seed = 1
listeners = 1
duration_s = 0.05
rate_hz = 8000
[[factor]]
name = "material"
list = ["balsa wood, thin", "mild steel, thick", "polycarbonate"]
[factor.set]
"body.bar.modes[0].decay_s" = [0.01, 0.5, 0.05]
[[factor]]
name = "pitch_hz"
list = [500.0, 700.0]
path = "body.bar.modes[0].freq_hz"
[listening]
answers = ["a kind of wood", "steel"]
`;

/** What a browser sees of a picture: its size, and how many colours and how much ink it has. */
const seen = (page, file) => page.evaluate(async (bytes) => {
  const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const [tones, { width, height }] = [new Map(), picture];
  const all = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
  all.forEach((tone) => tones.set(tone, (tones.get(tone) ?? 0) + 1));
  const back = [...tones].reduce((most, one) => (one[1] > most[1] ? one : most));
  // Nothing is cut off at a side.
  const isWhole = [0, width - 1].every((x) => Array.from({ length: height }, (_, y) => all[y * width + x]).every((tone, y, side) => tone === side[0]));
  return { wide: width, high: height, colours: tones.size, ink: 1 - back[1] / (width * height), isWhole };
}, readFileSync(file).toString("base64"));

/** Whether the scene that is open is heard, rendered faster than it is played: by its beginning, where that will do. */
async function sounds() {
  for (const seconds of [0.5, 2, 8]) {
    const { samples } = await tocco.offline.render({ scene: tocco.text, rate: 24_000, seconds });
    if (samples.some((x) => Math.abs(x) > 1e-3)) return true;
  }
  return false;
}

export default {
  async "every scene that tocco new begins with loads in the page, names its schema, sounds, and is complained about by nobody"() {
    const folder = join(work, "starters");
    mkdirSync(folder, { recursive: true });
    const kinds = /<KIND> +(.*)$/m.exec(run(folder, "new", "--help"))[1].split(/, | or /);
    assert.ok(KINDS.every((kind) => kinds.includes(kind)), kinds.join());
    const page = await share();
    for (const kind of kinds) {
      run(folder, "new", kind, "-o", `${kind}.toml`);
      const text = readFileSync(join(folder, `${kind}.toml`), "utf8");
      assert.ok(text.startsWith("#:schema "), kind);
      await load(page, text);
      assert.equal(await page.evaluate(() => tocco.text), text, kind);
      assert.ok(await page.evaluate(sounds), `${kind} is silent`);
      assert.equal(await problem(page), "", kind);
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "pictures of answers, of materials and of stimulus sets are pictures to a browser, and have something on them"() {
    const folder = join(work, "answers");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "set.toml"), SET);
    run(folder, "sweep", "set.toml", "-o", "set");
    const order = readFileSync(join(folder, "set/order.tsv"), "utf8").trim().split("\n").map((line) => line.split("\t"));
    const at = (name) => order[0].indexOf(name);
    const answers = order.slice(1).map((row, i) => `${row[at("listener")]}\t${row[at("trial")]}\t${i % 2 ? "a kind of wood" : "steel"}`);
    writeFileSync(join(folder, "answers.tsv"), `listener\ttrial\tanswer\n${answers.join("\n")}\n`);
    run(folder, "answers", "set", "answers.tsv", "-o", "drawn");
    const page = await share();
    for (const file of [join(folder, "drawn/proportions.png"), join(folder, "drawn/ranges.png"), new URL("docs/body-materials.png", root), new URL("docs/stimulus-sets.png", root)]) {
      const { wide, high, colours, ink, isWhole } = await seen(page, file);
      assert.ok(isWhole, `${file} is cut off`);
      assert.ok(wide > 300 && high > 200 && colours > 20 && ink > 0.01, `${file}: ${wide} by ${high}, ${colours} colours, ${ink} of it drawn on`);
    }
    await leave(page);
  },

  async "every scene that a tutorial has its readers write loads in the page as it stands there, and sounds"() {
    const page = await share();
    const folder = new URL("docs/tutorials/", root);
    const text = readdirSync(folder).filter((name) => name.endsWith(".md")).map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
    // A set of stimuli is no scene.
    const written = [...text.matchAll(/^```toml (\S+)\n([^]*?)^```$/gm)].filter(([, , scene]) => !/^\[\[factor\]\]/m.test(scene));
    assert.ok(written.length >= 3, written.map(([, name]) => name).join());
    for (const [, name, scene] of written) {
      await load(page, scene);
      assert.equal(await page.evaluate(() => tocco.text), scene, name);
      assert.ok(await page.evaluate(sounds), `${name} is silent`);
      assert.equal(await problem(page), "", name);
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "every scene that a page of a model says to render opens by its name in the address, and sounds"() {
    const page = await share();
    const shipped = new Set((await scenes(page)).map(({ name }) => name));
    const folder = new URL("docs/models/", root);
    const text = readdirSync(folder).filter((name) => name.endsWith(".md")).map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
    const named = [...new Set([...text.matchAll(/tocco (?:render|play) ([a-z0-9-]+)[ `]/g)].map(([, name]) => name))].filter((name) => shipped.has(name));
    assert.ok(named.length > 30, named.join());
    const faults = [];
    for (const name of named) {
      const words = await page.evaluate(async (wanted) => {
        location.hash = `#${wanted}`;
        for (const until = performance.now() + 20_000; tocco.work.from !== wanted && performance.now() < until;) await new Promise((done) => setTimeout(done, 10));
        return tocco.work.from === wanted ? document.getElementById("problem").textContent : "does not open";
      }, name);
      if (words) faults.push(`${name}: ${words}`);
      else if (!(await page.evaluate(sounds))) faults.push(`${name} is silent`);
    }
    assert.deepEqual(faults, []);
    assert.deepEqual(page.complaints, []);
    assert.ok(page.url().startsWith(address));
    await leave(page);
  },
};
