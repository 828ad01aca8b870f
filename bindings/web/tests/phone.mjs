// SPDX-License-Identifier: MIT OR Apache-2.0
// The phone page: a walk that is felt becomes steps that are heard, shaking scrapes, and all of it is logged, sent and said.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { address, heardOsc, leave, open, peak, shots, silence, wait, work } from "./harness.mjs";

const PHONE = { width: 390, height: 844 };
const openPhone = (options = {}) => open({ at: `${address}phone.html`, viewport: PHONE, hasTouch: true, isMobile: true, ...options });

/** Plays accelerations to the page in their own time: `a(t)` gives x, y, z at t seconds. */
const carry = (page, a, seconds) => page.evaluate(async ([body, length]) => {
  const at = new Function("t", `return (${body})(t)`);
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < 1000 * length) {
    const t = (performance.now() - began) / 1000;
    for (; sent / 60 < t; sent += 1) {
      const [x, y, z] = at(sent / 60);
      // The time of a reading is when it was taken, however late the browser hands it over.
      const event = new DeviceMotionEvent("devicemotion", { accelerationIncludingGravity: { x, y, z }, interval: 1000 / 60 });
      Object.defineProperty(event, "timeStamp", { value: began + (1000 * sent) / 60 });
      dispatchEvent(event);
    }
    await new Promise((done) => setTimeout(done, 8));
  }
  return sent;
}, [a.toString(), seconds]);

/** A knock of 4 m/s^2 every 0.55 s, with the phone on its side. */
const WALK = (t) => {
  const since = (t - 0.5) % 0.55;
  const knock = t >= 0.5 && since < 0.1 ? 4 * Math.sin(Math.PI * since * 10) : 0;
  return [9.81 + knock, 0, 0.3];
};
const SHAKE = (t) => [6 * Math.sin(2 * Math.PI * 8 * t), 9.81, 0];
const STILL = () => [0, 9.81, 0];

