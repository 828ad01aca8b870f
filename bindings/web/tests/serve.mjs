// SPDX-License-Identifier: MIT OR Apache-2.0
// The server and the bridge to OSC.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { address, BAR, colourOf, freePort, heard, heardOsc, leave, load, open, oscPort, peak, program, serve, share, skip, spot, work } from "./harness.mjs";

/** A program that plays and records until it is told to end, and the code with which it does. */
function begin(port, take) {
  const player = spawn(program, ["play", "bar", "--device", "null", "--plain", "--osc", String(port), "--record", take, "--duration", "120"], { stdio: "ignore" });
  return [player, new Promise((done) => player.on("exit", done))];
}

/** Until a take that is being recorded has these words behind its scene; without words until it is begun. */
async function written(take, ...words) {
  const has = () => existsSync(`${take}.unfinished`) && words.every((word) => readFileSync(`${take}.unfinished`, "utf8").split("\n").slice(1).some((line) => line.includes(word)));
  for (const until = Date.now() + 20_000; !has() && Date.now() < until;) await new Promise((done) => setTimeout(done, 50));
  assert.ok(has(), `${words} in the take`);
}

export default {
  async "OSC that reaches the program is played in the page, and the page's gestures go out as OSC"() {
    const page = await open();
    await load(page, BAR);
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("OSC"));
    const pad = (text) => Buffer.concat([Buffer.from(text), Buffer.alloc(4 - (text.length % 4))]);
    const speed = Buffer.alloc(4);
    speed.writeFloatBE(1.5);
    heardOsc.send(Buffer.concat([pad("/tocco/strike"), pad(",sf"), pad("hammer"), speed]), oscPort, "127.0.0.1");
    await heard(page);
    const out = new Promise((done) => heardOsc.once("message", done));
    await page.evaluate(() => tocco.controls.put("size", 0.25, true));
    const message = await out;
    assert.equal(message.toString("latin1", 0, 5), "/size");
    assert.equal(message.readFloatBE(message.length - 4), 0.25);
    // Whoever moves a control by OSC moves the parameter with it, and the other way round: one quantity.
    const put = (path, value) => {
      const number = Buffer.alloc(4);
      number.writeFloatBE(value);
      heardOsc.send(Buffer.concat([pad(path), pad(",f"), number]), oscPort, "127.0.0.1");
    };
    const agree = (size, scale) => page.waitForFunction((wanted) => {
      const found = ["size", "bar/freq_scale"].map((path) => tocco.controls.rows.get(path)?.value);
      return found.every((value, i) => Math.abs(value / wanted[i] - 1) < 1e-6);
    }, [size, scale]);
    await page.locator("#controls summary").click();
    put("/size", 0.75);
    await agree(0.75, 0.5 * 4 ** 0.75);
    put("/bar/freq_scale", 1);
    await agree(0.5, 1);
    await leave(page);
  },

  async "a page that another test has used still tells the program what is played"() {
    for (let i = 0; i < 2; i += 1) {
      const page = await share();
      await load(page, BAR);
      const heardAs = new Promise((done) => {
        const hear = (bytes) => {
          if (bytes.toString("latin1", 0, 5) !== "/size") return;
          heardOsc.off("message", hear);
          done(bytes.readFloatBE(bytes.length - 4));
        };
        heardOsc.on("message", hear);
      });
      // It may join late.
      const again = setInterval(() => page.evaluate(() => tocco.controls.put("size", 0.25, false)).catch(() => {}), 200);
      const late = new Promise((_, failed) => setTimeout(() => failed(new Error("nothing was told")), 15_000).unref());
      assert.equal(await Promise.race([heardAs, late]).finally(() => clearInterval(again)), 0.25);
      await leave(page);
    }
  },

  async "what is played in the page is played by a running tocco play, which records it"() {
    const port = await freePort();
    const take = join(work, "played.jsonl");
    const [player, ended] = begin(port, take);
    const joined = await serve("--to", `127.0.0.1:${port}`);
    const page = await open({ at: joined.address });
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("joined"));
    await written(take);
    await page.evaluate(() => {
      tocco.engine.send({ strike: "hammer", velocity_m_s: 0.75 });
      tocco.engine.set("hardness", 0.25);
    });
    await written(take, "0.75", '"hardness"');
    player.kill("SIGINT");
    assert.equal(await ended, 0);
    const lines = readFileSync(take, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.some((line) => line.strike === "hammer" && line.velocity_m_s === 0.75), "the strike arrived");
    assert.ok(lines.some((line) => line.set === "hardness" && line.value === 0.25), "the control arrived");
    joined.server.removeAllListeners("exit");
    joined.server.kill();
    await leave(page);
  },

  async "liblo's oscsend plays the page, whose sliders follow, and the page's gestures reach a running tocco play"() {
    if (spawnSync("oscsend", [], { stdio: "ignore" }).error) return skip("OSC of liblo", "oscsend (Debian package liblo-tools)");
    const [inPort, playPort] = [await freePort(), await freePort()];
    const take = join(work, "bridged.jsonl");
    const [player, ended] = begin(playPort, take);
    const joined = await serve("--osc", String(inPort), "--to", `127.0.0.1:${playPort}`);
    const page = await open({ at: joined.address });
    await load(page, BAR);
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("joined"));
    await written(take);
    const oscsend = (...args) => execFileSync("oscsend", ["127.0.0.1", String(inPort), ...args]);
    oscsend("/size", "f", "0.25");
    await page.waitForFunction(() => tocco.controls.rows.get("size")?.value === 0.25);
    assert.equal(await peak(page, 2000), 0);
    oscsend("/tocco/strike", "sf", "hammer", "1.5");
    await heard(page);
    oscsend("/tocco/panic");
    await page.waitForFunction(() => tocco.engine.ring.column(0, 2000).every((x) => Math.abs(x) < 1e-9), null, { timeout: 15_000 });
    // A free bar has a node of its first mode at 0.224: struck there it is all overtones.
    const colours = [];
    for (const place of ["0.5", "0.224"]) {
      oscsend("/tocco/touch", "sf", "bar.place", place);
      colours.push(await colourOf(page, () => oscsend("/tocco/strike", "sf", "hammer", "1.5")));
    }
    assert.ok(colours[1] > 1.5 * colours[0], `touched by oscsend: ${colours} Hz`);
    await page.mouse.click(...(await spot(page, "bar", [0.3, 0.5])));
    await written(take, '"strike"'); // and before it an echo of what came in, if there were one
    player.kill("SIGINT");
    assert.equal(await ended, 0);
    const lines = readFileSync(take, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.filter((line) => line.strike).map((line) => [line.strike, line.velocity_m_s]), [["hammer", 1]], "the click, and no echo of what came in");
    joined.server.removeAllListeners("exit");
    joined.server.kill();
    await leave(page);
  },

  async "a studio that was given a scene begins with it"() {
    const own = await serve("felt");
    const page = await open({ at: own.address });
    assert.equal(await page.evaluate(() => tocco.text), readFileSync("scenes/felt.toml", "utf8"));
    assert.deepEqual(page.complaints, []);
    own.server.removeAllListeners("exit");
    own.server.kill();
    await leave(page);
    assert.throws(() => execFileSync(program, ["studio", "nothing-of-that-name", "--port", "0", "--no-open"], { stdio: "pipe" }), /nothing-of-that-name/);
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
    await heard(page);
    assert.deepEqual(page.complaints, []);
    await leave(page);
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
};
