// SPDX-License-Identifier: MIT OR Apache-2.0
// The tank of water: it is poured, it is heard, it lights up, it keeps its pace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { heard, leave, load, scenes, share, shots } from "./harness.mjs";

const TANK = `title = "a tank"
[signal.still]
type = "points"
points = [[0.0, 0.0]]
[process.hits]
type = "patter"
driven_by = "still"
rate_hz = 0.0
[process.bubbles]
type = "bubbles"
driven_by = "still"
rate_hz = 0.0
[[tap]]
of = "hits"
quantity = "sound"
gain = 0.3
[[tap]]
of = "bubbles"
quantity = "sound"
gain = 0.3
`;
const stats = (page) => page.evaluate(() => ({ ...tocco.tank.stats, points: tocco.tank.points.length / 3 }));

export default {
  "a tank is poured, stirred and tilted with the mouse, and what it does is heard": async () => {
    const page = await share();
    await load(page, TANK);
    await page.evaluate(() => tocco.engine.turn(true));
    const box = await page.locator("#surfaces canvas").boundingBox();
    const [x, top] = [box.x + box.width / 2, box.y + 0.15 * box.height];
    assert.equal((await stats(page)).points, 0, "an empty tank");
    await page.mouse.move(x, top);
    await page.mouse.down();
    const isPoured = page.waitForFunction(() => tocco.tank.points.length > 3 * 200 && tocco.tank.stats.sounds > 20, null, { timeout: 30_000 });
    await isPoured.catch(async () => assert.fail(JSON.stringify(await stats(page))));
    await page.mouse.up();
    const poured = await stats(page);
    await heard(page); // the water
    const before = poured.sounds;
    await page.mouse.move(x - 60, box.y + 0.9 * box.height);
    await page.mouse.down();
    for (let k = 0; k < 12; k += 1) await page.mouse.move(x - 60 + 10 * k, box.y + (0.9 - 0.04 * k) * box.height);
    await page.mouse.up();
    await page.locator("#surfaces canvas").press("ArrowRight");
    assert.equal(await page.evaluate(() => tocco.tank.angle), 3);
    // With the right button the tank is tilted, and nothing is poured.
    // The water is ahead of what is shown by up to seven frames, on a quick machine always: what was poured is seen so many later.
    const { frames } = await stats(page);
    await page.waitForFunction((now) => tocco.tank.stats.frames >= now + 20, frames, { timeout: 15_000 });
    const full = (await stats(page)).points;
    await page.mouse.move(x, top);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(x + 60, top, { steps: 6 });
    await page.mouse.up({ button: "right" });
    assert.equal(await page.evaluate(() => tocco.tank.angle), 18, "a quarter of a degree for each pixel");
    await page.mouse.move(x - 60, top);
    assert.deepEqual([await page.evaluate(() => tocco.tank.angle), (await stats(page)).points], [18, full], "let go");
    await page.screenshot({ path: join(shots, "tank.png") });
    await page.waitForFunction((count) => tocco.tank.stats.sounds > count, before, { timeout: 15_000 }).catch(() => assert.fail("stirring is not heard"));
    // What sounds lights up: the picture with its lights has pixels that the one without has not.
    await page.mouse.move(x, top);
    await page.mouse.down();
    const lit = await page.evaluate(async () => {
      const { tank } = tocco;
      const until = performance.now() + 15_000;
      const isLit = () => tank.lights.some(({ at }) => performance.now() - at > 0 && performance.now() - at < 80);
      while (!isLit() && performance.now() < until) await new Promise((done) => setTimeout(done));
      const look = () => {
        tank.draw();
        const { width, height } = tank.canvas;
        return new Uint32Array(tank.canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
      };
      const [lights, bright] = [tank.lights.length, look()];
      tank.lights = [];
      const dark = look();
      return { lights, pixels: bright.filter((pixel, i) => pixel !== dark[i]).length };
    });
    await page.mouse.up();
    assert.ok(lit.lights > 0 && lit.pixels > 10, JSON.stringify(lit));
    assert.deepEqual(page.complaints, []);
    // Another scene ends the water.
    await page.evaluate(() => tocco.choose("steel-bar"));
    assert.equal(await page.evaluate(() => tocco.tank === undefined), true);
    await leave(page);
  },

  "a tank that runs out of time draws every second picture until it has time again, however little of it the machine needs": async () => {
    const page = await share();
    await load(page, TANK);
    const drawn = await page.evaluate(() => {
      const { tank } = tocco;
      tank.close(); // from here on its frames are ours
      const take = (frames, ahead) => {
        const shown = performance.timeOrigin + performance.now() + (frames * 1000) / 60;
        tank.take({ points: new Float64Array([0.3, 0.2, 0]), sounds: new Float64Array(), began: 0, frames: 1, late: 0, slow: [], ahead, shown, spent: 1 });
        return tank.isBehind;
      };
      return [take(6, 7), take(1, 7), take(4, 7), take(6, 7), take(0.9, 1), take(-1, 1), take(0.9, 1)];
    });
    assert.deepEqual(drawn, [false, true, true, false, false, true, false]);
    await leave(page);
  },

  "a tilted tank is seen whole, and what is in its corners lies where the hand finds it": async () => {
    const page = await share();
    await load(page, TANK);
    const corners = await page.evaluate(() => {
      const { tank } = tocco;
      tank.close();
      const { left, top, width: w, height: h } = tank.canvas.getBoundingClientRect();
      return [-45, -20, 0, 20, 45].flatMap((angle) => {
        tank.angle = angle;
        const [scale, turn] = [tank.frame().scale, (angle * Math.PI) / 180];
        return [[0.01, 0.01], [0.59, 0.01], [0.01, 0.49], [0.59, 0.49]].map(([x, y]) => {
          // Where the corner is drawn, by turning it about the middle of the picture.
          const [dx, dy] = [scale * (x - 0.3), scale * (0.25 - y)];
          const [px, py] = [w / 2 + dx * Math.cos(turn) - dy * Math.sin(turn), h / 2 + dx * Math.sin(turn) + dy * Math.cos(turn)];
          tank.points = new Float64Array([x, y, 2]);
          tank.draw();
          const ratio = tank.canvas.width / w;
          const [r, g, b] = tank.canvas.getContext("2d").getImageData(Math.round(px * ratio), Math.round(py * ratio), 1, 1).data;
          const found = tank.place({ clientX: left + px, clientY: top + py });
          return { angle, x, y, inside: px > 0 && px < w && py > 0 && py < h, ink: [r, g, b].join(), off: Math.hypot(found.x - x, found.y - y) };
        });
      });
    });
    for (const corner of corners) assert.ok(corner.inside && corner.ink === "232,82,160" && corner.off < 1e-6, JSON.stringify(corner));
    await leave(page);
  },

  "a tank is among the scenes, and is poured into from the gallery": async () => {
    const page = await share();
    await page.click("#gallery-open");
    await page.click('#gallery button[data-scene="tank"]');
    await page.waitForFunction(() => tocco.tank !== undefined);
    await page.evaluate(() => tocco.engine.turn(true));
    const canvas = page.locator("#surfaces canvas").first();
    await canvas.focus();
    await page.keyboard.down("Enter");
    const isPoured = page.waitForFunction(() => tocco.tank.points.length > 3 * 100 && tocco.tank.stats.sounds > 5, null, { timeout: 30_000 });
    await isPoured.catch(async () => assert.fail(JSON.stringify(await stats(page))));
    await page.keyboard.up("Enter");
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  "every scene of water has a surface that moves its flow, by pointer and by keys, and what flows is seen": async () => {
    const page = await share();
    const wet = (await scenes(page)).filter(({ name, text }) => /type = "(bubbles|patter|rain|drip|splash|puddle)"/.test(text) && !/^(floor|walk|tank)/.test(name));
    assert.ok(wet.length >= 15, `${wet.length}`);
    await page.evaluate(() => tocco.engine.turn(true));
    for (const { name } of wet) {
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      const found = await page.evaluate(() => {
        const own = tocco.surfaces.find((s) => s.water) ?? tocco.surfaces.find((s) => s.inlet);
        own?.canvas.scrollIntoView({ block: "center" });
        const box = own?.canvas.getBoundingClientRect();
        return own && { isFlow: Boolean(own.water), controls: own.controls?.map(({ name, path }) => [name, [path].flat()[0]]), box: [box.left, box.top, box.width, box.height] };
      });
      assert.ok(found, `${name} has no surface`);
      if (!found.isFlow) continue; // it has pads of its own, which another test presses
      const [left, top, wide, tall] = found.box;
      await page.mouse.move(left + 0.5 * wide, top + 0.5 * tall);
      await page.mouse.down();
      await page.mouse.move(left + 0.9 * wide, top + 0.2 * tall, { steps: 4 });
      await page.mouse.up();
      const isAcross = page.waitForFunction(() => {
        const own = tocco.surfaces.find((s) => s.water);
        globalThis.across = own.controls.length ? tocco.controls.rows.get(own.controls[0].name).value : 0.9;
        return Math.abs(globalThis.across - 0.9) < 0.02;
      }, null, { timeout: 10_000 });
      await isAcross.catch(async () => assert.fail(`${name}: ${found.controls} is ${await page.evaluate(() => globalThis.across)}`));
      await page.keyboard.press("ArrowLeft");
      assert.ok((await page.evaluate(() => tocco.surfaces.find((s) => s.water).at[0] ?? 0)) < 0.89, `${name}: keys`);
      // Whoever else moves it: a key goes on from there.
      if (found.controls.length) {
        await page.evaluate((control) => tocco.controls.put(control, 0.2, true), found.controls[0][0]);
        await page.waitForFunction(() => tocco.surfaces.find((s) => s.water).at[0] === 0.2);
        await page.keyboard.press("ArrowLeft");
        assert.ok(Math.abs((await page.evaluate((control) => tocco.values.get(control), found.controls[0][0])) - 0.16) < 1e-9, `${name}: from where it was put`);
      }
      await page.waitForFunction(() => tocco.surfaces.find((s) => s.water).total > 0, null, { timeout: 15_000 }).catch(() => assert.fail(`${name}: nothing is seen`));
      if (name === "river") await page.screenshot({ path: join(shots, "river.png") });
      assert.equal(await page.evaluate(() => document.getElementById("problem").textContent), "", name);
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },
};
