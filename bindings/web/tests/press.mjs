// SPDX-License-Identifier: MIT OR Apache-2.0
// Holding and squeezing: the inlets of scenes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { endTake, keep, leave, load, open, peak, problem, scenes, share, shots, sounded, wait } from "./harness.mjs";

/** The shipped scenes of processes. */
const CRACKLING = ["maracas", "sleigh-bells", "tambourine", "crisps", "paper-tear", "can", "wine-glass-break", "plate-break",
  "board-break", "plastic-cup-break", "popcorn", "campfire", "gravel-pour", "marbles-in-a-bowl", "coins", "rain-stick", "chain-let-down"];

/** A sheet that crackles as far as it is squeezed, and a drum that is slapped. */
const SHEET = `title = "a sheet"
[signal.squeeze]
type = "input"
unit = "N"
max = 2.0
[process.sheet]
type = "crumple"
driven_by = "squeeze"
events = 300.0
energy_j = [1e-7, 1e-4]
modes = [{ freq_hz = 900.0, decay_s = 0.004, mass_kg = 0.002 }, { freq_hz = 2300.0, decay_s = 0.003, mass_kg = 0.002 }]
[signal.slap]
type = "input"
[body.head]
type = "modal"
modes = [{ freq_hz = 210.0, decay_s = 0.2, mass_kg = 0.05 }]
[process.hand]
type = "spread"
driven_by = "slap"
on = "head"
momentum_n_s = 0.05
[[tap]]
of = "sheet"
quantity = "sound"
gain = 0.01
[[tap]]
of = "head"
gain = 0.05
`;

const surface = (page, name) => page.evaluate((wanted) => {
  const { now, total, fingers, inlet, isBlow } = tocco.surfaces.find((s) => s.inlet?.name === wanted);
  return { now, total, held: fingers.size, inlet, isBlow };
}, name);

/** Where on the screen the pad of an inlet is; it is brought there. */
async function pad(page, name) {
  const canvas = page.locator(`#surfaces canvas[aria-label^="Press ${name}."]`);
  await canvas.scrollIntoViewIfNeeded();
  return canvas.boundingBox();
}

/** Everything that is pressed is let go, and silence is waited for. */
async function letGo(page) {
  await page.evaluate(() => {
    for (const { inlet } of tocco.surfaces.filter((s) => s.inlet)) tocco.engine.set(inlet.path, inlet.rest);
  });
  await page.waitForFunction(() => tocco.engine.ring.column(0, 4800).every((x) => Math.abs(x) < 1e-4), null, { timeout: 30_000 });
}

