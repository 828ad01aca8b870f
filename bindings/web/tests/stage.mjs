// SPDX-License-Identifier: MIT OR Apache-2.0
// The stage, what is explained on it, and screens with one idea each.
import assert from "node:assert/strict";
import { join } from "node:path";
import { BAR, drawn, heard, hushed, leave, listen, load, open, scenes, share, shots, spot, wait } from "./harness.mjs";

const choose = (page, name) => page.evaluate((wanted) => tocco.choose(wanted), name);
const sent = (page) => page.evaluate(() => globalThis.sent);
/** One mode: 100 Hz, 10 g, hit by nothing yet. */
const ONE_MODE = `title = "one mode"
[body.bar]
type = "modal"
modes = [{ freq_hz = 100.0, decay_s = 1000.0, mass_kg = 0.01 }]
[[tap]]
of = "bar"
gain = 0.1
`;

/** A hand lies on a sled, and a stone is pressed on a block: what holds, slides and pushes is known in newtons. */
const SLED = `title = "a hand on a sled"
[body.hand]
type = "guided"
[body.sled]
type = "mass"
mass_kg = 1.0
[contact.rub]
type = "friction"
between = ["hand", "sled"]
normal_force_n = 1.0
mu_static = 0.6
mu_dynamic = 0.5
bristle_stiffness = 1e4
bristle_damping = 100.0
[body.stone]
type = "mass"
mass_kg = 0.01
[body.block]
type = "modal"
modes = [{ freq_hz = 300.0, decay_s = 0.02, mass_kg = 0.2 }]
[contact.press]
type = "impact"
between = ["stone", "block"]
stiffness = 1e6
dissipation_s_m = 2.0
[[drive]]
path = "stone/force_n"
points = [[0.0, 2.0]]
[[tap]]
of = "block"
gain = 0.1
`;

/** A plate that rests on its edges. */
const PLATE = `title = "a plate on its edges"
[body.plate]
type = "shape"
shape = "rectangular-plate"
length_m = 0.4
width_m = 0.3
thickness_m = 0.002
edges = "supported"
material = "steel"
modes = 12
[[tap]]
of = "plate"
`;

/** A finger that goes through these points, a picture's time between two. */
async function swipe(touch, points, id = 0, type = "touchMove") {
  for (const [x, y] of points) {
    await touch.send("Input.dispatchTouchEvent", { type, touchPoints: [{ x, y, id }] });
    await new Promise((done) => setTimeout(done, 16));
  }
}

/** The scene's own gesture is stopped, and nothing that is heard later is left of it. */
async function rest(page) {
  await page.click("#stop");
  await page.waitForFunction(() => tocco.engine.ring.column(0, 24_000).every((x) => Math.abs(x) < 1e-4), null, { timeout: 15_000 });
}

/** What was sent to a path. */
const valuesOf = async (page, path) => (await sent(page)).filter(({ set }) => set === path).map(({ value }) => value);

/** How far a body goes and how far it is seen to go, picture by picture, and whether there is something else where it stood. */
async function placesOf([name, lead]) {
  const { stage } = tocco;
  const actor = stage.layout.byName.get(name);
  const seen = () => {
    stage.draw();
    const at = stage.pixel(actor, [0, 0.5]);
    const [[x, y], [u, v]] = [stage.pixel(actor, [0, 0]), stage.pixel(actor, [1, 1])];
    // All of it, and a little around.
    const box = [Math.min(x, u) - 4, Math.min(y, v) - 4, Math.abs(u - x) + 8, Math.abs(v - y) + 8].map(Math.round);
    return { at, gone: stage.placeOf(lead), box, look: stage.canvas.getContext("2d").getImageData(...box).data.join() };
  };
  const first = seen();
  const steps = [];
  let isOther = false;
  for (let before = first; steps.length < 6;) {
    await new Promise((done) => requestAnimationFrame(done));
    if (stage.placeOf(lead) === before.gone) continue;
    const now = seen();
    steps.push({ gone: Math.abs(now.gone - before.gone), seen: Math.hypot(now.at[0] - before.at[0], now.at[1] - before.at[1]) });
    isOther ||= stage.canvas.getContext("2d").getImageData(...first.box).data.join() !== first.look;
    before = now;
  }
  return { steps, scale: stage.view.scale, isOther };
}

