// SPDX-License-Identifier: MIT OR Apache-2.0
// Walking on the page: a ground from above, feet to press, and ice that cracks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { heard, keep, leave, load, peak, scenes, share, shots, sounded } from "./harness.mjs";

const ground = (page) => page.evaluate(() => {
  const { at, steps, path, walk, isGoing } = tocco.surfaces.find((s) => s.walk && s.steps !== undefined);
  return { at, steps, path: path.length, sole: walk.sole, mass: walk.mass_kg, isGoing, time: tocco.last.tick / tocco.engine.rate };
});
const strip = (page) => page.evaluate(() => {
  const own = tocco.surfaces.find((s) => s.floors);
  return { floors: own.floors, counts: own.counts };
});
const choose = async (page, name) => {
  await page.evaluate((wanted) => tocco.choose(wanted), name);
  await page.evaluate(() => tocco.engine.isOn || tocco.engine.turn(true));
};
/** Where a place of the ground is on the screen. */
const onScreen = (page, place) => page.evaluate(([x, y]) => {
  const own = tocco.surfaces.find((s) => s.walk && s.steps !== undefined);
  own.canvas.scrollIntoView({ block: "center" });
  const box = own.canvas.getBoundingClientRect();
  const [px, py] = own.toPixels(x, y);
  return [box.left + px, box.top + py];
}, place);