export default {
  async "every scene of processes is played by its pads: out of silence, held and squeezed, heard, and its events are drawn"() {
    const page = await share();
    await page.evaluate(() => tocco.engine.isOn || tocco.engine.turn(true));
    const known = new Set((await scenes(page)).map(({ name }) => name));
    for (const name of CRACKLING) {
      assert.ok(known.has(name), `no scene ${name}`);
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      const inlets = await page.evaluate(() => tocco.info.inlets.map((inlet) => inlet.name));
      assert.ok(inlets.length > 0, `${name}: nothing to press`);
      for (const inlet of inlets) {
        await letGo(page).catch(() => assert.fail(`${name}: not silent when ${inlet} is let go`));
        const before = await surface(page, inlet);
        const box = await pad(page, inlet);
        await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
        await page.mouse.down();
        await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.1 * box.height, { steps: 6 });
        // However late the machine is: until it is held, and something has happened that is heard.
        await page.waitForFunction(([wanted, total]) => {
          const own = tocco.surfaces.find((s) => s.inlet?.name === wanted);
          return own.now > 0.7 * own.inlet.max && own.total > total && tocco.engine.ring.column(0, 48_000).some((x) => Math.abs(x) > 0.003);
        }, [inlet, before.total], { timeout: 15_000 }).catch(() => {});
        const held = await surface(page, inlet);
        assert.ok(held.now > 0.7 * held.inlet.max, `${name}: ${inlet} is at ${held.now} while it is held`);
        const loud = await peak(page, 48_000);
        await page.mouse.up();
        const isLeft = page.waitForFunction((wanted) => {
          const own = tocco.surfaces.find((s) => s.inlet?.name === wanted);
          return own.now < 0.1 * own.inlet.max && own.fingers.size === 0;
        }, inlet, { timeout: 15_000 });
        await isLeft.catch(() => {});
        const loudest = Math.max(loud, await peak(page, 48_000));
        const after = await surface(page, inlet);
        assert.ok(after.now < 0.1 * held.inlet.max && after.held === 0, `${name}: ${inlet} is at ${after.now} when it is let go`);
        assert.ok(after.total > before.total, `${name}: nothing happened`);
        assert.ok(loudest > 0.003 && loudest < 4, `${name}: peak ${loudest}`);
      }
      assert.equal(await problem(page), "", name);
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "what a scene's own drive does is drawn before anybody touches it"() {
    const page = await share();
    await page.evaluate(() => tocco.choose("crisps"));
    await page.waitForFunction(() => {
      const [press] = tocco.surfaces;
      return press.now > 0.3 && press.total > 50;
    }, null, { timeout: 10_000 });
    await wait(page, 800);
    const painted = await page.evaluate(() => {
      const { canvas } = tocco.surfaces[0];
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(painted > 50, `${painted} colours`);
    await page.screenshot({ path: join(shots, "press.png"), fullPage: true });
    await leave(page);
  },

  async "a hand closes within the time that is asked for, a slap comes at once, the hardest finger counts, and a pen presses as hard as it is pressed"() {
    const page = await share();
    await load(page, SHEET);
    const sent = await page.evaluate(() => {
      const all = [];
      tocco.engine.send = (gesture) => all.push(gesture);
      const [squeeze, slap] = tocco.surfaces;
      squeeze.hold(1, 0.5);
      squeeze.hold(2, 0.8);
      squeeze.hold(2, 0.2);
      squeeze.lift(1);
      squeeze.lift(2);
      squeeze.lift(2);
      slap.hold(1, 1);
      slap.lift(1);
      return all;
    });
    const time = await page.evaluate(() => tocco.squeeze());
    assert.deepEqual(sent, [
      { set: "squeeze/value", value: 1, glide_s: time },
      { set: "squeeze/value", value: 1.6, glide_s: 0.03 },
      { set: "squeeze/value", value: 1, glide_s: 0.03 },
      { set: "squeeze/value", value: 0.4, glide_s: 0.03 },
      { set: "squeeze/value", value: 0, glide_s: time },
      { set: "slap/value", value: 1 },
      { set: "slap/value", value: 0 },
    ]);
    const pen = await page.evaluate(() => {
      const values = [];
      tocco.engine.send = ({ value }) => values.push(value);
      const [{ canvas }] = tocco.surfaces;
      canvas.setPointerCapture = () => {};
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const event = (type, pressure) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 3, pointerType: "pen", pressure, clientX: left + width / 2, clientY: top + height / 2, bubbles: true }));
      event("pointerdown", 0.2);
      event("pointermove", 0.9);
      event("pointerup", 0);
      return values;
    });
    assert.deepEqual(pen.map((value) => Number(value.toFixed(6))), [0.4, 1.8, 0], "of 2 N, wherever on the pad");
    await leave(page);
  },

  async "keys alone press: Space holds, arrows squeeze, Enter is a short squeeze, letters are notes"() {
    const page = await share();
    await load(page, SHEET);
    await page.locator('#surfaces canvas[aria-label^="Press squeeze."]').focus();
    await page.keyboard.down(" ");
    await page.waitForFunction(() => Math.abs(tocco.surfaces[0].now - 1.4) < 0.01, null, { timeout: 5000 });
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => Math.abs(tocco.surfaces[0].now - 1.6) < 0.01, null, { timeout: 5000 });
    await page.keyboard.up(" ");
    await page.waitForFunction(() => tocco.surfaces[0].now < 0.01, null, { timeout: 5000 });
    const before = (await surface(page, "squeeze")).total;
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => tocco.surfaces[0].total > count + 50, before, { timeout: 5000 });
    await page.waitForFunction(() => tocco.surfaces[0].now < 0.01, null, { timeout: 5000 });
    await load(page, SHEET.replace(/\[signal\.slap\][^]*?\[\[tap\]\]/, "[[tap]]").replace(/\[\[tap\]\]\nof = "head"[^]*/, ""));
    await page.evaluate(() => {
      document.getElementById("keys").checked = true;
      return tocco.notes.letters(true); // the scene is loaded anew for them
    });
    await page.locator("#play").focus();
    await page.keyboard.down("a");
    await page.waitForFunction(() => tocco.surfaces[0].now > 1, null, { timeout: 5000 });
    await page.keyboard.up("a");
    await page.waitForFunction(() => tocco.surfaces[0].now < 0.01, null, { timeout: 5000 });
    assert.equal(await problem(page), "");
    await leave(page);
  },

  async "a take of what was pressed renders to the samples that were heard"() {
    const page = await share();
    await load(page, SHEET);
    await keep(page, "#record");
    await sounded(page, 0.3);
    const box = await pad(page, "squeeze");
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.7 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.1 * box.height, { steps: 12 });
    await sounded(page, 0.3);
    await page.mouse.up();
    await sounded(page, 0.3);
    const text = await endTake(page, "pressed");
    assert.ok(text.split("\n").filter((line) => line.includes("squeeze/value")).length > 3);
    await leave(page);
  },

  async "a phone is pressed by two thumbs, in its width"() {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark" });
    await page.evaluate(() => tocco.choose("maracas"));
    await page.waitForFunction(() => tocco.surfaces.length === 2 && tocco.surfaces.every((s) => s.inlet));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    // Both are on the screen at once.
    await page.evaluate(() => tocco.surfaces[0].canvas.scrollIntoView({ block: "start" }));
    const boxes = await page.evaluate(() => tocco.surfaces.map(({ canvas }) => canvas.getBoundingClientRect().toJSON()));
    assert.ok(boxes.every((box) => box.bottom <= 844), "both thumbs reach");
    const client = await page.context().newCDPSession(page);
    const points = boxes.map((box, id) => ({ x: box.x + 0.5 * box.width, y: box.y + 0.2 * box.height, id }));
    await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
    await page.waitForFunction(() => tocco.surfaces.every((s) => s.fingers.size === 1 && s.now > 0.6), null, { timeout: 5000 });
    await wait(page, 300);
    await page.screenshot({ path: join(shots, "press-phone.png") });
    await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForFunction(() => tocco.surfaces.every((s) => s.fingers.size === 0 && s.now < 0.1), null, { timeout: 5000 });
    await leave(page);
  },
};