export default {
  async "every scene with bodies has a stage: everything on it is drawn, inside the picture, and as large as can be touched"() {
    let page;
    const all = [];
    for (const viewport of [undefined, { width: 820, height: 1180 }]) {
      page = await share(viewport);
      let stages = 0;
      for (const { name, text } of await scenes(page)) {
        const found = await page.evaluate(async (scene) => {
          const [{ DRAWINGS }, { Stage }] = await Promise.all([import("./drawings.js"), import("./stage.js")]);
          const names = tocco.engine.abi.names(scene, 48_000);
          const info = names.describe();
          for (const body of info.bodies) body.words = `${body.name} ${info.title}`;
          const none = new Map();
          const stage = Stage.of(info, { names }, { strikers: none, rubs: none, isLifted: () => false });
          if (!stage) return { none: info.bodies.filter(({ trodden }) => !trodden).length };
          document.querySelector("figure.stage").replaceChildren(stage.canvas);
          stage.draw();
          names.free();
          const { w, h } = stage.view;
          const faults = [];
          for (const actor of stage.actors) {
            if (!DRAWINGS[actor.drawing]) faults.push(`${actor.name} is a ${actor.drawing}, which nobody can draw`);
            const [x, y] = stage.pixel({ ...actor, moved: [0, 0] }, [0.5, 0.5]);
            if (!(x > 0 && x < w && y > 0 && y < h)) faults.push(`${actor.name} is at ${x}, ${y} of ${w}, ${h}`);
            if (Math.max(...actor.size) * stage.view.scale < 12) faults.push(`${actor.name} is ${Math.max(...actor.size) * stage.view.scale} pixels large`);
          }
          const { data } = stage.canvas.getContext("2d").getImageData(0, 0, stage.canvas.width, stage.canvas.height);
          let inked = 0;
          for (let i = 3; i < data.length; i += 4) inked += data[i] > 40;
          if (inked < 0.005 * (data.length / 4)) faults.push(`only ${inked} pixels are drawn`);
          // Nothing is cut off: the picture's edge is empty.
          const { width, height } = stage.canvas;
          let cut = 0;
          for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += y % (height - 1) ? width - 1 : 1) cut += data[4 * (y * width + x) + 3] > 40;
          if (cut) faults.push(`${cut} pixels of the edge are drawn on`);
          return { faults };
        }, text);
        if (found.none === 0) continue;
        stages += 1;
        all.push(...found.faults.map((fault) => `${name}, ${viewport ? "tablet" : "desk"}: ${fault}`));
      }
      assert.ok(stages > 60, `${stages} stages`);
    }
    assert.deepEqual(all, []);
    await leave(page);
  },

  async "Newton's cradle: five steel balls hang in a row; one is pulled aside with the mouse and let go, and the last one flies"() {
    const page = await share();
    await choose(page, "cradle");
    await page.click("#stop");
    const laid = await page.evaluate(() => tocco.stage.actors.map(({ name, drawing, at, look }) => [name, drawing, at[0], look.hangs_m]));
    assert.deepEqual(laid.map(([name, drawing]) => `${name} ${drawing}`), ["a ball", "b ball", "c ball", "d ball", "e ball"]);
    assert.ok(laid.every(([, , x, hangs], i) => Math.abs(x - (i - 2) * 0.05) < 1e-9 && hangs === 0.16));
    // Half-way up from each ball two strings are seen, and nothing between or beside them.
    const strings = await page.evaluate(() => {
      const { stage } = tocco;
      stage.draw();
      return stage.actors.map((actor) => {
        const [[x, y], [hx, hy]] = [stage.pixel(actor, [0.5, 0.5]), stage.view.to([actor.at[0], actor.at[1] + actor.look.hangs_m])];
        const { data } = stage.canvas.getContext("2d").getImageData(Math.round((x + hx) / 2) - 10, Math.round((y + hy) / 2), 20, 1);
        return Array.from({ length: 20 }, (_, i) => (data[4 * i + 3] > 40 ? "#" : ".")).join("");
      });
    });
    for (const row of strings) assert.match(row, /^\.{3,}#+\.+#+\.{3,}$/, strings.join(" "));
    const scale = await page.evaluate(() => tocco.stage.view.scale);
    // The scene's own hand has pulled the ball aside: whoever reaches for it before it hangs still misses, and tries again.
    const grab = async () => {
      const [x, y] = await spot(page, "a");
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 0.06 * scale, y, { steps: 12 });
      // The hand's force holds the pendulum where the hand is.
      const held = page.waitForFunction(() => tocco.stage.layout.byName.get("a").motion.shift < -0.04, null, { timeout: 5_000 });
      return held.then(() => true, () => page.mouse.up().then(() => false));
    };
    let tries = 0;
    while (!(await grab())) assert.ok((tries += 1) < 5, "the ball was never held");
    await page.mouse.up();
    await page.waitForFunction(() => {
      const shift = (name) => tocco.stage.layout.byName.get(name).motion.shift;
      globalThis.most = Math.max(globalThis.most ?? 0, shift("e"));
      return globalThis.most > 0.02;
    }, null, { timeout: 15_000, polling: 16 });
    await page.locator(".stage canvas").screenshot({ path: join(shots, "stage-cradle.png") });
    await leave(page);
  },

  async "bodies inside parts stand on the stage as their own scenes draw them, side by side, and are struck there; floors under walkers do not"() {
    const page = await share();
    await load(page, `title = "a cradle and a glockenspiel"
[part.left]
scene = "cradle"
[part.right]
scene = "glockenspiel"
[part.inner]
scene = "gong"
[body.block]
type = "modal"
modes = [{ freq_hz = 500.0, decay_s = 0.2, mass_kg = 0.2 }]
[[tap]]
of = "block"
gain = 0.1
`);
    await page.click("#stop");
    await page.waitForFunction(() => tocco.stage.motion.bodies.every((body) => !body || body.reach === 0)); // what its own gesture moved before
    const { actors, boxes, order } = await page.evaluate(() => {
      const all = tocco.stage.actors.map(({ name, drawing, at, size, look, number }) => ({ name, drawing, at, size, hangs: look.hangs_m, body: tocco.info.bodies[number].name }));
      const around = new Map();
      for (const { name, at: [x, y], size: [w, h] } of all) {
        const part = name.includes("/") ? name.split("/")[0] : "";
        const [a, b, c, d] = around.get(part) ?? [Infinity, Infinity, -Infinity, -Infinity];
        around.set(part, [Math.min(a, x - w / 2), Math.min(b, y - h / 2), Math.max(c, x + w / 2), Math.max(d, y + h / 2)]);
      }
      return { actors: all, boxes: [...around], order: tocco.info.bodies.map(({ name }) => name) };
    });
    assert.ok(actors.every(({ name, body }) => name === body));
    assert.equal(order[0], "block", "those of the scene come first");
    const ball = actors.find(({ name }) => name === "left/a");
    assert.deepEqual([ball.drawing, ball.hangs], ["ball", 0.16], "as its own scene's look table says");
    assert.equal(actors.filter(({ name, drawing }) => name.startsWith("right/") && drawing === "bar").length, 6);
    assert.deepEqual(boxes.map(([part]) => part).sort(), ["", "inner", "left", "right"]);
    for (const [i, [one, a]] of boxes.entries()) {
      for (const [other, b] of boxes.slice(i + 1)) assert.ok(a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3], `${one} and ${other} lie on each other: ${a} and ${b}`);
    }
    await listen(page);
    await page.mouse.click(...(await spot(page, "right/c6", [0.2, 0.5])));
    assert.equal((await sent(page)).find(({ strike }) => strike).strike, "right/mallet-c6");
    await page.waitForFunction(() => tocco.stage.layout.byName.get("right/c6").motion.reach > 0 && tocco.engine.ring.column(0, 24_000).some((x) => Math.abs(x) > 1e-4));
    assert.equal(await page.evaluate(() => tocco.stage.layout.byName.get("inner/disc").motion.reach), 0, "nothing else moves");
    await page.locator(".stage canvas").screenshot({ path: join(shots, "stage-parts.png") });
    await choose(page, "walk-garden");
    assert.deepEqual(await page.evaluate(() => [tocco.stage, tocco.info.bodies.length > 0, tocco.info.bodies.every(({ trodden }) => trodden)]), [null, true, true]);
    await leave(page);
  },

  async "bars lie side by side, longest first, and gliding across strikes one after the other"() {
    const page = await share();
    await choose(page, "glockenspiel");
    const bars = await page.evaluate(() => tocco.stage.actors.filter(({ drawing }) => drawing === "bar").map(({ name, at, size }) => [name, at[0], size[1]]));
    assert.equal(bars.length, 6);
    for (let i = 1; i < 6; i += 1) assert.ok(bars[i][1] > bars[i - 1][1] && bars[i][2] < bars[i - 1][2], `${bars[i]}`);
    await listen(page);
    const [from, to] = [await spot(page, "c6", [0.2, 0.5]), await spot(page, "e7", [0.2, 0.5])];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(to[0], from[1], { steps: 60 });
    await page.mouse.up();
    const struck = (await sent(page)).filter(({ strike }) => strike).map(({ strike }) => strike);
    assert.deepEqual(struck, ["c6", "e6", "g6", "b6", "c7", "e7"].map((name) => `mallet-${name}`));
    await leave(page);
  },

  async "a bow is dragged across its string: it sings, sticks and slips in colour, is lifted with the hand, and a pen presses as hard as it is pressed"() {
    const page = await share();
    await choose(page, "cello");
    await page.click("#stop");
    const [x, y] = await spot(page, "bow", [0.35, 0.5]);
    await listen(page);
    // A hand that goes to and fro by the clock, however late the machine is.
    await page.evaluate(([px, py]) => {
      const { canvas } = tocco.stage;
      canvas.setPointerCapture = () => {};
      const event = (type, dx) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 9, pointerType: "mouse", clientX: px + dx, clientY: py, bubbles: true }));
      event("pointerdown", 0);
      const began = performance.now();
      const going = setInterval(() => event("pointermove", 110 * Math.sin((performance.now() - began) / 200)), 8);
      globalThis.letGo = () => {
        clearInterval(going);
        event("pointerup", 0);
      };
    }, [x, y]);
    await page.waitForFunction(() => tocco.engine.ring.column(0, 12_000).some((sample) => Math.abs(sample) > 0.005) && tocco.stage.arrows[0].slid > 0.01, null, { timeout: 20_000 });
    const held = await page.evaluate(() => ({ slid: tocco.stage.arrows[0].slid, down: tocco.surfaces.find((s) => s.rub).isDown }));
    assert.ok(held.slid > 0.005 && held.slid < 0.995, `it sticks and slips: ${held.slid}`);
    assert.equal(held.down, true);
    await page.locator(".stage canvas").screenshot({ path: join(shots, "stage-bow.png") });
    await page.evaluate(() => globalThis.letGo());
    const last = (await sent(page)).filter(({ set }) => set === "rub/normal_force_n").at(-1);
    assert.equal(last.value, 0, "lifted");
    const force = await page.evaluate(([px, py]) => {
      const { canvas } = tocco.stage;
      const event = (type, pressure, dx) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "pen", pressure, clientX: px + dx, clientY: py, bubbles: true }));
      canvas.setPointerCapture = () => {};
      const values = [];
      event("pointerdown", 0.2, 0);
      for (const pressure of [0.2, 0.9]) {
        event("pointermove", pressure, 10 * pressure);
        values.push(globalThis.sent.filter(({ set }) => set === "rub/normal_force_n").at(-1).value);
      }
      event("pointerup", 0, 0);
      return values;
    }, await spot(page, "bow", [0.35, 0.5]));
    assert.ok(force[1] > 3 * force[0] && force[0] > 0, `${force} N`);
    await leave(page);
  },

  async "a hand that pulls goes on from where it begins: farther is faster, up is harder; the mouse presses as hard as is asked; a finger plays as a mouse does"() {
    const page = await open({ hasTouch: true });
    await choose(page, "cello");
    await rest(page);
    await listen(page);
    const [low, high] = await page.evaluate(() => tocco.surfaces.find((s) => s.rub).along);
    const [[x, y], { w }] = [await spot(page, "bow", [0.35, 0.5]), await page.evaluate(() => ({ w: tocco.stage.view.w }))];
    const [speeds, forces] = [() => valuesOf(page, "bow/velocity_m_s"), () => valuesOf(page, "rub/normal_force_n")];
    await page.selectOption("#mode", "xy");
    const touch = await page.context().newCDPSession(page);
    const right = Array.from({ length: 30 }, (_, i) => [x + i, y]);
    const ways = {
      mouse: [async () => (await page.mouse.move(x, y), page.mouse.down()), (to) => page.mouse.move(...to), () => page.mouse.up()],
      finger: [() => swipe(touch, [[x, y]], 0, "touchStart"), (to) => swipe(touch, [to]), () => touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })],
    };
    for (const [who, [down, go, up]] of Object.entries(ways)) {
      await page.evaluate(() => (globalThis.sent = []));
      await down();
      for (const to of right) await go(to);
      const led = await speeds();
      assert.ok(led.length > 10 && led[0] > 0 && led.at(-1) > led[0], `${who}: ${led}`);
      // A pixel is a pixel: three times the stage is from one end to the other.
      const most = Math.max(...led.slice(1).map((speed, i) => Math.abs(speed - led[i])));
      assert.ok(most < (12 * high) / w, `${who} jumps by ${most} m/s: ${led}`);
      const [before] = (await forces()).slice(-1);
      await go([x + 29, y - 0.2 * w]);
      const [harder] = (await forces()).slice(-1);
      assert.ok(harder > 1.3 * before, `${who}: ${before} and ${harder} N`);
      await go([x - 0.3 * w, y]);
      assert.ok((await speeds()).at(-1) < 0.3 * low, `${who}: the other way`);
      await heard(page, 0.003);
      await up();
      assert.deepEqual([(await speeds()).at(-1), (await forces()).at(-1)], [0, 0], `${who} lets go`);
      await hushed(page).catch(() => {});
    }
    // So are a finger on a rim and a hinge.
    for (const [scene, hand] of [["wineglass", "finger"], ["door-squeak", "left-hinge"]]) {
      await choose(page, scene);
      await rest(page);
      await drawn(page);
      await page.evaluate(() => (globalThis.sent = []));
      const [from, most] = [await spot(page, hand, [0.5, 0.9]), await page.evaluate((name) => tocco.surfaces.find((s) => s.rub?.name === name).along[1], hand)];
      await swipe(touch, [from], 0, "touchStart");
      await swipe(touch, Array.from({ length: 30 }, (_, i) => [from[0] + 2 * i, from[1]]));
      await heard(page, 0.002);
      const led = await valuesOf(page, `${hand}/velocity_m_s`);
      assert.ok(Math.abs(led[0] - 0.4 * most) < 1e-9 && led.every((speed, i) => i === 0 || (speed >= led[i - 1] && speed - led[i - 1] < 0.1 * most)) && led.at(-1) > led[0], `${hand}: ${led}`);
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      assert.equal((await valuesOf(page, `${hand}/velocity_m_s`)).at(-1), 0);
    }
    await choose(page, "cello");
    await page.click("#stop");
    await drawn(page);
    // With its own speed the hand presses as hard as the slider says.
    await page.selectOption("#mode", "rub");
    const pressed = [];
    for (const press of [0.2, 0.9]) {
      await page.locator("#press").evaluate((slider, value) => {
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
      }, press);
      await page.mouse.move(...(await spot(page, "bow", [0.35, 0.5])));
      await page.mouse.down();
      await page.mouse.move(x + 30, y, { steps: 5 });
      pressed.push((await forces()).at(-1));
      await page.mouse.up();
    }
    const [least, most] = await page.evaluate(() => tocco.surfaces.find((s) => s.rub).press[0]);
    for (const [i, press] of [0.2, 0.9].entries()) assert.ok(Math.abs(pressed[i] - least - press * (most - least)) < 1e-6, `${pressed} N`);
    await leave(page);
  },

  async "a finger on the screen leads a finger round the rim of a wineglass, and the hinges of a door, both at once"() {
    const page = await open({ hasTouch: true });
    const touch = await page.context().newCDPSession(page);
    const end = () => touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await choose(page, "wineglass");
    await rest(page);
    await drawn(page);
    await listen(page);
    /** Where the finger touches the rim, and the rim, in the window: it stays where it was led to. */
    const where = () => page.evaluate(() => {
      const { stage } = tocco;
      stage.draw();
      const finger = stage.layout.byName.get("finger");
      const { left, top } = stage.canvas.getBoundingClientRect();
      const [x, y] = stage.pixel(finger, [0.5, 0.95]);
      return { box: [left, top], rim: finger.on.rim, from: Math.atan2((y - finger.on.rim.cy) / finger.on.rim.ry, (x - finger.on.rim.cx) / finger.on.rim.rx) };
    });
    const speeds = () => valuesOf(page, "finger/velocity_m_s");
    /** The speeds that it is led with so many times round, in steps, and so much farther out; the first few are those of a hand that begins. */
    const led = async (turns, count, out = 0, isHeld = async () => {}) => {
      const { box, rim, from } = await where();
      const steps = Array.from({ length: count }, (_, i) => [from + (turns * 2 * Math.PI * i) / count, 1 + (out * i) / count]);
      await page.evaluate(() => (globalThis.sent = []));
      await swipe(touch, [await spot(page, "finger", [0.5, 0.95])], 0, "touchStart");
      await swipe(touch, steps.map(([angle, far]) => [box[0] + rim.cx + far * rim.rx * Math.cos(angle), box[1] + rim.cy + far * rim.ry * Math.sin(angle)]));
      await isHeld();
      const all = (await speeds()).filter((speed) => speed !== 0).slice(3);
      await end();
      assert.equal((await speeds()).at(-1), 0);
      return all;
    };
    // Once round: the same way all along, though it goes right in front and left behind; and the other way.
    const [there, back] = [await led(1, 50), await led(-1, 50)];
    assert.ok(there.length > 15 && there.every((speed) => speed > 0), `${there}`);
    assert.ok(back.length > 15 && back.every((speed) => speed < 0), `${back}`);
    // From the middle outwards is neither.
    const out = await led(0, 30, 1.5);
    const size = (all) => all.slice(5).reduce((sum, speed) => sum + Math.abs(speed), 0) / Math.max(1, all.length - 5);
    assert.ok(size(out) < 0.2 * size(there), `${size(out)} m/s outwards, ${size(there)} round`);
    await led(4, 240, 0, () => heard(page, 0.002));
    await choose(page, "door-squeak");
    await rest(page);
    await drawn(page);
    await page.evaluate(() => (globalThis.sent = []));
    const hinges = await Promise.all(["left-hinge", "right-hinge"].map((name) => spot(page, name)));
    const contacts = await page.evaluate(() => tocco.surfaces.filter((s) => s.rub).map(({ rub }) => [rub.name, rub.drive, ...rub.presses]));
    assert.deepEqual(contacts.map(([name]) => name).sort(), ["left-hinge", "right-hinge"]);
    const both = (dx) => hinges.map(([x, y], id) => ({ x: x + dx, y, id }));
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: both(0) });
    await page.waitForFunction(() => tocco.stage.hands.fingers.size === 2);
    for (let i = 1; i <= 40; i += 1) {
      await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: both(40 * Math.sin(i / 6)) });
      await new Promise((done) => setTimeout(done, 16));
    }
    await heard(page, 0.002);
    await end();
    for (const [name, ...paths] of contacts) {
      for (const path of paths) {
        const values = await valuesOf(page, path);
        assert.ok(values.some((value) => value !== 0) && values.at(-1) === 0, `${name}: ${path} ${values}`);
      }
      assert.ok((await valuesOf(page, paths[0])).some((value) => value < 0) && (await valuesOf(page, paths[0])).some((value) => value > 0), `${name} to and fro`);
    }
    await leave(page);
  },

  async "a pen strikes as hard as it is pressed"() {
    const page = await share();
    await load(page, BAR);
    await listen(page);
    await page.evaluate(([clientX, clientY]) => {
      const { canvas } = tocco.stage;
      canvas.setPointerCapture = () => {};
      const event = (type, pressure) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "pen", pressure, clientX, clientY, bubbles: true }));
      for (const pressure of [0.2, 0.9]) {
        event("pointerdown", pressure);
        event("pointerup", 0);
      }
    }, await spot(page, "bar", [0.8, 0.5]));
    const [soft, hard] = (await sent(page)).filter(({ strike }) => strike === "hammer").map(({ velocity_m_s }) => velocity_m_s);
    assert.ok(soft > 0 && hard > 2 * soft, `${soft} and ${hard} m/s`);
    await leave(page);
  },

  async "as the scene's own gesture moves them a bow goes across its string, a finger runs round its rim, a ball rolls as far as it goes, and a door turns in its hinges"() {
    const page = await share();
    await choose(page, "wineglass");
    const turns = [];
    for (let i = 0; i < 2; i += 1) {
      await page.waitForFunction((before) => {
        const { motion } = tocco.stage.layout.byName.get("finger");
        return !tocco.stage.how.isLifted("finger") && Math.abs(motion.positions[0] - before) > 0.02;
      }, turns[0]?.gone ?? 0, { timeout: 20_000 });
      turns.push(await page.evaluate(() => {
        const { stage } = tocco;
        stage.draw();
        const finger = stage.layout.byName.get("finger");
        const [{ cx, cy, rx, ry }, [x, y], [gone]] = [finger.on.rim, stage.pixel(finger, [0.5, 1]), finger.motion.positions];
        const [u, v] = [(x - cx) / rx, (y - cy) / ry];
        return { gone, out: Math.hypot(u, v), apart: Math.sin(Math.atan2(v, u) - gone / (finger.on.size[0] / 2) - Math.PI / 3), lifted: stage.how.isLifted("finger") };
      }));
    }
    for (const { out, apart, lifted } of turns) assert.ok(lifted || (Math.abs(out - 1) < 0.02 && Math.abs(apart) < 0.02), JSON.stringify(turns));
    await choose(page, "rolling");
    await page.waitForFunction(() => Math.abs(tocco.stage.layout.byName.get("ball").rolled) > 0.5, null, { timeout: 20_000 });
    const rolled = await page.evaluate(() => {
      const { stage } = tocco;
      stage.draw();
      const ball = stage.layout.byName.get("ball");
      return { turned: ball.rolled, way: stage.placeOf(ball.look.rides), radius: ball.size[0] / 2 };
    });
    assert.ok(Math.abs(rolled.turned * rolled.radius - rolled.way) < 1e-9, "without slipping");
    for (const [name, lead] of [["ball", "way"], ["bow", "bow"]]) {
      if (name === "bow") await choose(page, "cello");
      await page.waitForFunction((who) => Math.abs(tocco.stage.placeOf(who)) > 0.01, lead, { timeout: 20_000 });
      const drawn = await page.evaluate(placesOf, [name, lead]);
      // As far as it has gone, but where it turns or comes in again at the other side.
      const alike = drawn.steps.filter(({ gone, seen }) => Math.abs(seen - gone * drawn.scale) < 0.01).length;
      assert.ok(alike >= drawn.steps.length - 2 && drawn.isOther, `${name}: ${JSON.stringify(drawn)}`);
    }
    await choose(page, "door-squeak");
    await page.waitForFunction(() => ["left-hinge", "right-hinge"].every((name) => Math.abs(tocco.stage.layout.byName.get(name).rolled) > 0.01), null, { timeout: 20_000 });
    const hung = await page.evaluate(() => ["left", "right"].map((side) => {
      const [door, hinge] = [side, `${side}-hinge`].map((name) => tocco.stage.layout.byName.get(name));
      return [door.drawing, hinge.drawing, Math.abs(Math.abs(hinge.at[0] - door.at[0]) - door.size[0] / 2) < 0.03];
    }));
    assert.deepEqual(hung, [["door", "hinge", true], ["door", "hinge", true]]);
    await leave(page);
  },

  async "forces are arrows as long and as named as they are strong; what rubs is blue while it holds, orange while it slides, and points the other way when it is pulled back"() {
    const page = await share();
    await load(page, SLED);
    const pull = async (newtons, rubs, slid) => {
      await page.evaluate((value) => tocco.engine.set("sled/force_n", value), newtons);
      return page.evaluate(async ([force, part]) => {
        const { colour } = await import("./canvas.js");
        // Until it is there and the stone, too, lies still; read at once, before anything else is told.
        const isThere = ([rub, press]) => Math.abs(rub.force - force) < 4e-4 && Math.abs(rub.slid - part) < 0.01 && Math.abs(Math.abs(press.force) - 2) < 0.004;
        const until = performance.now() + 15_000;
        while (!isThere(tocco.stage.arrows)) {
          if (performance.now() > until) throw new Error(`${force} N: ${JSON.stringify(tocco.stage.arrows)}`);
          await new Promise((done) => setTimeout(done, 10));
        }
        const { stage } = tocco;
        const said = [];
        const say = stage.say.bind(stage);
        stage.say = (pen, text, ...at) => (said.push(text), say(pen, text, ...at));
        stage.draw();
        stage.say = say;
        const pen = stage.canvas.getContext("2d");
        const inks = Object.fromEntries(["--accent", "--second", "--third"].map((name) => {
          pen.fillStyle = colour(name);
          return [pen.fillStyle, name];
        }));
        const at = (x, y) => {
          const hex = [...pen.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("");
          return inks[`#${hex}`] ?? "none";
        };
        const found = Object.fromEntries(stage.layout.contacts.map((contact, i) => {
          const { at: [x, y], way } = stage.where(contact);
          const along = (far) => at(x + far * way[0], y + far * way[1]);
          return [contact.name, { ahead: along(20), behind: along(-20), ring: at(x, y + 11), force: stage.arrows[i].force }];
        }));
        return { ...found, said: said.filter((text) => / m?N/.test(text)) };
      }, [rubs, slid]);
    };
    const held = await pull(0.2, -0.2, 0);
    const back = await pull(-0.2, 0.2, 0);
    const slides = await pull(2, -0.5, 1);
    assert.deepEqual([held, back, slides].map(({ rub: { ahead, behind, ring } }) => [ahead, behind, ring]),
      [["--second", "none", "--second"], ["none", "--second", "--second"], ["--accent", "none", "--accent"]]);
    assert.deepEqual([held.said, slides.said], [["200 mN, holds", "2.00 N"], ["500 mN, slides", "2.00 N"]]);
    assert.deepEqual([held.press.ahead, held.press.behind], ["none", "--third"], "it ends where it pushes");
    // What was short is gone after a second, however few pictures there were.
    const left = await page.evaluate(() => {
      const { stage } = tocco;
      const [[arrow], now] = [stage.arrows, performance.now()];
      Object.assign(arrow, { force: 10, told: 0 });
      for (const time of [now, now + 1000]) {
        stage.isNew = true;
        stage.frame(time);
      }
      return Math.abs(arrow.force);
    });
    assert.ok(left < 0.1, `${left} N of 10`);
    await leave(page);
  },

  async "a string is struck wherever it is touched, though a bow lies on it, and the bow stays where it is"() {
    const page = await share();
    await choose(page, "violin");
    await page.click("#stop");
    await listen(page);
    await page.mouse.click(...(await spot(page, "string", [0.7, 0.5])));
    const all = await sent(page);
    const touched = all.find(({ touch }) => touch);
    assert.ok(Math.abs(touched.place[0] - 0.7) < 0.02 && touched.touch !== "string.bow_point", JSON.stringify(touched));
    assert.equal(all.find(({ hit }) => hit).hit, touched.touch);
    await heard(page);
    await leave(page);
  },

  async "what is drawn is how the mode moves: an impulse of 1 mN s on 10 g at 100 Hz swings 159 micrometres, and the factor is told"() {
    const page = await share();
    await load(page, ONE_MODE);
    await page.evaluate(() => tocco.engine.send({ hit: "bar", impulse_n_s: 1e-3 }));
    const wanted = 1e-3 / (0.01 * 2 * Math.PI * 100);
    await page.waitForFunction((least) => tocco.stage.motion.bodies[0].amplitude?.[0] > least && tocco.stage.motion.bodies[0].reach > 0 && tocco.stage.motion.factor > 1, 0.9 * wanted, { timeout: 15_000 });
    const { amplitude, factor, slow, reach, height, words } = await page.evaluate(() => {
      const { motion } = tocco.stage;
      return { amplitude: motion.bodies[0].amplitude[0], factor: motion.factor, slow: motion.slow, reach: motion.bodies[0].reach, height: motion.height, words: motion.words };
    });
    assert.ok(Math.abs(amplitude / wanted - 1) < 0.01, `${amplitude} m, not ${wanted}`);
    assert.ok(reach * factor > 0.01 * height && reach * factor < 0.06 * height, `${reach} m times ${factor} of ${height} m`);
    assert.ok(slow >= 50 && slow <= 200, `${slow}`);
    assert.match(words, new RegExp(`moved ${String(factor).slice(0, 1)}.* times as far, ${slow} times slower`));
    // It stands in the picture, inside it.
    const told = await page.evaluate(() => {
      const { stage } = tocco;
      const said = [];
      const say = stage.say.bind(stage);
      stage.say = (pen, text, x, y, align) => (said.push({ text, x, y, long: pen.measureText(text).width, words: stage.motion.words }), say(pen, text, x, y, align));
      stage.draw();
      stage.say = say;
      return { ...said.find(({ text, words: now }) => text === now), w: stage.view.w, h: stage.view.h };
    });
    assert.match(told.text ?? "", /times as far/);
    assert.ok(told.x >= 0 && told.x + told.long <= told.w && told.y > 10 && told.y <= told.h, JSON.stringify(told));
    // And so far the bar's edge is seen to go in half a turn.
    const bent = await page.evaluate(() => {
      const { stage, stage: { motion } } = tocco;
      const [bar] = motion.bodies;
      const edge = (turn) => {
        bar.turn[0] = turn;
        motion.advance(0, false);
        bar.actor.glow = 0; // nothing shines round it
        stage.draw();
        const [x, y] = stage.pixel(bar.actor, [0.5, 0.5]).map(Math.round);
        // Pixels of it above its middle, those that it covers in part by that part.
        const { data } = stage.canvas.getContext("2d").getImageData(x, 0, 1, y);
        return data.reduce((sum, part, i) => (i % 4 === 3 ? sum + part / 255 : sum), 0);
      };
      return { seen: edge(0) - edge(Math.PI), wanted: 2 * bar.reach * motion.factor * stage.view.scale };
    });
    assert.ok(bent.wanted > 3 && Math.abs(bent.seen - bent.wanted) < 0.5, JSON.stringify(bent));
    await leave(page);
  },

  async "sand on a kettledrum's skin lies where the zeros of Bessel's functions say"() {
    const page = await share();
    await choose(page, "timpani");
    await page.waitForFunction(() => tocco.stage.layout.byName.get("skin").motion.count > 0);
    const circles = await page.evaluate(() => {
      const { motion, body } = tocco.stage.layout.byName.get("skin");
      void motion.shapes;
      const ratio = body.modes.map(({ freq_hz }) => freq_hz / body.modes[0].freq_hz);
      const at = (wanted) => ratio.reduce((best, r, i) => (Math.abs(r - wanted) < Math.abs(ratio[best] - wanted) ? i : best), 0);
      const radii = (mode) => motion.chladni(mode).flatMap(([x, y]) => [Math.hypot(2 * x - 1, 2 * y - 1)]).filter((r) => r < 0.93);
      // (0, 2) rings at 2.2954 of (0, 1); its circle lies at 2.4048 / 5.5201 of the radius.
      return { second: radii(at(5.5201 / 2.4048)), first: radii(at(1)), mode: at(5.5201 / 2.4048) };
    });
    assert.equal(circles.first.length, 0, "the first mode has no line but the rim");
    assert.ok(circles.second.length > 20);
    const mean = circles.second.reduce((sum, r) => sum + r, 0) / circles.second.length;
    assert.ok(Math.abs(mean - 2.4048 / 5.5201) < 0.012, `circle at ${mean}`);
    // What the picture has there, and has not without its lines.
    await page.evaluate(() => tocco.stage.how.strikers.get("skin").strike([0.8, 0.5]));
    await page.waitForFunction(() => tocco.stage.layout.byName.get("skin").motion.reach > 0);
    const { sand, tones } = await page.evaluate((mode) => {
      const { stage } = tocco;
      const skin = stage.layout.byName.get("skin");
      stage.light({ body: skin.number, mode });
      stage.frame(performance.now());
      const [[x0, y], [x1]] = [stage.pixel(skin, [0.5, 0.5]), stage.pixel(skin, [1, 0.5])];
      // The clock stands: the ring round where it was struck, which grows, is the same in both pictures.
      const now = performance.now();
      performance.now = () => now;
      const row = () => {
        stage.draw();
        return new Uint32Array(stage.canvas.getContext("2d").getImageData(Math.round(x0), Math.round(y), Math.round(x1 - x0), 1).data.buffer);
      };
      const lines = row();
      skin.motion.chladni = () => [];
      const bare = row();
      // Up is orange and down is blue; half a turn later the other way round.
      const looks = [0, Math.PI].map((turn) => {
        skin.motion.turn[mode] = turn;
        stage.motion.advance(0, false);
        stage.draw();
        const { data, width } = stage.canvas.getContext("2d").getImageData(0, 0, stage.canvas.width, stage.canvas.height);
        return { up: Array.from(skin.motion.field, (far) => far / skin.motion.reach), red: (x, y) => data[4 * (Math.round(y) * width + Math.round(x))] - data[4 * (Math.round(y) * width + Math.round(x)) + 2] };
      });
      const side = Math.sqrt(looks[0].up.length);
      const tones = looks[0].up.flatMap((up, i) => {
        const at = [(i % side) / (side - 1), Math.floor(i / side) / (side - 1)];
        if (Math.abs(up) < 0.25 || Math.hypot(2 * at[0] - 1, 2 * at[1] - 1) > 0.9) return [];
        const here = stage.pixel(skin, at);
        return [{ up, redder: looks[0].red(...here) - looks[1].red(...here) }];
      });
      delete skin.motion.chladni;
      delete performance.now;
      return { sand: [...lines].flatMap((tone, i) => (tone === bare[i] ? [] : [i / (x1 - x0)])).filter((r) => r < 0.93), tones };
    }, circles.mode);
    assert.ok(sand.length > 0 && sand.every((r) => Math.abs(r - 2.4048 / 5.5201) < 0.03), `sand is drawn at ${sand}`);
    // Some of it lies under the mallets, and stays as it is.
    const [right, wrong] = [tones.filter(({ up, redder }) => redder * Math.sign(up) > 100), tones.filter(({ up, redder }) => redder * Math.sign(up) < 0)];
    assert.ok(right.length > 0.8 * tones.length && wrong.length === 0, `${right.length} of ${tones.length} places have their colour, ${wrong.length} the other`);
    for (const way of [1, -1]) assert.ok(right.filter(({ up }) => up * way > 0).length > 20, `${JSON.stringify(right)}`);
    await leave(page);
  },

  async "sand on a supported plate lies along the middle for its mode of two halves, and across for that of the other side"() {
    const page = await share();
    await load(page, PLATE);
    await page.waitForFunction(() => tocco.stage.layout.byName.get("plate").motion.count > 0);
    const lines = await page.evaluate(() => {
      const { motion, body } = tocco.stage.layout.byName.get("plate");
      void motion.shapes;
      // A rectangle that rests on its edges: (m, n) rings as (m / a)^2 + (n / b)^2.
      const of = (m, n) => (m / 0.4) ** 2 + (n / 0.3) ** 2;
      const sand = (m, n) => {
        const wanted = of(m, n) / of(1, 1);
        const ratio = body.modes.map(({ freq_hz }) => freq_hz / body.modes[0].freq_hz);
        const mode = ratio.findIndex((r) => Math.abs(r / wanted - 1) < 1e-3);
        return mode < 0 ? null : motion.chladni(mode).filter((point) => point.every((part) => part > 0.04 && part < 0.96));
      };
      return { first: sand(1, 1), long: sand(2, 1), short: sand(1, 2) };
    });
    assert.equal(lines.first.length, 0, "the first mode has no line but the edge");
    for (const [name, axis] of [["long", 0], ["short", 1]]) {
      const across = lines[name].map((point) => point[axis]);
      const along = lines[name].map((point) => point[1 - axis]);
      assert.ok(across.length > 10 && across.every((x) => Math.abs(x - 0.5) < 0.02), `${name}: ${across}`);
      assert.ok(Math.min(...along) < 0.15 && Math.max(...along) > 0.85, `${name} goes from edge to edge: ${along}`);
    }
    await leave(page);
  },

  async "a solid is drawn as its surface, bends as its baked modes do, in colours of in and out, and is struck where it is touched"() {
    const page = await open();
    await choose(page, "spanner");
    await page.click("#stop");
    await page.waitForFunction(() => tocco.stage.layout.byName.get("spanner").motion.count > 6);
    const seen = await page.evaluate(async () => {
      const { viewOf } = await import("./solid.js");
      const { stage } = tocco;
      const actor = stage.layout.byName.get("spanner");
      const { motion, body, number } = actor;
      const { shapes, count } = motion;
      const { ways } = viewOf(body);
      // Upwards as it lies on a table: the three ways of the picture stand at right angles.
      const up = (vertex, mode) => ways.reduce((sum, way, k) => sum + way[2] * shapes[(3 * vertex + k) * count + mode], 0);
      const places = body.vertices_m;
      const near = (x) => places.reduce((best, place, i) => (Math.abs(place[0] - x) < Math.abs(places[best][0] - x) ? i : best), 0);
      const along = places.map(([x]) => x);
      const [low, high] = [Math.min(...along), Math.max(...along)];
      // The port `hear` moves upwards where the surface is nearest to it.
      const port = body.ports.findIndex(({ name }) => name === "hear");
      const told = tocco.engine.names.portShapes(number).slice(port * count, (port + 1) * count);
      const vertex = places.reduce((best, place, i) => {
        const away = (p) => Math.hypot(...p.map((x, k) => x - body.ports[port].place[k]));
        return away(place) < away(places[best]) ? i : best;
      }, 0);
      const apart = Math.max(...Array.from(told, (value, m) => Math.abs(value - up(vertex, m))));
      const flat = Array.from({ length: count - 6 }, (_, m) => m + 6).find((m) => Math.abs(up(near(high), m)) > 1);
      const picture = () => {
        stage.draw();
        const { data } = stage.canvas.getContext("2d").getImageData(0, 0, stage.canvas.width, stage.canvas.height);
        let [orange, blue] = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 200) continue;
          orange += data[i] > data[i + 2] + 90;
          blue += data[i + 2] > data[i] + 90;
        }
        return { orange, blue };
      };
      motion.amplitude.fill(0);
      stage.motion.advance(0, true);
      const still = picture();
      stage.light({ body: number, mode: flat });
      stage.motion.advance(0, true);
      const lit = picture();
      const { faces, drawing } = actor;
      stage.light(null);
      return {
        drawing, faces, still, lit, apart, vertices: places.length, numbers: shapes.length, count, flat,
        bends: [near(low), near((low + high) / 2), near(high)].map((i) => up(i, flat)), spots: actor.spots.flat(),
      };
    });
    assert.equal(seen.drawing, "solid");
    assert.ok(seen.faces > 80 && seen.numbers === 3 * seen.vertices * seen.count, JSON.stringify(seen));
    assert.ok(seen.apart < 1e-9, `at its port every mode is drawn as the engine has it: ${seen.apart}`);
    const [left, middle, right] = seen.bends;
    assert.ok(left * middle < 0 && middle * right < 0, `it bends as a free bar: ${seen.bends}`);
    assert.ok(seen.lit.orange > seen.still.orange + 200 && seen.lit.blue > seen.still.blue + 200, JSON.stringify([seen.still, seen.lit]));
    assert.ok(seen.spots.every((part) => part > -0.01 && part < 1.01), `ports lie on it: ${seen.spots}`);
    await listen(page);
    await page.mouse.click(...(await spot(page, "spanner", [0.5, 0.5])));
    const touched = (await sent(page)).find(({ touch }) => touch);
    assert.ok(touched, JSON.stringify(await sent(page)));
    await page.waitForFunction(() => tocco.stage.layout.byName.get("spanner").motion.reach > 0 && tocco.engine.ring.column(0, 24_000).some((x) => Math.abs(x) > 1e-4), null, { timeout: 15_000 });
    await page.locator(".stage canvas").screenshot({ path: join(shots, "stage-solid.png") });
    await page.context().close();
  },

  async "a click on a partial of the spectrogram lights up its mode on the stage, in the text and in words; Escape shows all again"() {
    const page = await share({ width: 1280, height: 1500 });
    await choose(page, "bar");
    await wait(page, 600);
    const freq = await page.evaluate(() => tocco.info.bodies.find(({ name }) => name === "bar").modes[2].freq_hz);
    const canvas = page.locator('#view-grid canvas[aria-label^="Spectrogram"]');
    const box = await canvas.boundingBox();
    const up = await page.evaluate((hz) => Math.log(hz / 40) / Math.log(tocco.engine.rate / 2 / 40), freq);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height * (1 - up));
    const lit = await page.evaluate(() => ({ lit: tocco.explain.lit, stage: tocco.stage.motion.lit, line: tocco.editor.litLine, words: document.getElementById("explain").textContent }));
    assert.equal(lit.lit.mode, 2);
    assert.equal(lit.stage.mode, 2);
    assert.match(lit.words, /is mode 3 of bar, which rings for/);
    const line = await page.evaluate((n) => tocco.text.split("\n")[n - 1], lit.line);
    assert.ok(line.includes("freq_hz") && line.includes(String(freq)), line);
    await page.locator(".cm-lineNumbers .lit").waitFor();
    await page.locator(".stage canvas").screenshot({ path: join(shots, "stage-lit.png") });
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => tocco.explain.lit), null);
    // Without a pointer: the buttons go from mode to mode.
    await page.locator("#mode-next").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => tocco.explain.lit.mode), 1);
    await page.click("#mode-all");
    assert.equal(await page.evaluate(() => tocco.explain.lit), null);
    // A body that is written on one line, and one in JSON.
    const modes = [100, 230].map((freq_hz) => ({ freq_hz, decay_s: 0.5, mass_kg: 0.01 }));
    const inline = `body.bar = { type = "modal", modes = [${modes.map(({ freq_hz }) => `{ freq_hz = ${freq_hz}.0, decay_s = 0.5, mass_kg = 0.01 }`).join(", ")}] }`;
    const json = JSON.stringify({ title: "bar", body: { bar: { type: "modal", modes } }, tap: [{ of: "bar" }] }, null, 2);
    for (const [text, line] of [[`title = "bar"\n${inline}\n[[tap]]\nof = "bar"\n`, /^body\.bar = /], [json, /^ +"bar": \{/]]) {
      await load(page, text);
      await page.click("#mode-next");
      const number = await page.evaluate(() => tocco.editor.litLine);
      assert.match(text.split("\n")[number - 1] ?? `no line ${number}`, line);
    }
    await leave(page);
  },

  async "modes are drawn, found and told as they ring now, not as they did when the scene was loaded, and as they did then when the views are frozen"() {
    const page = await share({ width: 1280, height: 1500 });
    await load(page, BAR);
    const loaded = await page.evaluate(() => tocco.info.bodies.find(({ name }) => name === "bar").modes);
    const tuned = async (factor) => {
      await page.waitForFunction(([hz, by]) => Math.abs(tocco.stage.layout.byName.get("bar").motion.omega?.[2] / (2 * Math.PI * hz * by) - 1) < 1e-4, [loaded[2].freq_hz, factor], { timeout: 15_000 });
      await drawn(page);
    };
    const canvas = page.locator('#view-grid canvas[aria-label="Modes"]');
    await canvas.scrollIntoViewIfNeeded();
    /** Where lines stand in the picture, as parts of its width; their frequencies by its scale. */
    const lines = () => canvas.evaluate(async (picture) => {
      const { Modes } = await import("./views.js");
      const { width } = picture;
      const { data } = picture.getContext("2d").getImageData(0, Math.round(26 * devicePixelRatio), width, 1);
      const found = [];
      for (let x = 0, from = -1; x <= width; x += 1) {
        if (data[4 * x + 3] > 60 && from < 0) from = x;
        if (!(data[4 * x + 3] > 60) && from >= 0) {
          found.push((from + x) / 2 / width);
          from = -1;
        }
      }
      return found.map((at) => ({ at, hz: Modes.frequency(at, tocco.engine.rate, picture.clientWidth) }));
    });
    const click = async (at) => {
      const box = await canvas.boundingBox();
      await page.mouse.click(box.x + at * box.width, box.y + box.height / 2);
      return page.evaluate(() => ({ lit: tocco.explain.lit, words: document.getElementById("explain").textContent }));
    };
    await page.evaluate(() => tocco.controls.put("size", 1, true));
    await tuned(2);
    const doubled = await lines();
    // It goes to and fro and turns as a whole, on one line at the left; what sounds comes after that. Each line is the mode that it stands for.
    for (const i of [1, 2, 3]) {
      assert.ok(Math.abs(doubled[i].hz / (2 * loaded[i + 1].freq_hz) - 1) < 0.02, `${i}: drawn at ${doubled[i].hz} Hz, rings at ${2 * loaded[i + 1].freq_hz}`);
      const { lit, words } = await click(doubled[i].at);
      assert.equal(lit?.mode, i + 1, words);
    }
    await click(doubled[1].at);
    const told = async (mode, factor, decay) => {
      const wanted = await page.evaluate(async ([hz, seconds]) => {
        const { si } = await import("./views.js");
        return `${si(hz, "Hz")} is mode 3 of bar, which rings for ${si(seconds, "s")}.`;
      }, [factor * mode.freq_hz, decay * mode.decay_s]);
      await page.waitForFunction((words) => document.getElementById("explain").textContent.startsWith(words), wanted, { timeout: 10_000 })
        .catch(async () => assert.fail(`${wanted} but ${await page.locator("#explain").textContent()}`));
    };
    await told(loaded[2], 2, 1);
    // Somebody else tunes it and damps it: what is said of it follows.
    await page.evaluate(() => {
      tocco.engine.send({ set: "bar/freq_scale", value: 0.5 });
      tocco.engine.send({ set: "bar/decay_scale", value: 0.25 });
    });
    await tuned(0.5);
    await told(loaded[2], 0.5, 0.25);
    await page.click("#mode-all"); // round the one that is lit is a frame
    await drawn(page);
    const halved = await lines();
    assert.ok(Math.abs(halved[1].hz / (0.5 * loaded[2].freq_hz) - 1) < 0.02, `drawn at ${halved[1].hz} Hz`);
    // Frozen, lines stay and are what they were.
    await page.click("#freeze");
    await page.evaluate(() => tocco.engine.send({ set: "bar/freq_scale", value: 2 }));
    await tuned(2);
    assert.deepEqual((await lines()).map(({ at }) => at), halved.map(({ at }) => at));
    assert.equal((await click(halved[2].at)).lit?.mode, 3);
    await page.click("#freeze");
    await leave(page);
  },

  async "pointing at a parameter says what it changes, and shows whom: half and twice it are rendered and compared"() {
    const page = await share();
    await load(page, `${BAR}[[event]]\nat_s = 0.05\nstrike = "hammer"\nvelocity_m_s = 1.0\n`);
    await page.locator('#controls input[data-path="size"]').hover();
    const says = (words) => page.waitForFunction((wanted) => document.getElementById("explain").textContent.includes(wanted), words, { timeout: 20_000 })
      .catch(async () => assert.fail(`${words}: ${await page.locator("#explain").textContent()}`));
    await says("2 instead of 0.5: ");
    const words = await page.evaluate(() => document.getElementById("explain").textContent);
    assert.match(words, /^size changes bar\. .*brighter or higher/);
    assert.deepEqual(await page.evaluate(() => [...tocco.stage.pointed]), ["bar"]);
    await page.locator("#controls summary").click();
    const path = page.locator('#controls fieldset input[data-path="bar/decay_scale"]');
    await path.scrollIntoViewIfNeeded();
    await path.focus();
    await page.waitForFunction(() => /^bar\/decay_scale .* 2 instead of 0\.5: .*rings longer/.test(document.getElementById("explain").textContent), null, { timeout: 20_000 });
    // What was rendered is what is named: half and no more at the end of its range, and something instead of nothing.
    await page.evaluate(() => {
      tocco.controls.put("bar/decay_scale", 1000, true);
      tocco.explain.parameter(null);
      tocco.explain.parameter("bar/decay_scale");
    });
    await says("1000 instead of 500: ");
    await page.evaluate(() => tocco.explain.parameter("bar.ear/force_n"));
    await says("1 N instead of 0 N: ");
    // A scene in JSON, and one with a list of events on a line, are compared as well.
    const modes = [{ freq_hz: 300, decay_s: 0.4, mass_kg: 0.01 }];
    const event = [{ at_s: 0.02, hit: "bar", impulse_n_s: 0.01 }];
    const json = JSON.stringify({ title: "bar", body: { bar: { type: "modal", modes } }, tap: [{ of: "bar" }], event });
    const inline = `body.bar = { type = "modal", modes = [{ freq_hz = 300.0, decay_s = 0.4, mass_kg = 0.01 }] }
tap = [{ of = "bar" }]
event = [{ at_s = 0.02, hit = "bar", impulse_n_s = 0.01 }] # a blow
`;
    for (const scene of [json, inline]) {
      await load(page, scene);
      await page.evaluate(() => tocco.explain.parameter("bar/freq_scale"));
      await says("2 instead of 0.5: brighter or higher");
      await page.evaluate(() => tocco.explain.parameter(null));
    }
    await leave(page);
  },

  async "whoever is new sees one idea at a time, and everything when they ask for it; the choice is kept"() {
    const page = await open({ isNew: true });
    const seen = () => page.evaluate(() => ["#surfaces .stage", ".hands", "#views", "#controls-box", "#text"].map((id) => document.querySelector(id).checkVisibility()).map(Number).join(""));
    assert.equal(await seen(), "11010", "Play");
    for (const [screen, wanted] of [["Listen", "10000"], ["Play", "11010"], ["Look inside", "10100"], ["Edit", "10011"], ["All", "11111"]]) {
      await page.getByRole("button", { name: screen, exact: true }).click();
      assert.equal(await seen(), wanted, screen);
      assert.equal(/spectrogram/.test(await page.locator("#explain").textContent()), wanted[2] === "1" || screen === "Listen", "of what is not shown nothing is said");
      await page.screenshot({ path: join(shots, `screen-${screen.split(" ")[0].toLowerCase()}.png`) });
    }
    await page.getByRole("button", { name: "Look inside" }).click();
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    assert.equal(await seen(), "10100", "kept");
    await leave(page);
  },

  async "with the keyboard alone: arrows go from thing to thing and say where, Enter strikes, Alt moves the point"() {
    const page = await share();
    await choose(page, "glockenspiel");
    await page.click("#stop");
    await listen(page);
    await page.locator(".stage canvas").focus();
    const spoken = () => page.locator(".spoken").textContent();
    assert.match(await spoken(), /^c6, a bar of \d+ modes, 1 of 12: Enter strikes/);
    const visited = new Set();
    for (let i = 0; i < 14; i += 1) {
      await page.keyboard.press("ArrowRight");
      visited.add(await page.evaluate(() => tocco.stage.selected.name));
    }
    assert.ok(visited.size >= 5, [...visited].join());
    await page.evaluate(() => tocco.stage.select(tocco.stage.layout.byName.get("g6")));
    await page.keyboard.press("Enter");
    assert.equal((await sent(page)).filter(({ strike }) => strike).at(-1).strike, "mallet-g6");
    await load(page, BAR);
    await page.locator(".stage canvas").focus();
    const before = await page.evaluate(() => tocco.surfaces.at(-1).cursor[0]);
    await page.keyboard.press("Alt+ArrowRight");
    assert.ok(Math.abs(await page.evaluate(() => tocco.surfaces.at(-1).cursor[0]) - before - 0.04) < 1e-9);
    await leave(page);
  },

  async "two hands play at once, and a hand that stays damps what it lies on until it is lifted"() {
    const page = await open({ hasTouch: true });
    await choose(page, "marimba");
    await page.click("#stop");
    await listen(page);
    const touch = await page.context().newCDPSession(page);
    const points = await Promise.all(["c4", "e4"].map(async (name, id) => {
      const [x, y] = await spot(page, name, [0.2, 0.5]);
      return { x, y, id };
    }));
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
    await page.waitForFunction(() => globalThis.sent.filter(({ set, value }) => /\/decay_scale$/.test(set ?? "") && value < 0.2).length === 2, null, { timeout: 5000 });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    const all = await sent(page);
    assert.deepEqual(all.filter(({ strike }) => strike).map(({ strike }) => strike).sort(), ["mallet-c4", "mallet-e4"]);
    assert.deepEqual(all.filter(({ set }) => set).slice(-2).map(({ value }) => value), [1, 1]);
    await leave(page);
  },

  async "two hands on one thing damp it once, and it rings as before when both are lifted"() {
    const page = await open({ hasTouch: true });
    await choose(page, "marimba");
    await page.click("#stop");
    await listen(page);
    const touch = await page.context().newCDPSession(page);
    const points = await Promise.all([0.1, 0.3].map(async (along, id) => {
      const [x, y] = await spot(page, "c4", [along, 0.5]);
      return { x, y, id };
    }));
    const damped = () => page.evaluate(() => globalThis.sent.filter(({ set }) => set === "c4/decay_scale").map(({ value }) => value));
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points.slice(0, 1) });
    await page.waitForFunction(() => globalThis.sent.some(({ set }) => set === "c4/decay_scale"), null, { timeout: 15_000 });
    await page.waitForFunction(() => tocco.values.get("c4/decay_scale") < 0.2, null, { timeout: 15_000 }); // the engine has told it
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
    await page.waitForFunction(() => [...tocco.stage.hands.fingers.values()].filter(({ damps }) => damps).length === 2, null, { timeout: 15_000 });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: points.slice(1) });
    await page.waitForFunction(() => tocco.stage.hands.fingers.size === 1);
    assert.equal((await damped()).length, 1, "one hand is still there");
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForFunction(() => tocco.stage.hands.fingers.size === 0);
    const all = await damped();
    assert.deepEqual([all.length, all[0] < 0.2, all.at(-1)], [2, true, 1]);
    await leave(page);
  },

  async "with the keyboard alone a hanging ball is pulled aside and let go, a bar is damped, and a bow goes along its string"() {
    const page = await share();
    await choose(page, "cradle");
    await page.click("#stop");
    await listen(page);
    const ball = await page.evaluate(() => {
      const actor = tocco.stage.actors.find(({ look }) => look.hangs_m);
      tocco.stage.canvas.focus();
      tocco.stage.select(actor);
      return actor.name;
    });
    assert.match(await page.locator(".spoken").textContent(), /Space pulls/);
    const forces = async () => (await sent(page)).filter(({ set }) => set === `${ball}/force_n`).map(({ value }) => value);
    await page.keyboard.down(" ");
    await page.keyboard.down(" "); // as keys repeat
    const [first, ...none] = await forces();
    assert.ok(first > 0 && none.length === 0, `${first}, ${none}`);
    await page.waitForFunction((name) => Math.abs(tocco.stage.layout.byName.get(name).moved[0]) > 4, ball, { timeout: 15_000 }).catch(() => assert.fail("it does not go aside"));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    const [, farther, , nearer] = await forces();
    assert.ok(farther > first && nearer < first && nearer > 0, `${farther} and ${nearer} N`);
    await page.keyboard.up(" ");
    assert.equal((await forces()).at(-1), 0, "let go");
    await choose(page, "marimba");
    await page.click("#stop");
    await page.evaluate(() => (globalThis.sent = []));
    await page.evaluate(() => {
      tocco.stage.canvas.focus();
      tocco.stage.select(tocco.stage.layout.byName.get("c4"));
    });
    const decays = async () => (await sent(page)).filter(({ set }) => set === "c4/decay_scale").map(({ value }) => value);
    await page.keyboard.down(" ");
    await page.keyboard.down(" ");
    await page.waitForFunction(() => globalThis.sent.some(({ set }) => set === "c4/decay_scale"), null, { timeout: 15_000 });
    assert.equal((await sent(page)).filter(({ strike }) => strike === "mallet-c4").length, 1, "one blow, however long it is held");
    assert.ok((await decays())[0] < 0.2);
    await page.keyboard.up(" ");
    assert.deepEqual((await decays()).slice(1), [1]);
    await choose(page, "cello");
    await page.evaluate(() => (globalThis.sent = []));
    await page.evaluate(() => {
      tocco.stage.canvas.focus();
      tocco.stage.select(tocco.stage.actors.find(({ drawing }) => drawing === "bow"));
    });
    const places = async () => (await sent(page)).filter(({ touch }) => touch).map(({ place }) => place[0]);
    for (const key of ["Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowDown"]) await page.keyboard.press(key);
    const [a, b, c] = await places();
    assert.ok(Math.abs(b - a - 0.03) < 1e-9 && Math.abs(c - a) < 1e-9, `${a}, ${b}, ${c}`);
    await leave(page);
  },

  async "for those who ask for less motion nothing shakes: four pictures a second, each at its largest deflection"() {
    const page = await open({ reducedMotion: "reduce" });
    await load(page, ONE_MODE);
    await page.evaluate(() => tocco.engine.send({ hit: "bar", impulse_n_s: 1e-3 }));
    await page.waitForFunction(() => tocco.stage.motion.bodies[0].reach > 1e-5, null, { timeout: 15_000 });
    const { fields: found, rate } = await page.evaluate(async () => {
      const { stage } = tocco;
      const [draw, fields] = [stage.draw.bind(stage), []];
      stage.draw = () => {
        fields.push(stage.motion.bodies[0].field[0]);
        draw();
      };
      const wait = (ready) => new Promise((done) => {
        const look = () => (ready() ? done() : setTimeout(look, 20));
        look();
      });
      const until = performance.now() + 15_000;
      await wait(() => fields.length >= 2 || performance.now() > until);
      const [from, before] = [performance.now(), fields.length];
      await wait(() => performance.now() > from + 2000);
      return { fields, rate: (1000 * (fields.length - before)) / (performance.now() - from) };
    });
    assert.ok(found.length >= 2 && rate <= 5, `${rate} pictures a second`);
    assert.ok(Math.max(...found) - Math.min(...found) < 0.05 * Math.max(...found.map(Math.abs)), "it does not swing");
    await leave(page);
  },

  async "and plots, pads, grounds and water have four pictures a second there, too"() {
    const page = await open({ reducedMotion: "reduce", viewport: { width: 1280, height: 1500 } });
    for (const name of ["crisps", "walk-garden", "tank"]) {
      await choose(page, name);
      await wait(page, 300);
      const own = { crisps: "PressSurface", "walk-garden": "WalkStrip", tank: "TankSurface" }[name];
      const counts = await page.evaluate(async (own) => {
        const all = [...tocco.views, ...tocco.surfaces].filter(({ draw }) => draw);
        const drawn = all.map(() => 0);
        all.forEach((one, i) => {
          const draw = one.draw.bind(one);
          one.draw = (...at) => {
            drawn[i] += 1;
            draw(...at);
          };
        });
        tocco.tank?.post({ pour: [0.3, 0.45] });
        const wait = async (ready) => {
          while (!ready()) await new Promise((done) => setTimeout(done, 20));
        };
        // Those that are to be seen have begun; then their pace.
        const [until, wanted] = [performance.now() + 10_000, all.map((one, i) => i).filter((i) => ["Scope", own].includes(all[i].constructor.name))];
        await wait(() => performance.now() > until || wanted.every((i) => drawn[i] > 0));
        const [from, before] = [performance.now(), [...drawn]];
        await wait(() => performance.now() > from + 2000);
        const seconds = (performance.now() - from) / 1000;
        all.forEach((one) => delete one.draw);
        return all.map((one, i) => [one.constructor.name, drawn[i], (drawn[i] - before[i]) / seconds]);
      }, own);
      assert.ok(counts.every(([, , rate]) => rate <= 5), `${name}: ${counts}`);
      for (const kind of ["Scope", own]) assert.ok(counts.some(([who, count]) => who === kind && count > 0), `${name}: ${counts}`);
    }
    await leave(page);
  },
};
