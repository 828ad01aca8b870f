// SPDX-License-Identifier: MIT OR Apache-2.0
// Notes from a MIDI keyboard and from letters. No device is here: the browser is given one that is fed with real bytes.
import assert from "node:assert/strict";
import { BAR, control, endTake, heard, hushed, keep, leave, listen, load, open, share, sounded, struck } from "./harness.mjs";

/** Three voices of a bar at A4, as the program's own tests of its translator have it. */
const VOICES = `${struck("voices", `type = "modal"
modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]
`, { at: "bar", ear: "bar", gain: "20.0" })}${control("hard", "hit/stiffness", "[1e6, 1e10]")}${control("long", "bar/decay_scale", "[0.1, 10.0]")}[midi]
notes = "pitch"
low = 48
high = 103
strike = "hammer"
velocity_m_s = [0.25, 4.0]
retune = "bar"
reference = 69
voices = 3
pressure = "long"
slide = "hard"
cc = { "1" = "hard" }
`;

/** Two masses on two ports: notes pick which. */
const BODIES = VOICES.slice(0, VOICES.indexOf("[midi]")).replace("[body.bar]", '[body.other]\ntype = "mass"\nmass_kg = 0.02\nposition_m = -1.0\n[body.bar]')
  + '[contact.touch]\ntype = "impact"\nbetween = ["other", "bar"]\nstiffness = 1e7\n[midi]\nnotes = "bodies"\nlow = 36\nstrike = ["hammer", "other"]\nvelocity_m_s = [0.5, 2.0]\n';

/** A page with a keyboard plugged in, MIDI switched on, and an ear on what goes to the engine. */
async function withKeyboard(scene) {
  const page = await share();
  await page.evaluate(() => {
    globalThis.keyboard = { name: "a keyboard", onmidimessage: null };
    navigator.requestMIDIAccess = async () => ({ inputs: new Map([["1", globalThis.keyboard]]), onstatechange: null });
  });
  await load(page, scene);
  await page.click("#midi");
  await page.waitForFunction(() => document.getElementById("said").textContent.includes("a keyboard"));
  await listen(page);
  return page;
}

/** Plays bytes, and gives what they ordered. */
const press = (page, ...bytes) => page.evaluate((data) => {
  globalThis.sent = [];
  globalThis.keyboard.onmidimessage({ data: Uint8Array.from(data) });
  return globalThis.sent;
}, bytes);

/** Frequency of the strongest partial of what was heard last, Hz. */
const pitch = (page) => page.evaluate(async () => {
  const { Spectrum } = await import("./fft.js");
  const power = new Spectrum(8192).of(tocco.engine.ring.column(0, 8192));
  const top = power.indexOf(Math.max(...power));
  const [a, b, c] = [-1, 0, 1].map((i) => Math.log(power[top + i]));
  return ((top + (a - c) / (2 * (a - 2 * b + c))) * tocco.engine.rate) / 8192;
});

const near = (got, wanted, part = 1e-9) => assert.ok(Math.abs(got / wanted - 1) < part, `${got}, not ${wanted}`);

