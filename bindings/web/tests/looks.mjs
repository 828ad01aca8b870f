// SPDX-License-Identifier: MIT OR Apache-2.0
// What people see: fifteen pictures, no text in them clipped or on another, and no serious fault for those who use other senses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { address, BAR, control, keep, launch, leave, load, open, peak, scenes, share, shots } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Before the page: words on canvases are noted, until they are wiped away. */
function noteWords() {
  const { prototype } = CanvasRenderingContext2D;
  const [fill, clear] = [prototype.fillText, prototype.clearRect];
  prototype.fillText = function noted(text, x, y, ...rest) {
    const { a, d, e, f } = this.getTransform();
    const long = this.measureText(text).width;
    const left = x - (this.textAlign === "center" ? long / 2 : this.textAlign === "right" ? long : 0);
    (this.canvas.words ??= []).push({ text, left: e + a * left, right: e + a * (left + long), top: f + d * (y - 9), bottom: f + d * (y + 2) });
    return fill.call(this, text, x, y, ...rest);
  };
  prototype.clearRect = function wiped(...box) {
    this.canvas.words = [];
    return clear.apply(this, box);
  };
}

/** Text that is cut off or lies on another, in what is on the screen. */
const untidy = (page) => page.evaluate(() => {
  const found = [];
  const modal = [...document.querySelectorAll("dialog[open]")].at(-1);
  const root = modal ?? document.body;
  const open = document.querySelector("#keep[open] .items, #sound-box.open");
  const boxes = [];
  const seen = (box) => box.width > 1 && box.height > 1 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest("option, noscript, .cm-announced");
  // What of a box its scrolling ancestors show.
  const shown = (box, from) => {
    let { left, top, right, bottom } = box;
    for (let e = from; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.clipPath !== "none") return null;
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const clip = e.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
    }
    return right - left > 2 && bottom - top > 2 ? { left, top, right, bottom } : null;
  };
  const scrolls = (element) => element.closest(".cm-editor");
  // Cut above or below by a box that hides what it does not show, and not by one that can be scrolled there. A line's box is higher than its letters.
  const cutDown = (box, from) => {
    const spare = 0.2 * box.height + 1;
    for (let e = from; e && e !== document.documentElement; e = e.parentElement) {
      const { overflowY } = getComputedStyle(e);
      if (overflowY === "auto" || overflowY === "scroll") return false;
      const clip = e.getBoundingClientRect();
      if (overflowY !== "visible" && (box.bottom - clip.bottom > spare || clip.top - box.top > spare)) return true;
    }
    return false;
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const words = node.textContent.trim();
    if (!words || !visible(element) || (open && !open.contains(element))) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (!seen(box)) continue;
      const part = shown(box, element);
      if (!part) continue;
      boxes.push({ words, element, box: part });
      // Across, or up and down by what does not scroll that way.
      const isCut = box.right - part.right > 1.5 || part.left - box.left > 1.5 || cutDown(box, element);
      // The scene's title says by three dots that it is too long, and is whole in its tooltip.
      const isTold = element.id === "title";
      if (isCut && !scrolls(element) && !isTold) found.push(`cut: ${words}`);
      if (box.right > innerWidth + 1 && !scrolls(element) && !isTold) found.push(`off the screen: ${words}`);
    }
  }
  for (const input of root.querySelectorAll("input[type=text], input[type=search]")) {
    if (visible(input) && seen(input.getBoundingClientRect()) && input.scrollWidth > input.clientWidth + 1) found.push(`cut in its field: ${input.value}`);
  }
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  // What sticks or floats lies on the rest on purpose.
  const layer = (element) => element.closest("header, #problem, #said.fresh, dialog .bar, .cm-panels, .cm-gutters, .cm-tooltip") ?? null;
  boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other) => {
    if (one.element !== other.element && layer(one.element) === layer(other.element) && meet(one.box, other.box)) found.push(`on each other: ${one.words} | ${other.words}`);
  }));
  if (!modal && !open) {
    for (const canvas of document.querySelectorAll("canvas")) {
      if (!visible(canvas) || !seen(canvas.getBoundingClientRect())) continue;
      const all = canvas.words ?? [];
      for (const word of all) {
        if (word.left < -1 || word.right > canvas.width + 1 || word.top < -1 || word.bottom > canvas.height + 1) found.push(`cut in a picture: ${word.text}`);
      }
      all.forEach((one, i) => all.slice(i + 1).forEach((other) => meet(one, other) && found.push(`on each other in a picture: ${one.text} | ${other.text}`)));
    }
  }
  return [...new Set(found)];
});

