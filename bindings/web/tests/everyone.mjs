// SPDX-License-Identifier: MIT OR Apache-2.0
// Keyboards, phones, eyes, old browsers, bad input.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, BAR, heard, launch, leave, load, open, problem, share, shots, silence, spot, work } from "./harness.mjs";

/** Texts that do not stand out from what is behind them. */
const faintOn = (page, dialogs) => page.evaluate((ids) => {
  for (const id of ids) document.querySelector(id).show();
  const read = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, alpha = 1] = read(getComputedStyle(e).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || element.matches("input[type=text], input[type=search], textarea, select");
    if (!says || !element.checkVisibility() || element.closest("noscript, option")) continue;
    const [a, b] = [light(read(getComputedStyle(element).color).slice(0, 3)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${element.tagName}#${element.id}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}, dialogs);

export default {
  async "the keyboard alone plays: strike, move the point, rub, letters as notes"() {
    const page = await share();
    await load(page, BAR);
    await page.locator("#surfaces canvas").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await heard(page); // Enter strikes
    await silence(page);
    await page.locator("#keys").check();
    await page.locator("#play").focus();
    await page.keyboard.press("g");
    await heard(page); // letters strike
    await page.evaluate(() => tocco.choose("cello"));
    await silence(page);
    await page.locator("#surfaces canvas").first().focus();
    await page.keyboard.down(" ");
    await page.keyboard.press("ArrowUp");
    await heard(page, 0.005); // Space bows
    await page.keyboard.up(" ");
    const focusable = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[tabindex], textarea, summary")]
      .filter((e) => !e.hidden && !e.closest("dialog, [hidden]") && !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label"))).map((e) => e.id || e.outerHTML));
    assert.deepEqual(focusable, [], "everything has a name for screen readers");
    await leave(page);
  },

  async "a broken scene is answered at its line, and the old one plays on"() {
    const page = await share();
    await load(page, BAR);
    await page.fill("#source", BAR.replace("stiffness", "stifness"));
    await page.waitForFunction(() => document.getElementById("edit-note").textContent.includes("stiffness"));
    const line = BAR.slice(0, BAR.indexOf("stiffness")).split("\n").length;
    assert.equal(await page.locator(".cm-lineNumbers .wrong").textContent(), String(line));
    await page.screenshot({ path: join(shots, "error.png"), fullPage: true });
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await heard(page);
    await leave(page);
  },

  async "a broken link, a huge file and a file that is no scene are answered with a sentence"() {
    const page = await open({ at: `${address}#scene=AAAA` });
    assert.match(await problem(page), /link holds no readable scene/);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    assert.ok(await page.evaluate(() => tocco.info.title.length > 0));
    const big = join(work, "big.toml");
    writeFileSync(big, "#".repeat(17 << 20));
    await page.setInputFiles("#file", big);
    await page.waitForFunction(() => /at most|longer/.test(document.getElementById("problem").textContent));
    const picture = join(work, "picture.toml");
    writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    await page.setInputFiles("#file", picture);
    await page.waitForFunction(() => document.getElementById("problem").textContent.startsWith("picture.toml:"));
    await leave(page);
  },

  async "a browser without AudioWorklet gets a sentence, not a blank page"() {
    const page = await open({ before: () => delete globalThis.AudioWorkletNode });
    assert.match(await problem(page), /AudioWorklet/);
    await leave(page);
  },

  async "a phone screen shows everything in its width"() {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    await load(page, BAR);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    await page.touchscreen.tap(...(await spot(page, "bar")));
    await heard(page);
    await page.screenshot({ path: join(shots, "phone.png"), fullPage: true });
    await leave(page);
  },

  async "every control has a name, and every text stands out from what is behind it, in light and dark"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open({ colorScheme });
      await load(page, BAR);
      await page.locator("#controls summary").click();
      await page.fill("#source", BAR.replace("stiffness", "stifness")); // the colours of an error too
      await page.waitForFunction(() => document.querySelector(".cm-lineNumbers .wrong"));
      await page.evaluate(() => tocco.engine.tell("problem", "a sentence about what went wrong"));
      await page.screenshot({ path: join(shots, `${colorScheme}.png`), fullPage: true });
      const tree = (await (await page.context().newCDPSession(page)).send("Accessibility.getFullAXTree")).nodes;
      const roles = /^(button|slider|textbox|checkbox|combobox|searchbox|spinbutton|application|meter|image|DisclosureTriangle)$/;
      const controls = tree.filter((node) => !node.ignored && roles.test(node.role?.value ?? ""));
      assert.ok(controls.length > 40, `${controls.length} controls`);
      const nameless = controls.filter((node) => !node.name?.value?.trim()).map((node) => `${node.role.value} ${node.backendDOMNodeId}`);
      assert.deepEqual(nameless, [], colorScheme);
      const dialogs = ["#gallery", "#recorded"];
      const faint = await faintOn(page, dialogs);
      assert.deepEqual(faint, [], colorScheme);
      // A walk with its controls, and the page for phones.
      await page.evaluate((ids) => ids.forEach((id) => document.querySelector(id).close()), dialogs);
      await page.evaluate(() => tocco.choose("walk-garden"));
      assert.deepEqual(await faintOn(page, []), [], `${colorScheme}: a walk`);
      await leave(page);
      const phone = await open({ at: `${address}phone.html`, colorScheme, viewport: { width: 390, height: 844 } });
      assert.deepEqual(await faintOn(phone, []), [], `${colorScheme}: the phone page`);
      const unnamed = (await (await phone.context().newCDPSession(phone)).send("Accessibility.getFullAXTree")).nodes
        .filter((node) => !node.ignored && roles.test(node.role?.value ?? "") && !node.name?.value?.trim());
      assert.deepEqual(unnamed, []);
      assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "as wide as a phone");
      await leave(phone);
    }
  },

  async "Tab alone reaches every part of the page, and Enter opens and leaves the gallery"() {
    const page = await open();
    const reached = new Set();
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
    }
    for (const part of ["power", "gallery-open", "again", "level", "limiter", "CANVAS", "speed", "keys", "midi", "stop", "undo", "freeze", "zoom", "source", "latency"]) {
      assert.ok(reached.has(part), `${part} is not among ${[...reached].join(" ")}`);
    }
    await page.locator("#gallery-open").focus();
    await page.keyboard.press("Enter");
    await page.locator("#gallery input:focus").waitFor();
    await page.keyboard.type("gong");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("title").textContent.includes("gong"));
    assert.equal(await page.evaluate(() => document.getElementById("gallery").open), false);
    await leave(page);
  },

  async "a browser that waits for a gesture hears the first tap of a finger, on the stage and in the gallery"() {
    const strict = await launch("--autoplay-policy=document-user-activation-required");
    const begun = async () => {
      const page = await (await strict.newContext({ hasTouch: true, serviceWorkers: "block" })).newPage();
      // To evaluate something in the usual way counts as a gesture.
      const session = await page.context().newCDPSession(page);
      const ask = async (expression) => (await session.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
      const until = async (expression) => {
        for (const end = Date.now() + 15_000; !(await ask(expression)); await new Promise((done) => setTimeout(done, 50))) assert.ok(Date.now() < end, expression);
      };
      await page.goto(address);
      await until("document.documentElement.dataset.ready === 'yes'");
      assert.deepEqual([await ask("navigator.userActivation.hasBeenActive"), await ask("tocco.engine.context.state")], [false, "suspended"]);
      return { page, ask, until };
    };
    // A finger that is down is no gesture yet, and asks in vain.
    const stage = await begun();
    await stage.page.touchscreen.tap(...await stage.ask("tocco.stage.client('bar', [0.3, 0.5])"));
    await stage.until("tocco.engine.isOn && tocco.engine.ring.column(0, 24000).some((x) => Math.abs(x) > 0.01)");
    assert.match(await stage.ask("document.getElementById('power').textContent"), /Sound is on/);
    const gallery = await begun();
    await gallery.ask("document.getElementById('gallery-open').click()"); // nobody has touched the page
    const card = "document.querySelector('#gallery button[data-scene=cello]')";
    await gallery.until(`Boolean(${card})`);
    await gallery.ask(`${card}.scrollIntoView({ block: "center" })`);
    await gallery.page.touchscreen.tap(...await gallery.ask(`(({ left, top }) => [left + 20, top + 20])(${card}.getBoundingClientRect())`));
    await gallery.until("tocco.previewed === 1 && tocco.engine.isOn && tocco.engine.context.state === 'running'");
    await strict.close();
  },

  async "a browser that waits for a gesture is silent and ready, and the first stroke is heard"() {
    const strict = await launch("--autoplay-policy=document-user-activation-required");
    const page = await strict.newPage();
    await page.goto(address);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await page.evaluate(() => tocco.engine.turn(false)); // some browsers begin so only now and then
    assert.equal(await page.evaluate(() => tocco.engine.context.state), "suspended");
    assert.match(await page.locator("#power").textContent(), /Turn sound on/);
    const heads = await page.evaluate(async () => {
      const before = tocco.engine.ring.head();
      await new Promise((later) => setTimeout(later, 100));
      return [before, tocco.engine.ring.head()];
    });
    assert.equal(heads[0], heads[1], "nothing is made while it waits");
    await page.mouse.click(...(await spot(page, "bar", [0.3, 0.5])));
    await page.waitForFunction(() => tocco.engine.ring.column(0, 24_000).some((x) => Math.abs(x) > 0.01), null, { timeout: 15_000 });
    assert.match(await page.locator("#power").textContent(), /Sound is on/);
    await page.click("#power");
    await page.waitForFunction(() => tocco.engine.context.state === "suspended");
    await strict.close();
  },
};
