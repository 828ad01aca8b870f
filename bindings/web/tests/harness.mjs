// SPDX-License-Identifier: MIT OR Apache-2.0
// What every browser test needs: a studio, a browser, pages, and ears.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const [program, browserPath, shots, only] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });
export const work = mkdtempSync(join(tmpdir(), "tocco-studio-"));

/** Starts `tocco studio` and reads its address from what it says. */
export function serve(...args) {
  const server = spawn(program, ["studio", "--port", "0", "--no-open", ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_DATA_HOME: join(work, "data") } });
  return new Promise((done, failed) => {
    let said = "";
    const hear = (bytes) => {
      said += bytes;
      const found = /https?:\S+/.exec(said);
      if (found) done({ server, address: found[0], said: () => said });
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", (code) => failed(new Error(`tocco studio ended with ${code}: ${said}`)));
  });
}

/** A port that nobody listens to now. */
export async function freePort() {
  const socket = createSocket("udp4");
  await new Promise((done) => socket.bind(0, "127.0.0.1", done));
  const { port } = socket.address();
  await new Promise((done) => socket.close(done));
  return port;
}

export const oscPort = await freePort();
export const heardOsc = createSocket("udp4");
await new Promise((done) => heardOsc.bind(0, "127.0.0.1", done));
export const { server, address } = await serve("--osc", String(oscPort), "--to", `127.0.0.1:${heardOsc.address().port}`);
const QUIETLY = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
  "--disable-dev-shm-usage"];
/** A browser with these flags more. */
export const launch = (...flags) => chromium.launch({ executablePath: browserPath, args: [...QUIETLY, ...flags] });
export const browser = await launch("--autoplay-policy=no-user-gesture-required");

/** A picture is drawn this often, ms: what is seen is the same, and two cores have more time for the sound. How fast it can be is for the bench. */
const PICTURE_MS = 50;

/** Before the page: pictures come less often. */
function slowly(every) {
  const [ask, waiting] = [requestAnimationFrame.bind(globalThis), new Map()];
  let [number, isAsked] = [0, false];
  const draw = (now) => {
    isAsked = false;
    const all = [...waiting.values()];
    waiting.clear();
    for (const act of all) {
      try {
        act(now);
      } catch (error) {
        reportError(error);
      }
    }
  };
  globalThis.requestAnimationFrame = (act) => {
    waiting.set((number += 1), act);
    if (!isAsked) setTimeout(() => ask(draw), every);
    isAsked = true;
    return number;
  };
  globalThis.cancelAnimationFrame = (gone) => waiting.delete(gone);
}

/** Somebody who has been here before sees all of the page. */
const everything = () => localStorage.getItem("tocco-screen") ?? localStorage.setItem("tocco-screen", "all");

/** Where on the screen a point of a body on the stage is. */
export const spot = (page, name, point = [0.5, 0.5]) => page.evaluate(([wanted, at]) => tocco.stage.client(wanted, at), [name, point]);

/** Gestures that the page sends from here on, in `globalThis.sent`. */
export const listen = (page) => page.evaluate(() => {
  globalThis.sent = [];
  const send = tocco.engine.send.bind(tocco.engine);
  tocco.engine.send = (gesture, after) => {
    globalThis.sent.push(gesture);
    send(gesture, after);
  };
});

const VIEWPORT = { width: 1280, height: 900 };

