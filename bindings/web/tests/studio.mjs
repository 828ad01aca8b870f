// SPDX-License-Identifier: MIT OR Apache-2.0
// The studio in a real browser: node studio.mjs PROGRAM CHROMIUM FOLDER_FOR_SCREENSHOTS [WORD_IN_A_TEST'S_NAME]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [program, browserPath, shots, only] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "tocco-studio-"));

/** Starts `tocco studio` and reads its address from what it says. */
function serve(...args) {
  const server = spawn(program, ["studio", "--port", "0", "--no-open", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((done, failed) => {
    let said = "";
    const hear = (bytes) => {
      said += bytes;
      const found = /http:\S+/.exec(said);
      if (found) done({ server, address: found[0] });
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", (code) => failed(new Error(`tocco studio ended with ${code}: ${said}`)));
  });
}

const oscPort = 20_000 + (process.pid % 20_000);
const heardOsc = createSocket("udp4");
await new Promise((done) => heardOsc.bind(0, "127.0.0.1", done));
const { server, address } = await serve("--osc", String(oscPort), "--to", `127.0.0.1:${heardOsc.address().port}`);
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"],
});

/** A page that is ready; every complaint and every request is noted. */
async function open({ at = address, viewport = { width: 1280, height: 900 }, before, ...options } = {}) {
  const context = await browser.newContext({ viewport, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => page.requests.push(request.url()));
  if (before) await page.addInitScript(before);
  await page.goto(at);
  await page.waitForFunction(() => document.documentElement.dataset.ready || !document.getElementById("problem").hidden);
  return page;
}

/** Loudest sample of the last frames. */
const peak = (page, frames = 24_000) => page.evaluate((count) => {
  let most = 0;
  for (const x of tocco.engine.ring.column(0, count)) most = Number.isFinite(x) ? Math.max(most, Math.abs(x)) : Infinity;
  return most;
}, frames);

const load = (page, text) => page.evaluate((scene) => tocco.take(scene, { fresh: true }), text);
const scenes = async (page) => page.evaluate(() => tocco.scenes.map(({ name, text }) => ({ name, text })));
const problem = (page) => page.evaluate(() => document.getElementById("problem").textContent);
const wait = (page, ms) => page.waitForTimeout(ms);

/** Something silent until it is struck: a steel bar and a hammer. */
const BAR = `title = "a bar"
duration_s = 1.0
[body.hammer]
type = "mass"
mass_kg = 0.01
position_m = -1.0
[body.bar]
type = "shape"
shape = "bar"
length_m = 0.3
width_m = 0.03
thickness_m = 0.005
material = "steel"
[body.bar.port]
place = 0.2
ear = 0.02
[contact.hit]
type = "impact"
between = ["hammer", "bar.place"]
stiffness = 1e8
[[tap]]
of = "bar.ear"
gain = 0.3
[[control]]
name = "size"
path = "bar/freq_scale"
range = [0.5, 2.0]
scale = "log"
`;

/** Spectral centroid of what was heard last, Hz. */
const centroid = (page) => page.evaluate(async () => {
  const { Spectrum } = await import("./fft.js");
  const power = new Spectrum(16384).of(tocco.engine.ring.column(0, 16384));
  let [sum, weight] = [0, 0];
  power.forEach((p, k) => {
    sum += p * k;
    weight += p;
  });
  return ((sum / weight) * tocco.engine.rate) / 16384;
});

const tests = {
  async "the page loads without a complaint and asks nobody but its own server"() {
    const page = await open();
    await wait(page, 500);
    assert.deepEqual(page.complaints, []);
    const foreign = page.requests.filter((url) => !url.startsWith(address) && !/^(blob|data):/.test(url));
    assert.deepEqual(foreign, []);
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    assert.equal(await page.evaluate(() => tocco.engine.ring.isShared), true);
    await page.screenshot({ path: join(shots, "page.png"), fullPage: true });
    await page.context().close();
  },

  async "a click on the object makes sound, and where it falls can be heard"() {
    const page = await open();
    await load(page, BAR);
    await wait(page, 200);
    assert.equal(await peak(page, 4000), 0);
    const box = await page.locator("#surfaces canvas").first().boundingBox();
    const colours = [];
    for (const part of [0.5, 0.06]) {
      await page.mouse.click(box.x + box.width * part, box.y + box.height / 2);
      await wait(page, 500);
      assert.ok(await peak(page) > 0.001, `silent at ${part}`);
      colours.push(await centroid(page));
      await wait(page, 1500);
    }
    assert.ok(Math.abs(Math.log2(colours[1] / colours[0])) > 0.1, `centroids ${colours} Hz`);
    await page.screenshot({ path: join(shots, "struck.png"), fullPage: true });
    await page.context().close();
  },

  async "every shipped scene sounds, is finite and stays within its level"() {
    const page = await open();
    for (const { name, text } of await scenes(page)) {
      const report = await page.evaluate(async (scene) => {
        const { samples, rate, channels } = await tocco.offline.render({ scene, rate: 0, seconds: 4 });
        let most = 0;
        for (const x of samples) most = Number.isFinite(x) ? Math.max(most, Math.abs(x)) : Infinity;
        return { most, rate, channels };
      }, text);
      assert.ok(report.most > 0.01 && report.most < 1.05, `${name}: peak ${report.most}`);
    }
    await page.context().close();
  },

  async "every shipped scene can be chosen and plays without a complaint"() {
    const page = await open();
    await page.click("#power");
    for (const { name } of await scenes(page)) {
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      await wait(page, 60);
      assert.equal(await problem(page), "", name);
      assert.ok(await page.locator("#surfaces canvas").count() > 0, `${name}: nothing to play`);
      const health = await page.evaluate(() => tocco.last?.health ?? [0, 0, 0]);
      assert.equal(health[2], 0, `${name}: bodies were reset`);
    }
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  },

  async "the gallery shows every scene with a picture, and choosing one plays it"() {
    const page = await open();
    await page.click("#gallery-open");
    await page.waitForFunction(() => document.querySelectorAll("#gallery canvas[data-drawn=yes]").length > 8, null, { timeout: 20_000 });
    await page.screenshot({ path: join(shots, "gallery.png") });
    await page.locator("#gallery input").fill("cello");
    assert.equal(await page.locator("#gallery li:visible").count(), 1);
    await page.locator("#gallery li:visible button").click();
    await page.waitForFunction(() => document.getElementById("title").textContent.includes("cello"));
    await wait(page, 900);
    assert.ok(await peak(page) > 0.005);
    await page.screenshot({ path: join(shots, "cello.png"), fullPage: true });
    await page.context().close();
  },

  async "controls change the sound; undo, redo, double click and typed units work"() {
    const page = await open();
    await load(page, BAR);
    const now = (path) => page.evaluate((p) => tocco.controls.rows.get(p).value, path);
    const slider = page.locator("#controls .control.named input[type=range]").first();
    const [strike] = [() => page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]))];
    await strike();
    await wait(page, 500);
    const low = await centroid(page);
    await slider.focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press("PageUp");
    assert.ok(await now("size") > 0.9);
    await wait(page, 1500);
    await strike();
    await wait(page, 500);
    assert.ok(await centroid(page) > 1.3 * low);
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
    assert.match(await problem(page), /heavy/);
    await box.locator("xpath=..").dblclick();
    const spec = await page.evaluate(() => tocco.info.paths.find((p) => p.path === "hammer/mass_kg"));
    assert.equal(await now("hammer/mass_kg"), spec.default);
    assert.ok(spec.doc.length > 3 && spec.unit === "kg");
    await page.context().close();
  },

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

  async "two fingers play at once on a touch screen"() {
    const page = await open({ hasTouch: true });
    await load(page, BAR.replaceAll("[body.bar", "[body.a").replaceAll('"bar.', '"a.').replaceAll('"bar/', '"a/')
      + '[body.b]\ntype = "modal"\nmodes = [{ freq_hz = 900.0, decay_s = 0.4, mass_kg = 0.02 }]\n[[tap]]\nof = "b"\ngain = 0.1\n');
    const sent = await page.evaluate(() => {
      globalThis.sent = [];
      const send = tocco.engine.send.bind(tocco.engine);
      tocco.engine.send = (command) => {
        globalThis.sent.push(command);
        send(command);
      };
    });
    void sent;
    const boxes = await Promise.all([0, 1].map((i) => page.locator("#surfaces canvas").nth(i).boundingBox()));
    const touch = await page.context().newCDPSession(page);
    const points = boxes.map((box, id) => ({ x: box.x + box.width * 0.3, y: box.y + box.height / 2, id }));
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await wait(page, 300);
    const commands = await page.evaluate(() => globalThis.sent.map((c) => Object.keys(c)[0]));
    assert.ok(commands.includes("strike") && commands.includes("hit"), commands.join());
    await page.context().close();
  },

  async "rubbing a pad with the pointer sings, and lifting lets it ring"() {
    const page = await open();
    await page.evaluate(() => tocco.choose("cello"));
    await wait(page, 100);
    const box = await page.locator("#surfaces canvas").first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.6);
    await page.mouse.down();
    await wait(page, 1000);
    assert.ok(await peak(page) > 0.005);
    await page.screenshot({ path: join(shots, "bowed.png"), fullPage: true });
    await page.mouse.up();
    await wait(page, 100);
    const force = await page.evaluate(() => tocco.surfaces[0].isDown);
    assert.equal(force, false);
    await page.context().close();
  },

  async "a saved scene, a link and a typed edit give the scene back"() {
    const page = await open();
    await load(page, BAR);
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    const saved = readFileSync(await file.path(), "utf8");
    assert.equal(saved, BAR);
    await page.evaluate(() => tocco.choose("bell"));
    const path = join(work, "bar.toml");
    writeFileSync(path, saved);
    await page.setInputFiles("#file", path);
    await page.waitForFunction(() => document.getElementById("title").textContent === "a bar");
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#scene="));
    const link = page.url();
    const other = await open({ at: link });
    assert.equal(await other.evaluate(() => document.getElementById("title").textContent), "a bar");
    assert.equal(await other.evaluate(() => tocco.text), BAR);
    await other.context().close();
    await page.fill("#source", BAR.replace('"a bar"', '"another bar"'));
    await page.waitForFunction(() => document.getElementById("title").textContent === "another bar");
    await page.context().close();
  },

  async "an edit keeps what stays sounding"() {
    const page = await open();
    await load(page, BAR);
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await wait(page, 150);
    const before = await page.evaluate(() => tocco.last.energies[1]);
    await page.fill("#source", BAR.replace("gain = 0.3", "gain = 0.31"));
    await page.waitForFunction(() => document.getElementById("edit-note").textContent === "taken");
    await wait(page, 60);
    const after = await page.evaluate(() => tocco.last.energies[1]);
    assert.ok(after > 0.05 * before && after <= before, `${before} J, then ${after} J`);
    await page.context().close();
  },

  async "a recorded take renders with the program to the very samples that were heard"() {
    const page = await open();
    await load(page, BAR);
    await page.click("#record");
    await wait(page, 150);
    for (const x of [0.1, 0.5, 0.83]) {
      await page.evaluate((at) => tocco.surfaces.at(-1).strike([at, 0.5]), x);
      await page.evaluate((at) => tocco.controls.put("size", at, true), x);
      await wait(page, 130);
    }
    await page.click("#record");
    await page.waitForFunction(() => document.getElementById("recorded").open);
    await page.screenshot({ path: join(shots, "take.png") });
    const [take] = await Promise.all([page.waitForEvent("download"), page.click("#take-file")]);
    const [sound] = await Promise.all([page.waitForEvent("download"), page.click("#take-wav")]);
    const from = join(work, "take.jsonl");
    const to = join(work, "take.wav");
    await take.saveAs(from);
    execFileSync(program, ["render", "--take", from, "-o", to, "--bits", "32f"], { stdio: "pipe" });
    const samples = (file) => {
      const bytes = readFileSync(file);
      const at = bytes.indexOf("data") + 8;
      return new Uint32Array(bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + bytes.readUInt32LE(at - 4)));
    };
    const [ours, theirs] = [samples(await sound.path()), samples(to)];
    assert.equal(ours.length, theirs.length);
    assert.equal(ours.findIndex((x, i) => x !== theirs[i]), -1);
    assert.ok(ours.some((x) => x !== 0));
    await page.context().close();
  },

  async "an offline render is a WAV, made faster than it sounds"() {
    const page = await open();
    await load(page, BAR.replace("position_m = -1.0", "velocity_m_s = 1.0"));
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#render")]);
    const bytes = readFileSync(await file.path());
    assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
    assert.ok(bytes.length > 4 * 47_000);
    const said = await page.evaluate(() => document.getElementById("said").textContent);
    assert.ok(Number(/(\d+) times/.exec(said)[1]) > 1, said);
    await page.context().close();
  },

  async "OSC that reaches the program is played in the page, and the page's gestures go out as OSC"() {
    const page = await open();
    await load(page, BAR);
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("OSC"));
    const pad = (text) => Buffer.concat([Buffer.from(text), Buffer.alloc(4 - (text.length % 4))]);
    const speed = Buffer.alloc(4);
    speed.writeFloatBE(1.5);
    heardOsc.send(Buffer.concat([pad("/tocco/strike"), pad(",sf"), pad("hammer"), speed]), oscPort, "127.0.0.1");
    await wait(page, 600);
    assert.ok(await peak(page) > 0.001, "struck by OSC");
    const out = new Promise((done) => heardOsc.once("message", done));
    await page.evaluate(() => tocco.controls.put("size", 0.25, true));
    const message = await out;
    assert.equal(message.toString("latin1", 0, 5), "/size");
    assert.equal(message.readFloatBE(message.length - 4), 0.25);
    await page.context().close();
  },

  async "what is played in the page is played by a running tocco play, which records it"() {
    const port = oscPort + 1;
    const take = join(work, "played.jsonl");
    const player = spawn(program, ["play", "bar", "--device", "null", "--plain", "--osc", String(port), "--record", take, "--duration", "8"], { stdio: "ignore" });
    const ended = new Promise((done) => player.on("exit", done));
    const joined = await serve("--to", `127.0.0.1:${port}`);
    const page = await open({ at: joined.address });
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("joined"));
    await page.evaluate(() => {
      tocco.engine.send({ strike: "hammer", velocity_m_s: 0.75 });
      tocco.engine.set("hardness", 0.25);
    });
    assert.equal(await ended, 0);
    const lines = readFileSync(take, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.some((line) => line.strike === "hammer" && line.velocity_m_s === 0.75), "the strike arrived");
    assert.ok(lines.some((line) => line.set === "hardness" && line.value === 0.25), "the control arrived");
    joined.server.removeAllListeners("exit");
    joined.server.kill();
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

  async "a plain static server without isolation headers works too"() {
    const site = join(work, "site");
    execFileSync(program, ["studio", "--export", site], { stdio: "pipe" });
    const types = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm", json: "application/json", svg: "image/svg+xml" };
    const plain = createServer((request, response) => {
      const name = request.url.split(/[?#]/)[0].slice(1) || "index.html";
      try {
        const bytes = readFileSync(join(site, name));
        response.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "text/plain" }).end(bytes);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise((done) => plain.listen(0, "127.0.0.1", done));
    const page = await open({ at: `http://127.0.0.1:${plain.address().port}/` });
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    await load(page, BAR);
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await wait(page, 500);
    assert.ok(await peak(page) > 0.001);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
    plain.close();
  },

  async "the server gives its own files only, and another studio on the port is one clear line"() {
    const port = new URL(address).port;
    for (const path of ["/../Cargo.toml", "/etc/passwd", "/%2e%2e/secret", "/scenes/bar.toml"]) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 404, path);
    }
    const wasm = await fetch(`${address}tocco.wasm`);
    assert.equal(wasm.headers.get("content-type"), "application/wasm");
    assert.equal(wasm.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(wasm.headers.get("cross-origin-embedder-policy"), "require-corp");
    assert.equal((await fetch(address, { method: "POST" })).status, 405);
    try {
      execFileSync(program, ["studio", "--port", port, "--no-open"], { stdio: "pipe" });
      assert.fail("took a port that is taken");
    } catch (error) {
      assert.equal(error.status, 2);
      assert.match(String(error.stderr), new RegExp(`port ${port} is taken`));
    }
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

let passed = 0;
const failures = [];
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  try {
    await test();
    passed += 1;
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(name);
    console.error(`FAILED  ${name}: ${error.message}`);
  }
}
await browser.close();
server.removeAllListeners("exit");
server.kill();
heardOsc.close();
rmSync(work, { recursive: true, force: true });
console.log(`studio: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
