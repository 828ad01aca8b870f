// SPDX-License-Identifier: MIT OR Apache-2.0
// Striking, rubbing, seeing, changing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { address, BAR, colourOf, drawn, heard, leave, listen, load, open, peak, problem, scenes, share, shots, sounded, spot, wait } from "./harness.mjs";

export default {
  async "what is drawn goes on after half a day, when more samples have been played than 32 bits can count"() {
    const page = await open();
    const from = 2 ** 31 - 1000;
    await page.evaluate(async (frames) => {
      tocco.engine.ring.count[0] = BigInt(frames);
      await tocco.reopen();
    }, from);
    await sounded(page, 0.5);
    await page.evaluate(() => tocco.surfaces.find((s) => s.strike).strike([0.3, 0.5]));
    await heard(page);
    const head = await page.evaluate(() => tocco.engine.ring.head());
    assert.ok(head > 2 ** 31 && head < from + 60 * 48_000, `${head}`);
    await leave(page);
  },

  async "the page loads without a complaint and asks nobody but its own server"() {
    const page = await open();
    await wait(page, 500);
    assert.deepEqual(page.complaints, []);
    const foreign = page.requests.filter((url) => !url.startsWith(address) && !/^(blob|data):/.test(url));
    assert.deepEqual(foreign, []);
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    assert.equal(await page.evaluate(() => tocco.engine.ring.isShared), true);
    await page.screenshot({ path: join(shots, "page.png"), fullPage: true });
    await leave(page);
  },

  async "a click on the object makes sound, and where it falls can be heard"() {
    const page = await share();
    await load(page, BAR);
    await sounded(page, 0.2);
    assert.equal(await peak(page, 4000), 0);
    const colours = [];
    for (const part of [0.5, 0.02]) {
      const at = await spot(page, "bar", [part, 0.5]);
      colours.push(await colourOf(page, () => page.mouse.click(...at)));
    }
    assert.ok(Math.abs(Math.log2(colours[1] / colours[0])) > 0.1, `centroids ${colours} Hz`);
    await page.screenshot({ path: join(shots, "struck.png"), fullPage: true });
    await leave(page);
  },

  async "every shipped scene sounds, is finite and stays within its level"() {
    const page = await share();
    for (const { name, text } of await scenes(page)) {
      // Longer only where it begins late: that the page's samples are the program's is tried elsewhere, to the bit.
      const report = await page.evaluate(async (scene) => {
        let most = 0;
        for (const seconds of [1, 4]) {
          if (most > 0.01) break;
          for (const x of (await tocco.offline.render({ scene, rate: 0, seconds })).samples) most = Number.isFinite(x) ? Math.max(most, Math.abs(x)) : Infinity;
        }
        return { most };
      }, text);
      assert.ok(report.most > 0.01 && report.most < 1.05, `${name}: peak ${report.most}`);
    }
    await leave(page);
  },

  async "every shipped scene can be chosen and plays without a complaint"() {
    const page = await share();
    for (const { name } of await scenes(page)) {
      const found = await page.evaluate(async (wanted) => {
        await tocco.choose(wanted);
        // Until it has played a little, and says how it is.
        for (let tries = 0; !(tocco.last?.of === tocco.engine.scene && tocco.last.tick > 2000) && tries < 1500; tries += 1) await new Promise((done) => setTimeout(done, 10));
        if (tocco.last?.of !== tocco.engine.scene) return { problem: "it does not play" };
        // What flows or walks by itself is played by its controls.
        const played = document.querySelectorAll("#surfaces canvas, #controls input[type=range]").length;
        return { problem: document.getElementById("problem").textContent, isPlayed: played > 0, resets: tocco.last?.health[2] ?? 0 };
      }, name);
      assert.deepEqual({ name, ...found }, { name, problem: "", isPlayed: true, resets: 0 });
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "the gallery shows every scene with a picture, and choosing one plays it"() {
    const page = await share();
    await page.click("#gallery-open");
    await page.waitForFunction(() => document.querySelectorAll("#gallery .sound[data-drawn=yes]").length > 8, null, { timeout: 20_000 });
    await page.screenshot({ path: join(shots, "gallery.png") });
    await page.locator("#gallery input").fill("cello");
    assert.equal(await page.locator("#gallery li:visible").count(), 1);
    await page.locator("#gallery li:visible button").click();
    await page.waitForFunction(() => document.getElementById("title").textContent.includes("cello"));
    await heard(page, 0.005);
    const squeezed = await page.evaluate(() => tocco.surfaces.filter(({ canvas }) => canvas?.clientWidth && Math.abs(canvas.width - canvas.clientWidth * devicePixelRatio) > 1).length);
    assert.equal(squeezed, 0, "every surface is drawn in the pixels it has");
    await page.screenshot({ path: join(shots, "cello.png"), fullPage: true });
    await leave(page);
  },

  async "controls change the sound; undo, redo, double click and typed units work"() {
    const page = await share();
    await load(page, BAR);
    const now = (path) => page.evaluate((p) => tocco.controls.rows.get(p).value, path);
    const slider = page.locator("#controls .control.named input[type=range]").first();
    const strike = () => page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    const low = await colourOf(page, strike);
    await slider.focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press("PageUp");
    assert.ok(await now("size") > 0.9);
    const high = await colourOf(page, strike);
    assert.ok(high > 1.3 * low, `${low} and ${high} Hz`);
    await page.click("#undo");
    assert.ok(Math.abs(await now("size") - 0.5) < 1e-9, "undo");
    await page.click("#redo");
    assert.ok(await now("size") > 0.9, "redo");
    await page.locator("#controls summary").click();
    const box = page.locator("#controls input.value[aria-label^='hammer/mass_kg']");
    await box.fill("25 g");
    await box.press("Enter");
    assert.equal(await now("hammer/mass_kg"), 0.025);
    await box.fill("heavy");
    await box.press("Enter");
    assert.match(await page.locator("#controls .control:has(input[data-path='hammer/mass_kg']) .note").textContent(), /heavy/);
    // Two clicks on a number choose it, to be typed over; they change nothing.
    await box.fill("25 g");
    await box.press("Enter");
    await box.dblclick();
    assert.deepEqual([await now("hammer/mass_kg"), await page.evaluate(() => getSelection().toString())], [0.025, "0.025"]);
    await box.locator("xpath=..").locator("label").dblclick();
    const spec = await page.evaluate(() => tocco.info.paths.find((p) => p.path === "hammer/mass_kg"));
    assert.equal(await now("hammer/mass_kg"), spec.default);
    assert.ok(spec.doc.length > 3 && spec.unit === "kg");
    await leave(page);
  },

  async "two fingers play at once on a touch screen"() {
    const page = await open({ hasTouch: true });
    await load(page, BAR.replaceAll("[body.bar", "[body.a").replaceAll('"bar.', '"a.').replaceAll('"bar/', '"a/')
      + '[body.b]\ntype = "modal"\nmodes = [{ freq_hz = 900.0, decay_s = 0.4, mass_kg = 0.02 }]\n[[tap]]\nof = "b"\ngain = 0.1\n');
    await listen(page);
    const touch = await page.context().newCDPSession(page);
    const points = await Promise.all(["a", "b"].map(async (name, id) => {
      const [x, y] = await spot(page, name, [0.3, 0.5]);
      return { x, y, id };
    }));
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await wait(page, 300);
    const commands = await page.evaluate(() => globalThis.sent.map((c) => Object.keys(c)[0]));
    assert.ok(commands.includes("strike") && commands.includes("hit"), commands.join());
    await leave(page);
  },

  async "a pad, speed across and force up, sings while it is held, and lifting lets it ring"() {
    const page = await share();
    await page.evaluate(() => tocco.choose("cello"));
    await wait(page, 100);
    await page.locator("#pads summary").click();
    const box = await page.locator("#pads canvas").first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.6);
    await page.mouse.down();
    await sounded(page, 0.6); // what the scene's own bow did is past
    await heard(page, 0.005);
    await page.screenshot({ path: join(shots, "bowed.png"), fullPage: true });
    await page.mouse.up();
    const force = await page.evaluate(() => tocco.surfaces.find((s) => s.rub).isDown);
    assert.equal(force, false);
    await leave(page);
  },

  async "wineglass, door, brake, bowl, chalk, plate and violin are rubbed on a pad"() {
    const page = await share();
    for (const name of ["wineglass", "door-squeak", "brake", "singing-bowl", "chalk", "scrape", "violin"]) {
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      const found = await page.evaluate(() => tocco.surfaces.filter((surface) => surface.rub).length);
      assert.ok(found > 0, `${name}: no pad`);
      await page.evaluate(() => { // the scene's own gesture is taken over, whatever it was
        for (const surface of tocco.surfaces.filter((s) => s.rub)) surface.play(0.5, 0.45, [0.75, 0.45]);
      });
      await sounded(page, 0.5);
      await heard(page, 0.002).catch(() => assert.fail(`${name} is not heard`));
    }
    await leave(page);
  },

  async "a string is struck at the nearest of its ports, which the picture shows"() {
    const page = await share();
    await page.evaluate(() => tocco.choose("hammered-string"));
    const [at, ports, anywhere] = await page.evaluate(() => {
      const surface = tocco.surfaces.find((s) => s.body?.type === "string");
      surface.strike([0.9, 0.5]);
      return [surface.cursor, surface.body.ports.map((port, i) => surface.figure.point(port.place, i)), surface.body.anywhere];
    });
    if (anywhere) assert.ok(Math.abs(at[0] - 0.9) < 0.01, `${at}`);
    else assert.ok(ports.some(([x]) => x === at[0]) && at[0] === Math.max(...ports.map(([x]) => x)), `${at} of ${ports}`);
    await leave(page);
  },

  async "of two hammers the one that is chosen strikes"() {
    const page = await share();
    await page.evaluate(() => tocco.choose("steel-bar"));
    await page.selectOption("#mass", "rubber");
    const sent = await page.evaluate(() => {
      const all = [];
      const send = tocco.engine.send.bind(tocco.engine);
      tocco.engine.send = (command) => all.push(command) && send(command);
      tocco.surfaces[0].strike([0.3, 0.5]);
      return all;
    });
    assert.equal(sent.find((command) => command.strike).strike, "rubber");
    assert.ok(await page.locator("#hammer input.value[aria-label^='rubber/mass_kg']").isVisible());
    await leave(page);
  },

  async "only views near the screen are asked of the engine, and what is frozen stays while it can be zoomed"() {
    const page = await open({ viewport: { width: 390, height: 200 } });
    await load(page, BAR);
    await wait(page, 200);
    assert.deepEqual(await page.evaluate(() => tocco.engine.watching), [], "nothing is seen yet");
    await page.setViewportSize({ width: 1280, height: 1100 });
    await page.waitForFunction(() => tocco.engine.watching.includes("hit.force"));
    // A blow that is long over when the page comes to draw it is shown all the same.
    await page.waitForFunction(() => tocco.views.some((view) => view.name === "hit"));
    await page.evaluate(() => {
      tocco.views.find((view) => view.name === "hit").draw = () => {};
      tocco.surfaces.at(-1).strike([0.1, 0.5]);
    });
    await sounded(page, 0.4);
    await page.evaluate(() => delete tocco.views.find((view) => view.name === "hit").draw);
    await page.waitForFunction(() => (tocco.views.find((view) => view.name === "hit")?.y?.[1] ?? 0) > 1, null, { timeout: 15_000 }).catch(() => assert.fail("the loop of the blow stays below 1 N"));
    const picture = (i) => page.evaluate((at) => tocco.viewCanvases[at].toDataURL(), i);
    await page.click("#freeze");
    await drawn(page);
    const [frozen, heat] = [await picture(0), await picture(1)];
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.4, 0.5]));
    // All that is remembered becomes something else, as after some seconds of another sound.
    await page.evaluate(() => tocco.engine.ring.rows.forEach((_, i, rows) => (rows[i] = Math.sin(0.37 * i))));
    await drawn(page);
    assert.ok(await picture(1) === heat, "the spectrogram is frozen");
    assert.ok(await picture(0) === frozen, "the waveform is frozen");
    await page.locator("#zoom").focus();
    for (let i = 0; i < 4; i += 1) await page.keyboard.press("ArrowRight");
    await drawn(page);
    assert.ok(await picture(0) !== frozen && await picture(1) !== heat, "both are zoomed");
    await page.click("#freeze");
    assert.equal(await page.evaluate(() => tocco.frozen), undefined);
    await leave(page);
  },

  async "sound goes to the outputs that the scene names, each with its level, and what the device lacks is said"() {
    const page = await share();
    const scene = `${BAR.replace("gain = 0.3", 'gain = 0.3\nto = "right"')}[output.right]\nchannels = [1]\n[output.haptic]\nchannels = [40]\nlimiter = false\n`;
    await load(page, scene);
    await page.waitForFunction(() => /haptic/.test(document.getElementById("said").textContent));
    const sides = await page.evaluate(async () => {
      const { context, node } = tocco.engine;
      const split = context.createChannelSplitter(2);
      node.connect(split);
      const ears = [0, 1].map((side) => {
        const ear = context.createAnalyser();
        ear.fftSize = 32768;
        split.connect(ear, side);
        return ear;
      });
      tocco.surfaces.at(-1).strike([0.1, 0.5]);
      let loud = [0, 0];
      for (let tries = 0; !Math.max(...loud) && tries < 100; tries += 1) {
        await new Promise((done) => setTimeout(done, 100));
        loud = ears.map((ear) => {
          const samples = new Float32Array(ear.fftSize);
          ear.getFloatTimeDomainData(samples);
          return Math.max(...samples.map(Math.abs));
        });
      }
      return loud;
    });
    assert.ok(sides[0] === 0 && sides[1] > 0.001, `left ${sides[0]}, right ${sides[1]}`);
    assert.ok(await peak(page) > 0.001, "the pictures show the output that is there");
    assert.match(await page.evaluate(() => document.getElementById("reduction").textContent), /right .*haptic/);
    await leave(page);
  },

  async "another latency is another context, and the scene plays on in it"() {
    const page = await open();
    await load(page, BAR);
    const before = await page.evaluate(() => tocco.engine.context.baseLatency);
    await page.selectOption("#latency", "safest");
    await page.evaluate(() => tocco.opening);
    const after = await page.evaluate(() => tocco.engine.context.baseLatency);
    assert.ok(after > 1.5 * before, `${before} s, then ${after} s`);
    await page.waitForFunction(() => tocco.engine.context.state === "running");
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await heard(page);
    assert.equal(await problem(page), "");
    await leave(page);
  },
};