/** From here on `loudness()` is how loud what is played beside the scene is: previews; and `lately()` how loud it was within a minute: a page that is busy
 * drawing thumbnails may look again only when a preview of 2.5 s is over. */
const overhear = (page) => page.evaluate(() => {
  const { context } = tocco.engine;
  const ear = new AnalyserNode(context, { fftSize: 2048 });
  // What goes round in a loop of a second is still there when somebody looks.
  const [loop, last] = [new DelayNode(context, { delayTime: 1, maxDelayTime: 1 }), new AnalyserNode(context, { fftSize: 32_768 })];
  loop.connect(new GainNode(context, { gain: 0.99 })).connect(loop);
  loop.connect(last);
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function overheard(to, ...rest) {
    if (to === context.destination) for (const one of [ear, loop]) connect.call(this, one);
    return connect.call(this, to, ...rest);
  };
  const loudest = (analyser) => {
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    return samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  };
  globalThis.loudness = () => loudest(ear);
  globalThis.lately = () => loudest(last);
});
const isHeard = (page) => page.waitForFunction(() => globalThis.lately() > 0.005, null, { timeout: 15_000 });

const [DESKTOP, TABLET, PHONE] = [{ width: 1280, height: 900 }, { width: 820, height: 1180 }, { width: 390, height: 844 }];
const scene = (name) => (page) => page.evaluate((wanted) => tocco.choose(wanted), name);
/** A scene in the midst of its own gesture: arrows, figures and factors are on the stage. */
const sounding = (name, ms) => async (page) => {
  await scene(name)(page);
  await page.evaluate((time) => new Promise((done) => setTimeout(done, time)), ms);
};
/** A scene with an explanation that is longer than its place. */
const explained = (name) => async (page) => {
  await scene(name)(page);
  await page.evaluate(() => tocco.explain.say("What a parameter changes, and what is heard of it, may take more words than there is room for. ".repeat(6)));
};
const gallery = async (page) => {
  await page.click("#gallery-open");
  await page.waitForFunction(() => document.querySelectorAll("#gallery .sound[data-drawn]").length > 3);
};
const menu = (page) => page.click("#keep summary");
const wrong = async (page) => {
  await load(page, BAR);
  await page.evaluate((text) => tocco.editor.type(text), BAR.replace("stiffness", "stifness"));
  await page.waitForFunction(() => document.getElementById("edit-note").classList.contains("wrong"));
};
const PICTURES = [
  ["desktop", DESKTOP, "light", scene("steel-bar")], ["desktop-cello", DESKTOP, "light", sounding("cello", 1500)], ["desktop-door", DESKTOP, "light", scene("door-squeak")],
  ["desktop-gallery", DESKTOP, "light", gallery], ["desktop-keep", DESKTOP, "light", menu], ["desktop-wrong", DESKTOP, "light", wrong],
  ["dark", DESKTOP, "dark", sounding("gong", 400)], ["dark-walk", DESKTOP, "dark", scene("walk-garden")], ["dark-gallery", DESKTOP, "dark", gallery],
  ["tablet", TABLET, "light", scene("glockenspiel")], ["tablet-dark", TABLET, "dark", sounding("wineglass", 1500)],
  ["phone", PHONE, "light", sounding("cradle", 1200)], ["phone-door", PHONE, "light", scene("door-squeak")], ["phone-gallery", PHONE, "light", gallery], ["phone-dark", PHONE, "dark", explained("kalimba")],
];