export default {
  async "a MIDI note tunes a voice and strikes it as the scene's table says, and the pitch is heard"() {
    const page = await withKeyboard(VOICES);
    assert.equal(await page.evaluate(() => tocco.info.bodies.filter(({ name }) => name.startsWith("bar")).length), 3);
    assert.equal(await page.evaluate(() => tocco.text.includes("bar~2")), false, "the editor keeps the scene as written");
    assert.equal(await page.locator("#surfaces canvas").count(), 1, "copies are not shown");
    const [tuned, struck] = await press(page, 0x90, 81, 127);
    assert.deepEqual(tuned, { jump: "bar/freq_scale", value: 2 });
    assert.equal(struck.strike, "hammer");
    near(struck.velocity_m_s, 4);
    await sounded(page, 0.3);
    near(await pitch(page), 880, 3e-3);
    const second = await press(page, 0x90, 69, 64);
    assert.deepEqual(second[0], { jump: "bar~2/freq_scale", value: 1 });
    near(second[1].velocity_m_s, 0.25 * 16 ** (63 / 126));
    assert.deepEqual(await press(page, 0x90, 104, 100), [], "above the highest note");
    assert.deepEqual(await press(page, 0x80, 69, 0), [], "letting go damps nothing");
    await leave(page);
  },

  async "a fourth note takes the quietest of three voices, as measured"() {
    const page = await withKeyboard(VOICES);
    for (const [note, velocity] of [[60, 100], [64, 20], [67, 127]]) await press(page, 0x90, note, velocity);
    await sounded(page, 0.2);
    assert.equal((await press(page, 0x90, 72, 100))[0].jump, "bar~2/freq_scale");
    await sounded(page, 0.2);
    // The first two sound much alike; the last blow was the hardest of them all.
    assert.notEqual((await press(page, 0x90, 74, 100))[0].jump, "bar~3/freq_scale");
    await leave(page);
  },

  async "bend, pressure, slide and controllers of MIDI move what the table names"() {
    const page = await withKeyboard(VOICES);
    await press(page, 0x90, 69, 127);
    const [bent] = await press(page, 0xe0, 127, 127);
    assert.equal(bent.set, "bar/freq_scale");
    near(bent.value, 2 ** (2 / 12));
    await sounded(page, 0.5);
    near(await pitch(page), 440 * 2 ** (2 / 12), 3e-3);
    assert.deepEqual(await press(page, 0xd0, 127), [{ set: "long", value: 1 }]);
    assert.deepEqual(await press(page, 0xb0, 74, 0), [{ set: "hard", value: 0 }]);
    assert.deepEqual(await press(page, 0xb0, 1, 127), [{ set: "hard", value: 1 }]);
    // The control and what it moves agree, on the page and in the engine.
    await page.locator("#controls summary").click();
    await press(page, 0xb0, 1, 64);
    await page.waitForFunction(() => {
      const [wanted, near] = [1e6 * 1e4 ** (64 / 127), (a, b) => Math.abs(a / b - 1) < 1e-6];
      const [hard, stiffness] = ["hard", "hit/stiffness"].map((path) => tocco.controls.rows.get(path)?.value);
      const heard = tocco.last?.settings?.values[tocco.info.paths.findIndex(({ path }) => path === "hit/stiffness")];
      return near(hard, 64 / 127) && near(stiffness, wanted) && near(heard, wanted);
    });
    assert.deepEqual(await press(page, 0xb0, 120, 0), [{ hush: true }]);
    await hushed(page);
    await leave(page);
  },

  async "MIDI notes pick bodies where the table says so, and letters play the same table"() {
    const page = await withKeyboard(BODIES);
    const [first] = await press(page, 0x90, 36, 1);
    assert.deepEqual(first, { strike: "hammer", velocity_m_s: 0.5 });
    const [second] = await press(page, 0x90, 37, 127);
    assert.equal(second.strike, "other");
    near(second.velocity_m_s, 2);
    await load(page, VOICES);
    await page.locator("#keys").check();
    await page.locator("#play").focus();
    await page.evaluate(() => (globalThis.sent = []));
    await page.keyboard.press("h"); // A above middle C
    assert.deepEqual(await page.evaluate(() => globalThis.sent[0]), { jump: "bar/freq_scale", value: 1 });
    await heard(page);
    await leave(page);
  },

  async "what MIDI plays is in the take, which the program renders to the same samples"() {
    const page = await withKeyboard(VOICES);
    await keep(page, "#record");
    await sounded(page, 0.15);
    for (const note of [60, 64, 67, 72]) {
      await press(page, 0x90, note, 100);
      await press(page, 0xe0, 0, 80);
      await sounded(page, 0.06);
    }
    const text = await endTake(page, "midi");
    assert.ok(text.includes('"jump":"bar~3/freq_scale"'));
    await leave(page);
  },

  async "without a table MIDI notes tune what is struck to the pitch of the key, and a refusal is one sentence"() {
    const page = await withKeyboard(BAR);
    const gestures = await press(page, 0x90, 72, 127);
    const tuned = gestures.find((line) => line.jump === "bar/freq_scale");
    const lowest = await page.evaluate(() => tocco.info.bodies[1].modes.find(({ freq_hz }) => freq_hz > 20).freq_hz);
    near(tuned.value, 440 * 2 ** (3 / 12) / lowest);
    assert.ok(gestures.some((line) => line.strike === "hammer"));
    const [bent] = await press(page, 0xe0, 0, 0);
    near(bent.value, tuned.value * 2 ** (-2 / 12));
    await leave(page);
    const other = await open({ before: () => (navigator.requestMIDIAccess = async () => { throw new DOMException("no", "SecurityError"); }) });
    await other.click("#midi");
    await other.waitForFunction(() => document.getElementById("said").textContent.includes("refused"));
    await leave(other);
  },
};
