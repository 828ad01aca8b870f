// SPDX-License-Identifier: MIT OR Apache-2.0
// The tank of water: it is poured, it is heard, it lights up, it keeps its pace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { load, open, peak, shots, wait } from "./harness.mjs";

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
    const page = await open();
    await load(page, TANK);
    await page.evaluate(() => tocco.engine.turn(true));
    const box = await page.locator("#surfaces canvas").boundingBox();
    const [x, top] = [box.x + box.width / 2, box.y + 0.15 * box.height];
    await wait(page, 300);
    assert.equal((await stats(page)).points, 0, "an empty tank");
    await page.mouse.move(x, top);
    await page.mouse.down();
    await wait(page, 2500);
    await page.mouse.up();
    const poured = await stats(page);
    assert.ok(poured.points > 200, `${poured.points} particles`);
    assert.ok(poured.sounds > 20, `${poured.sounds} sounds`);
    assert.ok((await peak(page)) > 1e-3, "the water is heard");
    const before = poured.sounds;
    await page.mouse.move(x - 60, box.y + 0.9 * box.height);
    await page.mouse.down();
    for (let k = 0; k < 12; k += 1) await page.mouse.move(x - 60 + 10 * k, box.y + (0.9 - 0.04 * k) * box.height);
    await page.mouse.up();
    await page.locator("#surfaces canvas").press("ArrowRight");
    assert.equal(await page.evaluate(() => tocco.tank.angle), 3);
    await page.screenshot({ path: join(shots, "tank.png") });
    await wait(page, 1500);
    assert.ok((await stats(page)).sounds > before, "stirring is heard");
    assert.deepEqual(page.complaints, []);
    // Another scene ends the water.
    await page.evaluate(() => tocco.choose("steel-bar"));
    assert.equal(await page.evaluate(() => tocco.tank === undefined), true);
    await page.context().close();
  },
};
