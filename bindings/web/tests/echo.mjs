// SPDX-License-Identifier: MIT OR Apache-2.0
// A microphone that hears the loudspeaker: it is noticed, said, and gated out; one that does not is left alone.
import assert from "node:assert/strict";
import { compare, Gate, WINDOW } from "../studio/echo.js";
import { heard, leave, load, open, peak, sounded } from "./harness.mjs";

/** Seeded noise, about normal. */
function noise(seed) {
  let state = seed * 2654435761 >>> 0;
  const unit = () => ((state = (1664525 * state + 1013904223) >>> 0) / 2 ** 32);
  return Float32Array.from({ length: WINDOW }, () => unit() + unit() + unit() - 1.5);
}
/** Steps: noise in bursts, a tenth of a second every half. */
const steps = (seed, from) => noise(seed).map((x, i) => x * ((i + from) % 3000 < 600 ? 0.5 : 0.005));

/** A floor that follows the microphone. */
const LISTENS = `title = "a floor that listens"
[signal.press]
type = "follow"
input = 0
most = 0.3
[process.stones]
type = "particles"
driven_by = "press"
objects = 80.0
collisions_hz = 20.0
load = 1.0
level = 20.0
system_decay_s = 0.05
sound_decay_s = 0.002
gain = 1.0
resonances = [{ freq_hz = 900.0, bandwidth_hz = 900.0, gain = 1.0 }]
[[tap]]
of = "stones"
quantity = "sound"
gain = 0.5
`;

export default {
  async "the loudspeaker is told from steps that sound alike, from hum and from a louder walker"() {
    let [missed, wrong] = [0, 0];
    for (let seed = 1; seed <= 20; seed += 1) {
      const played = steps(seed, 0);
      // Comes back 500 values later at a third, under the walker's own steps.
      const own = steps(seed + 100, 1400);
      const back = own.map((x, i) => 0.4 * x + (i >= 500 ? 0.33 * played[i - 500] : 0));
      const found = compare(played, back);
      if (!found.is || found.steps !== 500) missed += 1;
      // The same rhythm at the same time, but another sound: what a floor makes of a step that is heard.
      if (compare(played, steps(seed + 200, 0)).is) wrong += 1;
      const hum = Float32Array.from({ length: WINDOW }, (_, i) => 0.1 * Math.sin(0.052 * i));
      if (compare(played, hum)?.is) wrong += 1;
    }
    assert.ok(missed <= 1, `${missed} of 20 missed`);
    assert.equal(wrong, 0, `${wrong} of 40 taken for the loudspeaker`);
    assert.equal(compare(new Float32Array(WINDOW), noise(1)), null, "nothing is played");
  },

  async "the gate closes on what is played and opens for what is louder"() {
    const gate = new Gate(48_000);
    gate.learn(0.3, 0.02);
    const quantum = (size) => new Float32Array(128).fill(size);
    const hear = (played, heard) => {
      const block = quantum(heard);
      gate.pass(block);
      gate.note(quantum(played), quantum(heard));
      return Math.abs(block[127]);
    };
    for (let k = 0; k < 40; k += 1) hear(0.5, 0);
    for (let k = 0; k < 10; k += 1) hear(0.5, 0.15);
    assert.equal(hear(0.5, 0.15), 0, "the loudspeaker itself");
    assert.ok(Math.abs(hear(0.5, 0.9) - 0.9) < 1e-6, "a step beside it");
    gate.isOn = false;
    for (let k = 0; k < 200; k += 1) hear(0.5, 0.15);
    assert.ok(Math.abs(hear(0.5, 0.15) - 0.15) < 1e-6, "switched off");
    gate.isOn = true;
    gate.learn(0, 0);
    assert.ok(Math.abs(hear(0.5, 0.15) - 0.15) < 1e-6, "nothing comes back");
  },

  async "a page whose microphone hears its loudspeaker says so, and its gate ends the circle"() {
    // The microphone of this page is its own output, 40 ms later.
    const page = await open({ before: () => {
      navigator.mediaDevices.getUserMedia = async () => {
        const { context, node } = globalThis.tocco.engine;
        const to = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
        const late = new DelayNode(context, { delayTime: 0.04 });
        globalThis.room = new GainNode(context, { gain: 1.5 });
        globalThis.hand = new GainNode(context, { gain: 1 });
        node.connect(room).connect(late).connect(to);
        hand.connect(to);
        return to.stream;
      };
    } });
    /** A clap into the microphone: 30 ms of noise. */
    const clap = () => page.evaluate(() => {
      const { context } = tocco.engine;
      const buffer = context.createBuffer(1, 0.03 * context.sampleRate, context.sampleRate);
      buffer.getChannelData(0).forEach((_, i, all) => (all[i] = Math.random() - 0.5));
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(hand);
      source.start();
    });
    await page.evaluate(() => tocco.engine.turn(true));
    await load(page, LISTENS);
    await page.waitForFunction(() => globalThis.hand && tocco.engine.source);
    assert.ok(await page.isVisible("#gate"));
    await page.uncheck("#gate");
    await sounded(page, 0.3);
    assert.ok((await peak(page, 9600)) < 1e-4, "silence");
    await clap();
    await sounded(page, 1.5);
    assert.ok((await peak(page, 24_000)) > 1e-2, "without the gate it goes round and round");
    await page.waitForFunction(() => /hears the loudspeaker, \d+ ms later/.test(document.getElementById("echo").textContent), null, { timeout: 15_000 });
    const seconds = await page.evaluate(() => tocco.engine.echo.seconds);
    assert.ok(seconds > 0.03 && seconds < 0.3, `${seconds} s`);
    await page.check("#gate");
    await page.waitForFunction(() => tocco.engine.ring.column(0, 24_000).every((x) => Math.abs(x) < 1e-3), null, { timeout: 15_000 });
    // A clap is still heard, and does not go round.
    await clap();
    await heard(page);
    await page.waitForFunction(() => tocco.engine.ring.column(0, 24_000).every((x) => Math.abs(x) < 1e-3), null, { timeout: 15_000 });
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },
};