export default {
  async "a walk that a phone feels is heard as steps on the chosen floor, vibrates by the same events and tells its latency"() {
    const page = await openPhone({ before: () => {
      globalThis.buzzed = [];
      Object.defineProperty(navigator, "vibrate", { value: (ms) => buzzed.push(ms) });
    } });
    await page.click("#start");
    await page.waitForFunction(() => tocco.isOn);
    assert.match(await page.textContent("#latency"), /about \d+ ms after the foot: 40 ms until a step stands out/);
    assert.ok((await peak(page, 4800)) < 1e-6, "it lies still");
    await carry(page, WALK, 6);
    // From 0.5 s on, one every 0.55 s: eleven, or ten if the last is still to come.
    const count = await page.evaluate(() => tocco.count);
    assert.ok(count === 10 || count === 11, `${count} steps`);
    assert.ok((await peak(page, 48_000)) > 1e-3, "the steps are heard");
    const buzzed = await page.evaluate(() => buzzed);
    assert.ok(buzzed.length >= count && buzzed.every((ms) => ms >= 8 && ms <= 32), `${buzzed.length} buzzes for ${count} steps`);
    // Without footsteps nothing is heard, and the floor may be another.
    await page.screenshot({ path: join(shots, "phone-page.png"), fullPage: true });
    await page.uncheck("#steps");
    await page.selectOption("#floor", "floor-wood");
    await silence(page);
    await carry(page, WALK, 2);
    assert.ok((await peak(page, 24_000)) < 1e-4, "counted, not heard");
    await page.check("#steps");
    await carry(page, WALK, 2);
    assert.ok((await peak(page, 48_000)) > 1e-4, "wood is heard");
    assert.match(await page.textContent("#rate"), /^(5[5-9]|6\d) readings a second/);
    assert.equal(await page.evaluate(() => tocco.engine.info.walks[0].sole), "boot");
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "what happens in a scene buzzes as strongly as it is among its own, and of those within 40 ms the strongest"() {
    const page = await openPhone();
    const told = await page.evaluate(async () => {
      const { Buzz } = await import("./phone.js");
      const all = [];
      const buzz = new Buzz((ms) => all.push(ms));
      // Five numbers each: tick, process, size, x, y.
      const events = (...list) => Float64Array.from(list.flatMap(([process, size]) => [0, process, size, 0, 0]));
      const said = (...list) => {
        const before = all.length;
        buzz.happened(events(...list.slice(1)), list[0]);
        return all.slice(before);
      };
      return {
        nothing: said(0),
        first: said(100, [0, 4]), // the largest of its own so far
        weaker: said(120, [0, 1]), // within 40 ms
        alone: said(200, [0, 1]), // a quarter of the energy, half as strong
        stronger: said(215, [0, 4]), // takes its place
        others: said(300, [0, 0.04], [1, 7]), // each among its own
        faint: said(400, [0, 0.01]),
      };
    });
    assert.deepEqual(told, { nothing: [], first: [32], weaker: [], alone: [20], stronger: [32], others: [32], faint: [] });
    await leave(page);
  },

  async "shaking to and fro scrapes as long as it lasts, and accelerations are heard directly as a tone"() {
    const page = await openPhone();
    await page.click("#start");
    await page.waitForFunction(() => tocco.isOn);
    await page.uncheck("#steps");
    await carry(page, STILL, 1);
    assert.ok((await peak(page, 4800)) < 1e-6);
    await carry(page, SHAKE, 2);
    assert.ok((await peak(page, 24_000)) > 1e-4, "it scrapes");
    await carry(page, STILL, 1.5);
    await page.waitForFunction(() => tocco.engine.ring.column(0, 12_000).every((x) => Math.abs(x) < 1e-3), null, { timeout: 15_000 }).catch(() => assert.fail("it has not ended"));
    // y one g up: an octave above 440 Hz; x 5 m/s^2: half as loud as it can be.
    await page.check("#tone");
    await carry(page, () => [5, 9.81, 0], 1);
    await page.waitForFunction(() => Math.abs(tocco.oscillator.frequency.value - 880) < 10 && Math.abs(tocco.loudness.gain.value - 0.15) < 0.01, null, { timeout: 10_000 }).catch(() => {});
    const [hz, gain] = await page.evaluate(() => [tocco.oscillator.frequency.value, tocco.loudness.gain.value]);
    assert.ok(Math.abs(hz - 880) < 10, `${hz} Hz`);
    assert.ok(Math.abs(gain - 0.15) < 0.01, `${gain}`);
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "what a phone feels is logged as a table that others read"() {
    const page = await openPhone();
    await page.click("#start");
    await page.waitForFunction(() => tocco.isOn);
    await page.click("#log");
    const sent = await carry(page, WALK, 3);
    await page.click("#log");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
    const to = join(work, "accelerations.csv");
    await file.saveAs(to);
    const [head, ...rows] = readFileSync(to, "utf8").trim().split("\n");
    assert.equal(head, "time_s,x_m_s2,y_m_s2,z_m_s2,step,scrape_m_s");
    assert.equal(rows.length, sent);
    const cells = rows.map((row) => row.split(",").map(Number));
    assert.ok(cells.every((row) => row.length === 6 && row.every(Number.isFinite)));
    assert.ok(cells.every(([t], i) => i === 0 || t > cells[i - 1][0]), "time rises");
    const steps = cells.reduce((sum, row) => sum + row[4], 0);
    assert.ok(steps === 4 || steps === 5, `${steps} steps`);
    assert.ok(Math.abs(cells[0][1] - 9.81) < 1e-3);
    await leave(page);
  },

  async "a phone is a sensor of the program: its steps arrive as OSC that floors and shoes listen to"() {
    const page = await openPhone();
    await page.click("#start");
    await page.waitForFunction(() => tocco.isOn);
    for (const [to, name] of [["walker", "/walker/heel_left"], ["shoe", "/shoe/toe_right"]]) {
      await page.selectOption("#send", to);
      await page.waitForFunction(() => tocco.socket?.readyState === 1);
      const messages = [];
      const hear = (bytes) => messages.push(bytes);
      heardOsc.on("message", hear);
      await carry(page, WALK, 3);
      const ours = () => messages.filter((bytes) => bytes.subarray(0, name.length).toString() === name);
      const isLifted = () => ours().length >= 20 && Math.abs(ours().at(-1).readFloatBE(ours().at(-1).indexOf(",") + 4)) < 1e-6;
      for (const until = Date.now() + 10_000; !isLifted() && Date.now() < until;) await wait(page, 100);
      heardOsc.off("message", hear);
      const own = ours();
      assert.ok(own.length >= 20, `${to}: ${own.length} of ${messages.length}`);
      const forces = own.map((bytes) => bytes.readFloatBE(bytes.indexOf(",") + 4));
      assert.ok(Math.max(...forces) > 0.5 && Math.max(...forces) < 2, `${Math.max(...forces)} BW`);
      assert.ok(Math.abs(forces.at(-1)) < 1e-6, "the foot is lifted");
    }
    await leave(page);
  },

  async "a page that may not feel motion says why and what to do"() {
    const insecure = await openPhone({ before: () => Object.defineProperty(globalThis, "isSecureContext", { value: false }) });
    assert.match(await insecure.textContent("#problem"), /HTTPS.*tocco studio --export/s);
    await insecure.screenshot({ path: join(shots, "phone-insecure.png") });
    await leave(insecure);
    const refused = await openPhone({ before: () => (DeviceMotionEvent.requestPermission = async () => "denied") });
    await refused.click("#start");
    await refused.waitForFunction(() => /refused/.test(document.getElementById("problem").textContent));
    await leave(refused);
    const dumb = await openPhone();
    await dumb.click("#start");
    await dumb.waitForFunction(() => /says nothing/.test(document.getElementById("problem").textContent), null, { timeout: 10_000 });
    await leave(dumb);
  },

  async "every floor that is shipped can be walked on with a phone"() {
    const page = await openPhone();
    const floors = (await page.evaluate(() => tocco.floors.map(({ name }) => name)));
    assert.ok(floors.length >= 16, `${floors.length}`);
    await page.click("#start");
    await page.waitForFunction(() => tocco.isOn);
    await carry(page, STILL, 0.3);
    for (const floor of floors) {
      await page.evaluate((name) => {
        document.getElementById("floor").value = name;
        return tocco.engine.load(tocco.scene(), true);
      }, floor);
      await page.evaluate(() => tocco.step({ at: 0, foot: 0, force: 1.1 }));
      await page.waitForFunction(() => tocco.engine.ring.column(0, 24_000).some((x) => Math.abs(x) > 1e-4), null, { timeout: 10_000 })
        .catch(() => assert.fail(`${floor} is not heard`));
      assert.equal(await page.textContent("#problem"), "", floor);
    }
    await leave(page);
  },
};