/** A page that is ready; every complaint and every request is noted. */
export async function open({ at = address, viewport = VIEWPORT, before, within = browser, isNew = false, ...options } = {}) {
  // Keeping every file for when the server is away takes a while, and is tried by one test.
  const context = await within.newContext({ viewport, acceptDownloads: true, serviceWorkers: "block", ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.addInitScript(slowly, PICTURE_MS);
  if (before) await page.addInitScript(before);
  if (!isNew) await page.addInitScript(everything);
  await page.goto(at);
  await page.waitForFunction(() => document.documentElement.dataset.ready || !document.getElementById("problem").hidden);
  return page;
}

/** Everything that a test may have done to the page, undone, and its first scene from its start. */
async function asNew() {
  // What a test has put in place of the page's own: methods stand in classes, not in the things themselves.
  for (const thing of [tocco.engine, tocco.offline, tocco.controls, tocco.notes]) {
    for (const name of Object.keys(thing)) if (typeof thing[name] === "function" && name in Object.getPrototypeOf(thing)) delete thing[name];
  }
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  document.querySelectorAll("details[open]").forEach((details) => (details.open = false));
  if (tocco.frozen) document.getElementById("freeze").click();
  for (const field of document.querySelectorAll("header input, .hands > label input:not(#keys), #views input, footer input, #gallery input")) {
    const isOther = field.type === "checkbox" ? field.checked !== field.defaultChecked : "defaultValue" in field && field.value !== field.defaultValue;
    if (!isOther) continue;
    if (field.type === "checkbox") field.checked = field.defaultChecked;
    else field.value = field.defaultValue;
    field.dispatchEvent(new Event("input"));
    field.dispatchEvent(new Event("change"));
  }
  document.getElementById("mode").selectedIndex = 0;
  document.getElementById("said").textContent = "";
  document.getElementById("keys").checked = false;
  tocco.notes.midiOn = false;
  tocco.notes.bent = 0; // a wheel that was left turned
  await tocco.notes.letters(false);
  document.activeElement?.blur();
  scrollTo(0, 0);
  tocco.screens.show("all");
  if (tocco.engine.context.state !== "running" || !tocco.engine.isOn) await tocco.engine.turn(true);
  await tocco.choose("steel-bar");
  for (const name of Object.keys(globalThis).filter((key) => ["sent", "most", "letGo", "across"].includes(key))) delete globalThis[name];
}

let standing = null;

/** The page that stands: the same for one test after the other, as loading it costs more than most of them. For tests that need nothing of a page
 * that has just been opened: neither an empty shelf of scenes, nor steps to undo, nor a first gesture. */
export async function share(viewport = VIEWPORT) {
  if (!standing || standing.isClosed()) standing = await open();
  const page = standing;
  [page.complaints, page.requests] = [[], []];
  await page.setViewportSize(viewport);
  await page.mouse.move(2, 2);
  await page.evaluate(asNew);
  return page;
}

/** Ends what a test did with a page: closed, or silent until the next test takes it. A test that fails leaves none standing. */
export async function leave(page) {
  if (page === standing) await page.evaluate(() => tocco.engine.turn(false));
  else await page.context().close();
}

/** Loudest sample of the last frames. */
export const peak = (page, frames = 24_000) => page.evaluate((count) => {
  let most = 0;
  for (const x of tocco.engine.ring.column(0, count)) most = Number.isFinite(x) ? Math.max(most, Math.abs(x)) : Infinity;
  return most;
}, frames);

export const load = (page, text) => page.evaluate((scene) => tocco.take(scene, { fresh: true }), text);
export const scenes = async (page) => page.evaluate(() => tocco.scenes.map(({ name, text }) => ({ name, text })));
export const problem = (page) => page.evaluate(() => document.getElementById("problem").textContent);
export const wait = (page, ms) => page.waitForTimeout(ms);

/** Chooses something of the menu *Keep*. */
export async function keep(page, id) {
  await page.click("#keep summary");
  await page.click(id);
}

/** Until so many more seconds of sound have been rendered and told of, however late the machine is and whatever scene they are of. */
export async function sounded(page, seconds) {
  const from = await page.evaluate(() => tocco.engine.ring.head());
  await page.waitForFunction(([head, more]) => tocco.last?.head >= head + more * tocco.engine.rate, [from, seconds]);
}

/** Until the page has drawn what it knows now, however late the machine is. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

/** Until nothing is heard any more. */
export const hushed = (page, frames = 2000) => page.waitForFunction((count) => tocco.engine.ring.column(0, count).every((x) => Math.abs(x) < 1e-9), frames, { timeout: 15_000 });

/** A scene in which a hammer waits for `bar`: what that is, where it is struck, where it is heard and how loud. */
export const struck = (title, bar, { at, ear, gain }) => `title = "${title}"
duration_s = 1.0
[body.hammer]
type = "mass"
mass_kg = 0.01
position_m = -1.0
[body.bar]
${bar}[contact.hit]
type = "impact"
between = ["hammer", "${at}"]
stiffness = 1e8
[[tap]]
of = "${ear}"
gain = ${gain}
`;

/** A control of a scene. */
export const control = (name, path, range) => `[[control]]
name = "${name}"
path = "${path}"
range = ${range}
scale = "log"
`;

/** Something silent until it is struck: a steel bar and a hammer. */
export const BAR = struck("a bar", `type = "shape"
shape = "bar"
length_m = 0.3
width_m = 0.03
thickness_m = 0.005
material = "steel"
[body.bar.port]
place = 0.2
ear = 0.02
`, { at: "bar.place", ear: "bar.ear", gain: "0.3" }) + control("size", "bar/freq_scale", "[0.5, 2.0]");

/** Waits until something as loud as this is heard, however late the machine is. */
export const heard = (page, least = 0.001) => page.waitForFunction((level) => tocco.engine.ring.column(0, 24_000).some((x) => Math.abs(x) > level), least, { timeout: 15_000 });

/** Everything is stopped, and nothing but silence is remembered of so many frames. */
export async function silence(page, frames = 24_000) {
  await page.evaluate(() => tocco.engine.send({ hush: true }));
  await page.waitForFunction((count) => tocco.engine.ring.column(0, count).every((x) => x === 0), frames, { timeout: 15_000 });
}

/** Centroid of the 16384 samples that follow what `act` strikes out of silence, Hz: by the sound's clock, not the wall's. */
export async function colourOf(page, act) {
  await silence(page, 4096);
  const from = await page.evaluate(() => tocco.engine.ring.head());
  await act();
  return page.evaluate(async (head) => {
    const { Spectrum } = await import("./fft.js");
    const { ring, rate } = tocco.engine;
    for (let onset = -1; ;) {
      await new Promise((done) => setTimeout(done, 50));
      const now = ring.head();
      if (onset < 0) {
        const first = ring.column(0, now - head, now).findIndex((x) => x !== 0);
        if (first >= 0) onset = head + first;
      }
      if (onset < 0 || now < onset + 16_384) continue;
      const power = new Spectrum(16_384).of(ring.column(0, 16_384, onset + 16_384));
      let [sum, weight] = [0, 0];
      power.forEach((p, k) => {
        sum += p * k;
        weight += p;
      });
      return ((sum / weight) * rate) / 16_384;
    }
  }, from);
}

/** Says that something is not tried here; with TOCCO_REQUIRE_ALL=1 it fails. */
export function skip(untried, missing) {
  if (process.env.TOCCO_REQUIRE_ALL === "1") throw new Error(`${untried}: not tried, as ${missing} is missing, and TOCCO_REQUIRE_ALL=1 asks for everything`);
  console.log(`SKIPPED: ${untried}, as ${missing} is missing`);
}

/** Bits of the samples of a float WAV. */
export function samplesOf(file) {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("data") + 8;
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + bytes.readUInt32LE(at - 4)));
}

/** The program must render a take's file to these samples, as bits. */
export function rendersTo(from, ours) {
  const to = from.replace(".jsonl", ".wav");
  execFileSync(program, ["render", "--take", from, "-o", to, "--bits", "32f"], { stdio: "pipe" });
  const theirs = samplesOf(to);
  assert.equal(ours.length, theirs.length);
  assert.equal(ours.findIndex((x, i) => x !== theirs[i]), -1);
  assert.ok(ours.some((x) => x !== 0));
}

/** Ends the take that is being kept, which must render to the samples that were heard; its text. */
export async function endTake(page, name) {
  await page.click("#recording");
  await page.waitForFunction(() => document.getElementById("recorded").open);
  const { text, samples } = await page.evaluate(() => ({ text: tocco.menu.lastTake.text, samples: [...new Uint32Array(tocco.menu.lastTake.samples.buffer)] }));
  const from = join(work, `${name}.jsonl`);
  writeFileSync(from, text);
  rendersTo(from, samples);
  return text;
}

/** Ends all that was begun. */
export async function close() {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill();
  heardOsc.close();
  rmSync(work, { recursive: true, force: true });
}
