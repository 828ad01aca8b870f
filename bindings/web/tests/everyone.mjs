// SPDX-License-Identifier: MIT OR Apache-2.0
// Keyboards, phones, eyes, old browsers, bad input.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, BAR, browser, load, open, peak, problem, shots, wait, work } from "./harness.mjs";

export default {
  async "the keyboard alone plays: strike, move the point, rub, letters as notes"() {
    const page = await open();
    await load(page, BAR);
    await page.locator("#surfaces canvas").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await wait(page, 400);
    assert.ok(await peak(page) > 0.001, "Enter strikes");
    await wait(page, 1500);
    await page.locator("#keys").check();
    await page.locator("#play").focus();
    await page.keyboard.press("g");
    await wait(page, 300);
    assert.ok(await peak(page, 8000) > 0.001, "letters strike");
    await page.evaluate(() => tocco.choose("cello"));
    await wait(page, 200);
    await page.locator("#surfaces canvas").first().focus();
    await page.keyboard.down(" ");
    await page.keyboard.press("ArrowUp");
    await wait(page, 900);
    assert.ok(await peak(page) > 0.005, "Space bows");
    await page.keyboard.up(" ");
    const focusable = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[tabindex], textarea, summary")]
      .filter((e) => !e.hidden && !e.closest("dialog, [hidden]") && !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label"))).map((e) => e.id || e.outerHTML));
    assert.deepEqual(focusable, [], "everything has a name for screen readers");
    await page.context().close();
  },

  async "a broken scene is answered at its line, and the old one plays on"() {
    const page = await open();
    await load(page, BAR);
    await page.fill("#source", BAR.replace("stiffness", "stifness"));
    await page.waitForFunction(() => document.getElementById("edit-note").textContent.includes("stiffness"));
    const line = BAR.slice(0, BAR.indexOf("stiffness")).split("\n").length;
    assert.equal(await page.locator(".gutter .wrong").textContent(), String(line));
    await page.screenshot({ path: join(shots, "error.png"), fullPage: true });
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await wait(page, 300);
    assert.ok(await peak(page) > 0.001);
    await page.context().close();
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
    await page.context().close();
  },

  async "a browser without AudioWorklet gets a sentence, not a blank page"() {
    const page = await open({ before: () => delete globalThis.AudioWorkletNode });
    assert.match(await problem(page), /AudioWorklet/);
    await page.context().close();
  },

  async "a phone screen shows everything in its width"() {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    await load(page, BAR);
    await wait(page, 300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    await page.locator("#surfaces canvas").first().tap();
    await wait(page, 400);
    assert.ok(await peak(page) > 0.001);
    await page.screenshot({ path: join(shots, "phone.png"), fullPage: true });
    await page.context().close();
  },

  async "light and dark are both readable"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open({ colorScheme });
      const ratio = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const light = (name) => {
          const hex = style.getPropertyValue(name).trim().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
          const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        return [contrast("--text", "--card"), contrast("--muted", "--card"), contrast("--muted", "--back"), contrast("--on-accent", "--accent"), contrast("--wrong", "--card")];
      });
      assert.ok(Math.min(...ratio) >= 4.5, `${colorScheme}: ${ratio.map((r) => r.toFixed(1))}`);
      await page.screenshot({ path: join(shots, `${colorScheme}.png`), fullPage: true });
      await page.context().close();
    }
  },
};