export default {
  async "fifteen pictures, on a desk, a tablet and a phone, by day and by night, have no text that is cut or lies on another"() {
    const page = await open({ before: noteWords });
    const found = [];
    for (const [name, size, colorScheme, prepare] of PICTURES) {
      await page.evaluate(() => document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close()));
      await page.evaluate(() => (document.getElementById("keep").open = false));
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => scrollTo(0, 0));
      await prepare(page);
      await page.evaluate(() => new Promise((done) => setTimeout(done, 250))); // pictures of a sound need some of it
      await page.screenshot({ path: join(shots, `look-${name}.png`) });
      found.push(...(await untidy(page)).map((fault) => `${name}: ${fault}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > size.width) found.push(`${name}: ${wide} pixels wide`);
      if (size === PHONE) {
        const tall = await page.evaluate(() => document.querySelector("header").getBoundingClientRect().height);
        if (tall > 56) found.push(`${name}: the header is ${tall} pixels tall`);
      }
    }
    assert.deepEqual(found, []);
    await leave(page);
  },

  async "axe-core finds no serious fault for anybody: page, grounds, water, ice, pads, menu, gallery, versions, a take, the page for phones, by day and by night"() {
    const page = await open({ before: undefined, bypassCSP: true });
    const faults = async (at, what) => {
      await at.addScriptTag({ content: AXE });
      const found = await at.evaluate(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
        .filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 90)).join(" ")}`));
      assert.deepEqual(found, [], what);
    };
    await page.locator("#controls summary").click();
    await faults(page, "the page");
    for (const name of ["walk-garden", "tank", "ice-sheet", "maracas"]) {
      await explained(name)(page);
      await faults(page, name);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await wrong(page);
    await menu(page);
    await faults(page, "a menu and a mistake, by night");
    await page.evaluate(() => (document.getElementById("keep").open = false));
    await gallery(page);
    await faults(page, "the gallery");
    await page.evaluate(() => document.getElementById("gallery").close());
    await page.evaluate(() => tocco.menu.versions());
    await page.locator("#versions li button").first().waitFor();
    await faults(page, "versions");
    await page.evaluate(() => {
      document.getElementById("versions").close();
      document.getElementById("recorded").showModal();
    });
    await faults(page, "a take");
    await page.goto(`${address}phone.html`);
    await faults(page, "the page for phones");
    await leave(page);
  },

  async "the gallery has groups with thumbnails, plays what is pointed at, takes Enter, and addresses open scenes"() {
    const page = await open({ at: `${address}#cello` });
    assert.equal(await page.evaluate(() => tocco.work.from), "cello");
    await overhear(page);
    await page.click("#gallery-open");
    await page.locator("#gallery h3").first().waitFor();
    const groups = await page.locator("#gallery h3").allTextContents();
    assert.ok(groups.length >= 6 && groups.includes("Struck") && groups.includes("Bowed and rubbed"), groups.join());
    const count = await page.evaluate(() => [document.querySelectorAll("#gallery button[data-scene]").length, tocco.scenes.length]);
    assert.equal(count[0], count[1], "every scene is in one group");
    await page.locator("#gallery input").fill("gong");
    await page.locator('#gallery button[data-scene="gong"]').hover();
    await page.waitForFunction(() => tocco.previewed === 1);
    await isHeard(page);
    assert.equal(await page.evaluate(() => tocco.work.from), "cello", "it is only heard");
    // Until the pointer leaves, by the sound's clock.
    await page.mouse.move(2, 2);
    const rest = await page.evaluate(async () => {
      const { context } = tocco.engine;
      const from = context.currentTime;
      while (globalThis.loudness() > 1e-4 && context.currentTime < from + 2) await new Promise((done) => setTimeout(done, 20));
      return context.currentTime - from;
    });
    assert.ok(rest < 1, `heard for ${rest} s more`);
    const drawn = await page.evaluate(() => {
      const { look } = tocco.gallery.cards.find(({ name }) => name === "gong");
      return look.getContext("2d").getImageData(0, 0, look.width, look.height).data.filter((x, i) => i % 4 === 3 && x > 0).length;
    });
    assert.ok(drawn > 1000, `${drawn} pixels of it`);
    await page.locator("#gallery input").fill("bell");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => tocco.work.from === "bell" && location.hash === "#bell" && !document.getElementById("gallery").open);
    await page.evaluate(() => (location.hash = "#violin"));
    await page.waitForFunction(() => tocco.work.from === "violin");
    await page.evaluate(() => (location.hash = "#violon"));
    await page.waitForFunction(() => document.getElementById("problem").textContent.includes("violon"));
    await leave(page);
  },

  async "every scene in the gallery has a picture of what it is about, which few others share; a wineglass is no drop of water; scenes in JSON, on one line and of parts have theirs"() {
    const page = await share();
    const { pictures, own } = await page.evaluate(async () => {
      const { thumbnail } = await import("./thumbs.js");
      const draw = (info) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 168, height: 168 });
        thumbnail(canvas, info);
        const { data } = canvas.getContext("2d").getImageData(0, 0, 168, 168);
        return { look: canvas.toDataURL(), ink: data.filter((x, i) => i % 4 === 3 && x > 40).length / (168 * 168) };
      };
      const pictures = tocco.scenes.map(({ name, text }) => {
        const names = tocco.engine.abi.names(text, 48_000);
        const info = names.describe();
        names.free();
        return { name, ...draw(info) };
      });
      const modes = [{ freq_hz: 300, decay_s: 0.4, mass_kg: 0.01 }];
      const bar = (head) => `title = "a glass bell"\n${head}\n[[tap]]\nof = "bell"\n`;
      const process = (type) => `title = "mine"\n[signal.still]\ntype = "points"\npoints = [[0.0, 0.0]]\n[process.own]\ntype = "${type}"\ndriven_by = "still"\n${type === "crumple" ? "modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]\n" : ""}[[tap]]\nof = "own"\nquantity = "sound"\n`;
      const texts = {
        table: bar('[body.bell]\ntype = "modal"\nmodes = [{ freq_hz = 300.0, decay_s = 0.4, mass_kg = 0.01 }]'),
        inline: bar('body.bell = { type = "modal", modes = [{ freq_hz = 300.0, decay_s = 0.4, mass_kg = 0.01 }] }'),
        json: JSON.stringify({ title: "a glass bell", body: { bell: { type: "modal", modes } }, tap: [{ of: "bell" }] }),
        parts: 'title = "two"\npart.a.scene = "cradle"\npart.b.scene = "gong"\n', water: process("bubbles"), paper: process("crumple"),
      };
      const own = {};
      for (const [name, scene] of Object.entries(texts)) own[name] = draw(await tocco.offline.about(scene));
      return { pictures, own };
    });
    assert.deepEqual([...pictures, ...Object.entries(own).map(([name, rest]) => ({ name, ...rest }))].filter(({ ink }) => ink < 0.01).map(({ name, ink }) => `${name}: ${ink}`), []);
    const shared = new Map();
    for (const { name, look } of pictures) shared.set(look, [...shared.get(look) ?? [], name]);
    assert.ok([...shared.values()].every(({ length }) => length <= 3) && shared.size >= 110, `${shared.size} pictures: ${[...shared.values()].filter(({ length }) => length > 1).join("; ")}`);
    const { look } = pictures.find(({ name }) => name === "wineglass");
    assert.ok(look !== own.water.look && look !== own.paper.look && shared.get(look).length === 1);
    assert.ok(own.inline.look === own.table.look && own.json.look === own.table.look && own.table.look !== own.paper.look);
    assert.ok(own.parts.look !== own.paper.look && own.water.look !== own.paper.look);
    console.log(`        ${shared.size} pictures of ${pictures.length} scenes; the same: ${[...shared.values()].filter(({ length }) => length > 1).map((names) => names.join(" = ")).join(", ")}`);
    await leave(page);
  },

  async "in the gallery a first tap is heard and a second opens; a key opens at once, though a finger was there before"() {
    const page = await open({ hasTouch: true });
    await page.evaluate(() => (location.hash = "#cello"));
    await page.waitForFunction(() => tocco.work.from === "cello");
    const found = async (name) => {
      await page.locator("#gallery input").fill(name);
      return page.locator(`#gallery button[data-scene="${name}"]`);
    };
    await page.click("#gallery-open");
    const gong = await found("gong");
    await overhear(page);
    await gong.tap();
    await page.waitForFunction(() => tocco.previewed === 1);
    await isHeard(page);
    assert.deepEqual(await page.evaluate(() => [tocco.work.from, document.getElementById("gallery").open]), ["cello", true], "it is only heard");
    await gong.tap();
    await page.waitForFunction(() => tocco.work.from === "gong" && !document.getElementById("gallery").open);
    await page.click("#gallery-open");
    await (await found("bell")).tap();
    await page.waitForFunction(() => tocco.previewed === 2);
    await found("timpani");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => tocco.work.from === "timpani" && !document.getElementById("gallery").open, null, { timeout: 15_000 });
    await leave(page);
  },

  async "the first gesture anywhere sounds, a tap in the gallery too, and Stop silences the scene's own gesture"() {
    const strict = await launch("--autoplay-policy=document-user-activation-required");
    const page = await strict.newPage();
    await page.goto(address);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await page.evaluate(() => tocco.engine.turn(false)); // as browsers begin that wait for a gesture
    await page.click("#gallery-open");
    await page.locator("#gallery input").fill("cello");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => tocco.work.from === "cello" && tocco.engine.ring.column(0, 12_000).some((x) => Math.abs(x) > 0.005));
    await page.click("#stop");
    await page.waitForFunction(() => tocco.engine.ring.column(0, 4096).every((x) => x === 0));
    const from = await page.evaluate(() => tocco.last.tick);
    await page.waitForFunction((tick) => tocco.last.tick > tick + 24_000, from);
    assert.equal(await peak(page, 4096), 0, "and it stays silent");
    await strict.close();
  },

  async "hardness is felt to steel, in milliseconds; every material has its colour and every shape its drawing; plots fill their place, and messages stay on the screen"() {
    const page = await share();
    await load(page, BAR + control("hard", "hit/stiffness", "[1e5, 1e10]"));
    const felt = [];
    for (const position of [0, 0.5, 1]) {
      await page.evaluate((value) => tocco.controls.put("hard", value, true), position);
      felt.push(await page.evaluate(() => {
        const row = document.querySelector('#controls input[data-path="hard"]').closest(".control");
        const [feel, time] = ["hardness_01", "contact_time_s"].map((key) => tocco.controls.values.get(`hit/${key}`));
        return { words: row.innerText, spoken: row.querySelector("input[type=range]").getAttribute("aria-valuetext"), feel, ms: 1000 * time };
      }));
    }
    for (const { words, spoken, ms } of felt) {
      assert.match(spoken, /^(felt|soft rubber|hard rubber|wood|hard wood|steel), [\d.]+\u00a0ms$/);
      assert.ok(words.includes(spoken) && !/N\/m/.test(words), words);
      assert.ok(Math.abs(Number.parseFloat(spoken.split(", ")[1]) / ms - 1) < 0.05, `${spoken} for ${ms} ms`);
    }
    assert.ok(felt[0].feel < felt[1].feel && felt[1].feel < felt[2].feel && felt[0].ms > 3 * felt[2].ms && felt[0].spoken !== felt[2].spoken, JSON.stringify(felt));
    // Where it is told in its own unit, that has its short name, for every sense, and may be typed so.
    await page.locator("#controls summary").click();
    const stiff = page.locator('#controls fieldset .control:has(input[data-path="hit/stiffness"])');
    const told = await stiff.evaluate((row) => [row.title, row.querySelector(".unit").textContent, row.querySelector("input.value").getAttribute("aria-label"), row.querySelector("input[type=range]").getAttribute("aria-valuetext")]);
    for (const words of told) assert.ok(words.includes("N/m^n") && !words.includes("^exponent"), words);
    await stiff.locator("input.value").fill("3e7 N/m^n");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => tocco.values.get("hit/stiffness")), 3e7);
    const seen = await page.evaluate(async () => {
      const [{ sheenOf }, { layOut }] = await Promise.all([import("./materials.js"), import("./layout.js")]);
      const schema = await (await fetch("schema.json")).json();
      const find = (node, key) => (node && typeof node === "object" ? [...(node[key]?.enum ?? []), ...(node[key]?.const ? [node[key].const] : []), ...Object.values(node).flatMap((one) => find(one, key))] : []);
      const [materials, shapes] = ["material", "shape"].map((key) => [...new Set(find(schema, key))]);
      const sheens = materials.map((material) => sheenOf({ name: "x", material }, "x"));
      const drawn = shapes.map((shape) => [shape, layOut({ bodies: [{ name: "x", type: "shape", shape, ports: [], modes: [] }], contacts: [], paths: [] }).actors[0].drawing]);
      return { materials: materials.length, sheens: new Set(sheens.filter(Boolean).map(String)).size, drawn };
    });
    assert.ok(seen.materials > 20 && seen.sheens === seen.materials, `${seen.sheens} colours of ${seen.materials} materials`);
    const plain = seen.drawn.filter(([, drawing]) => drawing === "block");
    assert.ok(seen.drawn.length > 10 && plain.length === 0 && new Set(seen.drawn.map(([, drawing]) => drawing)).size > 7, JSON.stringify(seen.drawn));
    // A plot is as wide as its place, and all of them together fill theirs.
    const plots = await page.evaluate(() => {
      const grid = document.getElementById("view-grid").getBoundingClientRect();
      const boxes = [...document.querySelectorAll("#view-grid canvas")].map((canvas) => canvas.getBoundingClientRect());
      return boxes.reduce((sum, { width, height }) => sum + width * height, 0) / (grid.width * grid.height);
    });
    assert.ok(plots > 0.8, `plots fill ${plots} of their place`);
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      await page.evaluate(() => {
        scrollTo(0, document.documentElement.scrollHeight);
        tocco.engine.tell("problem", "a sentence about what went wrong");
      });
      await page.evaluate(async () => (await import("./page.js")).say("a sentence about what happened, which is so long that it takes all of the width of a phone and more"));
      for (const id of ["#problem", "#said.fresh"]) {
        const box = await page.locator(id).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= size.height && box.x >= 0 && box.x + box.width <= size.width, `${id}: ${JSON.stringify(box)} on ${size.width}`);
      }
    }
    await leave(page);
  },

  async "what happened is said beside what was used for it, wherever that is, and hinders nobody"() {
    const page = await share();
    const near = async (id, name) => {
      const box = await page.locator("#said.fresh").boundingBox();
      const from = await page.locator(id).boundingBox();
      const apart = Math.hypot(Math.max(0, from.x - box.x - box.width, box.x - from.x - from.width), Math.max(0, from.y - box.y - box.height, box.y - from.y - from.height));
      assert.ok(apart < 40, `${id} on ${name}: ${apart} pixels apart`);
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= page.viewportSize().width && box.y + box.height <= page.viewportSize().height, JSON.stringify(box));
    };
    for (const [name, size] of [["a desk", DESKTOP], ["a phone", PHONE]]) {
      await page.setViewportSize(size);
      await page.click("#midi");
      await page.locator("#said.fresh").waitFor();
      await near("#midi", name);
      await page.screenshot({ path: join(shots, `said-${size === PHONE ? "phone" : "desktop"}.png`) });
      // What has closed since is where it was opened.
      await page.evaluate(() => (document.getElementById("said").textContent = ""));
      await keep(page, "#share");
      await page.waitForFunction(() => /link is/.test(document.getElementById("said").textContent));
      await near("#keep summary", name);
      await page.evaluate(() => {
        tocco.works.at = 0;
        document.getElementById("undo").focus();
      });
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => /nothing to undo/.test(document.getElementById("said").textContent));
      await near("#undo", name);
      assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById("said")).pointerEvents), "none");
    }
    assert.deepEqual(page.complaints, []);
    await leave(page);
  },

  async "the friction loop is drawn in every scene that rubs"() {
    const page = await share({ width: 1280, height: 1500 });
    const rubbed = (await scenes(page)).filter(({ text }) => /type = "friction"/.test(text)).map(({ name }) => name);
    assert.ok(rubbed.length >= 11 && rubbed.includes("chalk") && rubbed.includes("brake"), rubbed.join());
    for (const name of rubbed) {
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      await page.evaluate(() => tocco.surfaces.filter((s) => s.rub).forEach((surface) => surface.play(0.5, 0.45, [0.75, 0.45])));
      await page.waitForFunction(() => {
        const view = tocco.views.find((one) => one.constructor.title === "Friction loop");
        return view.y && view.y[1] - view.y[0] > 1e-3 && view.x[1] - view.x[0] > 1e-4;
      }, null, { timeout: 10_000 });
    }
    await leave(page);
  },
};