export default {
  async "a walker goes where it is clicked, along a path that is drawn, and by arrow keys, and the floors under it change"() {
    const page = await share();
    // Before it has gone a step by itself, however late the machine is.
    await page.evaluate(async () => {
      await tocco.choose("walk-garden");
      tocco.surfaces[0].stop();
    });
    // Onto the wooden deck by a click.
    await page.mouse.click(...await onScreen(page, [0.5, -0.5]));
    await page.waitForFunction(() => Math.hypot(tocco.surfaces[0].at[0] - 0.5, tocco.surfaces[0].at[1] + 0.5) < 1.2 && !tocco.surfaces[0].path.length, null, { timeout: 30_000 });
    const there = await strip(page);
    assert.ok(there.counts[there.floors.indexOf("gravel")] > 20, `gravel was walked on: ${JSON.stringify(there)}`);
    assert.equal(there.counts[there.floors.indexOf("puddle")], 0, "nobody was in the puddle");
    // Along a path through the puddle.
    const way = [[1, 0], [2.2, 0.8], [2.8, 1.2]];
    const points = [];
    for (const at of way) points.push(await onScreen(page, at));
    await page.mouse.move(...points[0]);
    await page.mouse.down();
    for (const at of points.slice(1)) await page.mouse.move(...at, { steps: 8 });
    await page.mouse.up();
    assert.ok((await ground(page)).path > 3, "the path is kept");
    await page.locator("#surfaces canvas").first().screenshot({ path: join(shots, "walk-path.png") });
    await page.waitForFunction(() => !tocco.surfaces[0].path.length, null, { timeout: 30_000 });
    const wet = await strip(page);
    assert.ok(wet.counts[wet.floors.indexOf("puddle")] > 0, `the puddle was walked through: ${JSON.stringify(wet)}`);
    assert.ok((await peak(page, 96_000)) > 1e-3, "it is heard");
    await page.screenshot({ path: join(shots, "walk.png"), fullPage: true });
    // By keys, to the left, and it stops when the key is let go.
    const canvas = page.locator("#surfaces canvas").first();
    await canvas.focus();
    const before = await ground(page);
    await page.keyboard.down("ArrowLeft");
    await page.waitForFunction((from) => tocco.surfaces[0].at[0] < from - 1, before.at[0], { timeout: 20_000 }).catch(() => {});
    await page.keyboard.up("ArrowLeft");
    await sounded(page, 2);
    const after = await ground(page);
    assert.ok(after.at[0] < before.at[0] - 1, `${before.at} to ${after.at}`);
    const rest = await ground(page);
    await sounded(page, 1.5);
    assert.equal((await ground(page)).steps, rest.steps, "it stands");
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "force, events and sound of a step stand at one place of the strip"() {
    const page = await share();
    await choose(page, "walk-garden");
    await page.waitForFunction(() => tocco.surfaces[0].steps >= 6, null, { timeout: 30_000 });
    // Where force and events begin after a swing, in pieces of 8 ms, over all steps that are seen: they must begin together.
    const apart = await page.evaluate(() => {
      const { strip } = tocco.surfaces.find((s) => s.floors);
      const pieces = strip.lanes[0].length;
      const first = Math.max(0, strip.last - pieces + 2);
      const value = (lane, bin) => strip.lanes[lane][bin % pieces];
      const gaps = [];
      for (const heel of [0, 2]) {
        for (let bin = first; bin < strip.last - 30; bin += 1) {
          if (value(heel, bin) > 0.02 || !(value(heel, bin + 1) > 0.02)) continue;
          let at = bin;
          while (at < bin + 30 && !strip.lanes.slice(4).some((lane) => lane[at % pieces] > 0)) at += 1;
          gaps.push((at - bin) * 8);
        }
      }
      return gaps;
    });
    assert.ok(apart.length >= 2, `${apart.length} steps`);
    assert.ok(apart.every((ms) => ms <= 60), `events ${apart} ms after the foot`);
    // The ring and the engine count alike: a frame of sound is a tick of the force.
    const drift = await page.evaluate(async () => {
      const own = tocco.surfaces.find((s) => s.floors);
      const before = own.offset;
      await new Promise((done) => setTimeout(done, 1000));
      return own.offset - before;
    });
    assert.equal(drift, 0);
    await leave(page);
  },

  async "speed, sole and weight are controls of every walk: a run is faster, a sole and a weight change the scene's text while it goes on"() {
    const page = await share();
    await choose(page, "walk-garden");
    await page.waitForFunction(() => tocco.surfaces[0].steps >= 1, null, { timeout: 15_000 });
    const before = await ground(page);
    await page.selectOption("#sole", "sneaker");
    await page.waitForFunction(() => /sole = "sneaker"/.test(tocco.text));
    await page.evaluate(() => {
      document.getElementById("weight").value = 110;
      document.getElementById("weight").dispatchEvent(new Event("input"));
      document.getElementById("weight").dispatchEvent(new Event("change"));
    });
    await page.waitForFunction(() => /mass_kg = 110/.test(tocco.text));
    const after = await ground(page);
    assert.equal(after.sole, "sneaker");
    assert.equal(after.mass, 110);
    assert.ok(after.steps >= before.steps, "it goes on from where it was");
    assert.match(await page.evaluate(() => tocco.editor.text), /sole = "sneaker"/);
    // Twice as fast, twice as far.
    const far = async (speed) => {
      await page.evaluate((v) => {
        document.getElementById("pace").value = v;
        document.getElementById("pace").dispatchEvent(new Event("input"));
        tocco.surfaces[0].walkTowards([1, 0]);
      }, speed);
      await sounded(page, 1.5);
      // Place and time in one reading: a machine that stalls between two would make it fast or slow.
      const from = await ground(page);
      await sounded(page, 2.5);
      const to = await ground(page);
      return (to.at[0] - from.at[0]) / (to.time - from.time);
    };
    const [slow, fast] = [await far(1.0), await far(3.0)];
    assert.ok(slow > 0.5 && slow < 1.5 && fast > 2 && fast < 4, `${slow} and ${fast} m/s`);
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "the row of a walk says what the text and the engine say: speed stays when it plays again, comments stay, whoever moves it"() {
    const page = await share();
    await choose(page, "walk-garden");
    await load(page, (await page.evaluate(() => tocco.text)).replace('sole = "leather-heel"', 'sole = "leather-heel" # new ones').replace("[walk.anna]", "[walk.anna] # she"));
    const slide = (id, value) => page.evaluate(([name, to]) => {
      const slider = document.getElementById(name);
      slider.value = to;
      for (const type of ["input", "change"]) slider.dispatchEvent(new Event(type));
    }, [id, value]);
    const agree = async (speed, what) => {
      const wanted = (goal) => Number(document.getElementById("pace").value) === goal && Math.abs(tocco.values.get("anna/speed_m_s") - goal) < 1e-6;
      await page.waitForFunction(wanted, speed, { timeout: 10_000 }).catch(async () => assert.fail(`${what}: ${await page.evaluate(() => [document.getElementById("pace").value, tocco.values.get("anna/speed_m_s")])}`));
      assert.match(await page.locator("#pace-out").textContent(), new RegExp(`^${speed.toFixed(1)} m/s`));
    };
    await slide("pace", 1.9);
    await agree(1.9, "the slider");
    await page.waitForFunction(() => /\nspeed_m_s = 1\.9\n/.test(tocco.text));
    await page.click("#again");
    await page.waitForFunction(() => tocco.info.paths.find(({ path }) => path === "anna/speed_m_s").value === 1.9);
    await agree(1.9, "again");
    const [file] = await Promise.all([page.waitForEvent("download"), keep(page, "#save")]);
    const saved = readFileSync(await file.path(), "utf8");
    assert.match(saved, /\nspeed_m_s = 1\.9\n/);
    await page.selectOption("#sole", "boot");
    await page.waitForFunction(() => /\nsole = "boot" # new ones\n/.test(tocco.text));
    await slide("weight", 90);
    await page.waitForFunction(() => /\nmass_kg = 90\.0\n/.test(tocco.text));
    assert.equal(await page.evaluate(() => tocco.info.walks[0].mass_kg), 90);
    assert.match(await page.evaluate(() => tocco.text), /^\[walk\.anna\] # she$/m);
    // Somebody else, by any of its names, and undo.
    await page.evaluate(() => tocco.engine.send({ set: "anna/speed_m_s", value: 1.5 }));
    await agree(1.5, "OSC");
    await page.evaluate(() => tocco.controls.put("speed", 0.5, true));
    await agree(2.5, "a control");
    // Whoever is led by a hand has its speed for the moment: the text is not touched.
    await page.evaluate(() => tocco.surfaces[0].walkTowards([1, 0]));
    await page.waitForFunction(() => !/path_m/.test(tocco.text));
    const led = await page.evaluate(() => tocco.text);
    await slide("pace", 0.8);
    await agree(0.8, "a hand");
    await sounded(page, 0.5);
    assert.equal(await page.evaluate(() => tocco.text), led);
    // In a table on one line and in JSON, too.
    const written = await page.evaluate(async () => {
      const { withKey, withoutKey } = await import("./write.js");
      const forms = ["walk.a = { sole = 'sock', path_m = [[1.0, 2.0]], speed_m_s = 1.0 } # x\n", '{"walk":{"a":{"sole":"sock"}}}', "[body.a]\nmass_kg = 1.0\n"];
      return [...forms.map((text) => withKey(text, "a", "sole", '"boot"')), withoutKey(forms[0], "a", "path_m"), withoutKey("walk.a = { path_m = [[1.0, 2.0]] }", "a", "path_m")];
    });
    assert.deepEqual(written, ['walk.a = { sole = "boot", path_m = [[1.0, 2.0]], speed_m_s = 1.0 } # x\n', '{"walk":{"a":{"sole":"boot"}}}', '[body.a]\nmass_kg = 1.0\nsole = "boot"\n', "walk.a = { sole = 'sock', speed_m_s = 1.0 } # x\n", "walk.a = { }"]);
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "a written path ends where somebody takes over, and every shipped walk has a ground and a strip"() {
    const page = await share();
    const walks = (await scenes(page)).filter(({ name }) => name.startsWith("walk-")).map(({ name }) => name);
    assert.ok(walks.length >= 8, `${walks}`);
    for (const name of walks) {
      await choose(page, name);
      const found = await page.evaluate(() => [tocco.surfaces.filter((s) => s.prints).length, tocco.surfaces.filter((s) => s.floors).length, tocco.info.walks.length]);
      assert.ok(found[2] >= 1 && found[0] === found[2] && found[1] === found[2], `${name}: ${found}`);
    }
    await choose(page, "walk-six-floors");
    // So far that there is ground behind it to go back to.
    await page.waitForFunction(() => tocco.surfaces[0].steps > 2 && tocco.surfaces[0].at[0] > 3, null, { timeout: 30_000 }).catch(() => assert.fail("it does not walk by itself"));
    const before = await ground(page);
    await page.mouse.click(...await onScreen(page, [before.at[0] - 2.5, 0]));
    await page.waitForFunction(() => !/path_m/.test(tocco.text), null, { timeout: 10_000 });
    await page.waitForFunction((from) => tocco.surfaces[0].at[0] < from - 0.8, before.at[0], { timeout: 20_000 }).catch(() => assert.fail("it has not turned back"));
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "feet that are set from outside are pressed by pointer and keys"() {
    const page = await share();
    await load(page, `title = "feet"
[walk.anna]
source = "inlets"
sole = "boot"
${["heel_left", "toe_left", "heel_right", "toe_right"].map((region) => `[part.${region}]\nscene = "floor-gravel"\nsignal.press = "anna.${region}"\n`).join("")}`);
    await page.evaluate(() => tocco.engine.turn(true));
    await sounded(page, 0.2);
    assert.ok((await peak(page, 4800)) < 1e-6, "nobody stands there");
    const canvas = page.locator("#surfaces canvas").first();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 0.38 * box.width, box.y + 0.74 * box.height);
    await page.mouse.down();
    await heard(page); // a heel
    assert.equal(await page.evaluate(() => tocco.surfaces[0].forces.join()), "1,0,0,0");
    await page.mouse.up();
    await canvas.focus();
    await page.keyboard.down("ArrowRight");
    const isRolled = page.waitForFunction(() => tocco.surfaces[0].forces[2] > 0 && tocco.surfaces[0].forces[3] > tocco.surfaces[0].forces[2], null, { timeout: 15_000 });
    await isRolled.catch(async () => assert.fail(`it rolls onto its toes: ${await page.evaluate(() => tocco.surfaces[0].forces)}`));
    await canvas.screenshot({ path: join(shots, "feet.png") });
    await page.keyboard.up("ArrowRight");
    assert.equal(await page.evaluate(() => tocco.surfaces[0].forces.join()), "0,0,0,0");
    const drawn = await strip(page);
    assert.ok(drawn.counts[0] > 10, "events are drawn");
    // One such scene is shipped; a finger takes over from its own steps.
    await choose(page, "feet-on-snow");
    await page.waitForFunction(() => tocco.surfaces.find((s) => s.floors)?.counts[0] > 10, null, { timeout: 10_000 });
    await page.evaluate(() => tocco.surfaces[0].press(0, 1.2));
    await page.waitForFunction(() => {
      const { strip } = tocco.surfaces.find((s) => s.floors);
      return Math.abs(strip.lanes[0][(strip.last - 1) % strip.lanes[0].length] - 1.2) < 0.01;
    }, null, { timeout: 15_000 }).catch(() => assert.fail("not 1.2 BW under the left heel"));
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "ice that is pressed cracks where it is pressed, its lines are as long as the energy buys, and what was borne before is silent"() {
    const page = await share();
    await choose(page, "ice-walk");
    // The scene's own steps end, then the ice is pressed aside of them.
    await page.evaluate(() => tocco.take(tocco.text.replace(/points = \[\[0.0, 0.0\], \[0.4[^\n]*/, "points = [[0.0, 0.0]]"), { fresh: true }));
    const state = () => page.evaluate(() => {
      const own = tocco.surfaces.find((s) => s.sheet);
      return { fractures: own.fractures, length: own.length, taken: own.places.reduce((sum, { taken }) => sum + taken, 0),
        places: own.places.map(({ x, y }) => [x, y]), load: own.load };
    });
    await sounded(page, 0.3);
    assert.equal((await state()).fractures, 0, "whole");
    const canvas = page.locator("#surfaces canvas").first();
    const box = await canvas.boundingBox();
    const spot = await page.evaluate(() => {
      const own = tocco.surfaces.find((s) => s.sheet);
      return own.toPixels(0.5, 0.25);
    });
    await page.mouse.move(box.x + spot[0], box.y + spot[1]);
    await page.mouse.down();
    const breaks = (more) => page.waitForFunction((count) => tocco.surfaces.find((s) => s.sheet).fractures > count, more, { timeout: 20_000 }).catch(() => {});
    await Promise.all([breaks(10), sounded(page, 1.5)]); // as hard as it goes: the force grows while it is held
    await page.mouse.up();
    // Lines grow on after the sound.
    await sounded(page, 1.5);
    const cracked = await state();
    assert.ok(cracked.fractures > 10, `${cracked.fractures} fractures`);
    assert.ok(cracked.places.every(([x, y]) => Math.hypot(x - 0.5, y - 0.25) < 0.02), `${cracked.places}`);
    // [cracks.1]: energy over toughness times thickness, 3 J/m^2 and 4 cm; to a step of 12 mm for each line.
    const bought = cracked.taken / (3 * 0.04);
    assert.ok(Math.abs(cracked.length / bought - 1) < 0.02 + 0.012 / bought, `${cracked.length} m for ${bought} m`);
    assert.ok((await peak(page, 192_000)) > 1e-3, "it is heard");
    await canvas.screenshot({ path: join(shots, "ice.png") });
    // Kaiser: the same place, not as hard.
    await page.evaluate(() => tocco.engine.send({ trigger: "ice", values: [300, 0.5, 0.25, 0.5] }));
    await sounded(page, 1);
    assert.equal((await state()).fractures, cracked.fractures);
    // Another place by keys.
    await canvas.focus();
    for (let k = 0; k < 6; k += 1) await page.keyboard.press("ArrowLeft");
    await page.keyboard.down(" ");
    await breaks(cracked.fractures);
    await page.keyboard.up(" ");
    assert.ok((await state()).fractures > cracked.fractures, "another place cracks");
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "every scene of ice is pressed on the page, and where enough has broken there is a hole"() {
    const page = await share();
    const icy = (await scenes(page)).filter(({ text }) => text.includes('type = "ice"')).map(({ name }) => name);
    assert.ok(icy.length >= 2, `${icy}`);
    for (const name of icy) {
      await choose(page, name);
      assert.ok(await page.evaluate(() => tocco.surfaces.some((s) => s.sheet)), name);
    }
    await page.evaluate(() => tocco.take(tocco.scenes.find(({ name }) => name === "ice-walk").text.replace("weight_n = 750.0", "weight_n = 750.0\nbreak_j = 0.5"), { fresh: true }));
    await page.waitForFunction(() => tocco.surfaces.find((s) => s.sheet)?.places.some(({ taken }) => taken > 0.5), null, { timeout: 20_000 });
    await page.waitForFunction(() => tocco.surfaces.find((s) => s.sheet).pieces.length > 0, null, { timeout: 20_000 });
    await page.locator("#surfaces canvas").first().screenshot({ path: join(shots, "ice-hole.png") });
    // In the middle of a hole is dark water, beside the sheet's bright ice.
    const [hole, ice] = await page.evaluate(() => {
      const own = tocco.surfaces.find((s) => s.sheet);
      const open = own.places.find(({ taken }) => taken > 0.5);
      own.lights = [];
      own.draw();
      const dots = devicePixelRatio || 1;
      const at = ([x, y]) => [...own.canvas.getContext("2d").getImageData(Math.round(dots * x), Math.round(dots * y), 1, 1).data];
      return [at(own.toPixels(open.x, open.y + 0.05)), at([4, 4])];
    });
    assert.ok(hole[0] < 60 && hole[2] < 130 && ice[0] > 150 && ice[2] > 200, `${hole} in the hole, ${ice} on the ice`);
    await leave(page);
  },
};
