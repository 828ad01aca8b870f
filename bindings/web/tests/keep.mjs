// SPDX-License-Identifier: MIT OR Apache-2.0
// Files, links, takes, renders.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BAR, endTake, heard, keep, leave, load, open, peak, rendersTo, samplesOf, share, shots, sounded, work } from "./harness.mjs";

export default {
  async "a saved scene, a link and a typed edit give the scene back"() {
    const page = await share();
    await load(page, BAR);
    const [file] = await Promise.all([page.waitForEvent("download"), keep(page, "#save")]);
    const saved = readFileSync(await file.path(), "utf8");
    assert.equal(saved, BAR);
    await page.evaluate(() => tocco.choose("bell"));
    const path = join(work, "bar.toml");
    writeFileSync(path, saved);
    await page.setInputFiles("#file", path);
    await page.waitForFunction(() => document.getElementById("title").textContent === "a bar");
    await keep(page, "#share");
    await page.waitForFunction(() => location.hash.startsWith("#scene="));
    const link = page.url();
    const other = await open({ at: link });
    assert.equal(await other.evaluate(() => document.getElementById("title").textContent), "a bar");
    assert.equal(await other.evaluate(() => tocco.text), BAR);
    await leave(other);
    await page.fill("#source", BAR.replace('"a bar"', '"another bar"'));
    await page.waitForFunction(() => document.getElementById("title").textContent === "another bar");
    await leave(page);
  },

  async "an edit keeps what stays sounding"() {
    const page = await share();
    const long = BAR.replace('material = "steel"\n', 'material = "steel"\ndecay_scale = 20.0\n'); // however late the machine is
    await load(page, long);
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await page.waitForFunction(() => tocco.last.of === tocco.engine.scene && tocco.last.energies[1] > 0);
    const before = await page.evaluate(() => tocco.last.energies[1]);
    await page.fill("#source", long.replace("gain = 0.3", "gain = 0.31"));
    await page.waitForFunction(() => document.getElementById("edit-note").textContent === "taken");
    await page.waitForFunction(() => tocco.last.of === tocco.engine.scene);
    const after = await page.evaluate(() => tocco.last.energies[1]);
    assert.ok(after > 0.05 * before && after <= before, `${before} J, then ${after} J`);
    await leave(page);
  },

  async "a recorded take renders with the program to the very samples that were heard"() {
    const page = await share();
    await load(page, BAR);
    await keep(page, "#record");
    await sounded(page, 0.15);
    for (const x of [0.1, 0.5, 0.83]) {
      await page.evaluate((at) => tocco.surfaces.at(-1).strike([at, 0.5]), x);
      await page.evaluate((at) => tocco.controls.put("size", at, true), x);
      await sounded(page, 0.13);
    }
    await page.click("#recording");
    await page.waitForFunction(() => document.getElementById("recorded").open);
    await page.screenshot({ path: join(shots, "take.png") });
    const [take] = await Promise.all([page.waitForEvent("download"), page.click("#take-file")]);
    const [sound] = await Promise.all([page.waitForEvent("download"), page.click("#take-wav")]);
    const from = join(work, "take.jsonl");
    await take.saveAs(from);
    rendersTo(from, samplesOf(await sound.path()));
    await leave(page);
  },

  async "blows on 500 modes take fewer steps, to be in time, and a take of them renders to the very samples that were heard"() {
    const page = await share();
    await load(page, BAR.replace('[body.bar.port]', 'modes = 500\n[body.bar.port]').replace('shape = "bar"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005', 'shape = "circular-membrane"\nradius_m = 0.33\nthickness_m = 0.00019\nfreq_hz = 82.4')
      .replace('"steel"', '"mylar"').replace("place = 0.2\near = 0.02", "place = [0.2, 0.3]\near = [0.6, 0.7]").replace("bar/freq_scale", "hammer/mass_kg").replace("[0.5, 2.0]", "[0.005, 0.02]"));
    assert.equal(await page.evaluate(() => tocco.info.bodies.find(({ name }) => name === "bar").modes.length), 500);
    await keep(page, "#record");
    await page.waitForFunction(() => tocco.last?.tick > 4800);
    await page.evaluate(() => tocco.engine.send({ strike: "hammer", velocity_m_s: 1 }));
    await heard(page, 1e-4);
    const lines = (await endTake(page, "many")).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.filter(({ quality }) => quality).map(({ quality }) => quality.max_substeps), [16]);
    await leave(page);
  },

  async "a scene that listens hears the microphone, and so does its take; refused, it hears silence and says so"() {
    const listening = BAR.replace("[[tap]]", '[[drive]]\npath = "bar.place/force_n"\ninput = 0\ngain = 5.0\n[[tap]]');
    const page = await open({
      before: () => {
        globalThis.asked = 0;
        navigator.mediaDevices.getUserMedia = async () => {
          globalThis.asked += 1;
          const context = new AudioContext();
          const [tone, ear] = [context.createOscillator(), context.createMediaStreamDestination()];
          tone.connect(ear);
          tone.start();
          return ear.stream;
        };
      },
    });
    await load(page, BAR);
    assert.equal(await page.evaluate(() => globalThis.asked), 0, "a scene that does not listen opens nothing");
    await load(page, listening);
    await heard(page);
    assert.equal(await page.evaluate(() => globalThis.asked), 1);
    await keep(page, "#record");
    await sounded(page, 0.4);
    const text = await endTake(page, "heard");
    assert.ok(text.includes('"input":'));
    await leave(page);
    const deaf = await open({ before: () => (navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", "NotAllowedError"); }) });
    await load(deaf, listening);
    await deaf.waitForFunction(() => document.getElementById("said").textContent.includes("hears silence"));
    await sounded(deaf, 0.2);
    assert.equal(await peak(deaf, 4000), 0);
    await leave(deaf);
  },

  async "another scene while a take is kept is part of the take, and a scene that does not fit leaves it as it was"() {
    const page = await share();
    await load(page, BAR);
    await keep(page, "#record");
    await sounded(page, 0.15);
    await page.evaluate(() => tocco.engine.send({ strike: "hammer", velocity_m_s: 1 }));
    await sounded(page, 0.15);
    const wide = `${BAR}[output.main]\nchannels = [0, 1]\n`;
    const refused = await page.evaluate((scene) => tocco.take(scene, { fresh: true }).catch((error) => error.message), wide);
    assert.match(refused, /channels/);
    await load(page, BAR.replace("length_m = 0.3", "length_m = 0.2"));
    await page.evaluate(() => tocco.engine.send({ strike: "hammer", velocity_m_s: 1 }));
    await sounded(page, 0.15);
    const text = await endTake(page, "scenes");
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.flatMap((line) => ("adopt" in line ? [line.adopt] : line.strike ? ["strike"] : [])), ["strike", false, "strike"]);
    await leave(page);
  },

  async "an offline render is a WAV, made faster than it sounds"() {
    const page = await share();
    await load(page, BAR.replace("position_m = -1.0", "velocity_m_s = 1.0"));
    const [file] = await Promise.all([page.waitForEvent("download"), keep(page, "#render")]);
    const bytes = readFileSync(await file.path());
    assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
    assert.ok(bytes.length > 4 * 47_000);
    const said = await page.evaluate(() => document.getElementById("said").textContent);
    assert.ok(Number(/(\d+) times/.exec(said)[1]) > 1, said);
    await leave(page);
  },
};
