// SPDX-License-Identifier: MIT OR Apache-2.0
// On another device: HTTPS with a key and a code for its camera, installed, and without its server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect } from "node:tls";
import jsQR from "jsqr";
import { BAR, heard, launch, load, open, program, serve, wait, work } from "./harness.mjs";

/** An address for documentation, where nobody is: the browser is told that it is this machine. */
const FAR = "192.0.2.7";

/** What a camera reads of the half blocks that a program has printed. */
function readCode(said) {
  const rows = said.split("\n").filter((line) => /^[ █▀▄]{20,}$/.test(line));
  if (!rows.length) return undefined;
  const light = rows.flatMap((line) => [[..."█▀"], [..."█▄"]].map((lit) => [...line].map((c) => lit.includes(c))));
  const [scale, width, height] = [4, light[0].length, light.length];
  const pixels = new Uint8ClampedArray(4 * scale * scale * width * height);
  for (let y = 0; y < scale * height; y += 1) {
    for (let x = 0; x < scale * width; x += 1) pixels.fill(light[Math.floor(y / scale)][Math.floor(x / scale)] ? 255 : 0, 4 * (y * scale * width + x), 4 * (y * scale * width + x) + 4);
  }
  return jsQR(pixels, scale * width, scale * height)?.data;
}

/** The certificate that is shown at a port of this machine. */
const shownAt = (port) => new Promise((done, failed) => {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
    done(new X509Certificate(socket.getPeerCertificate(true).raw));
    socket.destroy();
  });
  socket.on("error", failed);
});

export default {
  async "another device plays by HTTPS, with the key that a camera reads, joins, installs the page and plays on without its server"() {
    const far = await serve("--host");
    const until = Date.now() + 15_000;
    const isSaid = () => far.said().includes("as an authority") && readCode(far.said()) === far.address;
    while (!isSaid() && Date.now() < until) await new Promise((done) => setTimeout(done, 50));
    const link = new URL(far.address);
    assert.equal(readCode(far.said()), far.address);
    const { port } = link;
    // What is to be trusted is what is shown: a client that trusts the named file alone is content.
    const root = /as an authority: (\S+),/.exec(far.said())[1];
    const curl = (...args) => execFileSync("curl", ["--silent", "--show-error", "--noproxy", "*", ...args], { stdio: "pipe", encoding: "utf8" });
    assert.match(curl("--cacert", root, `https://127.0.0.1:${port}/${link.search}`), /<title>Tocco studio/);
    assert.throws(() => curl(`https://127.0.0.1:${port}/${link.search}`), /certificate/);
    assert.match(curl(`http://127.0.0.1:${port}/`), /begins with https/);
    assert.equal(curl("--cacert", root, `https://127.0.0.1:${port}/trust.crt${link.search}`), readFileSync(root, "utf8"));
    const fingerprint = createHash("sha256").update(new X509Certificate(readFileSync(root)).raw).digest("hex").toUpperCase().match(/../g).join(":");
    assert.ok(far.said().includes(fingerprint));

    const own = createHash("sha256").update((await shownAt(port)).publicKey.export({ type: "spki", format: "der" })).digest("base64");
    const browser = await launch("--autoplay-policy=no-user-gesture-required", `--host-resolver-rules=MAP ${FAR} 127.0.0.1`, `--ignore-certificate-errors-spki-list=${own}`);
    const page = await open({ at: `https://${FAR}:${port}/${link.search}`, within: browser, serviceWorkers: "allow" });
    assert.deepEqual(await page.evaluate(() => [location.hostname, isSecureContext, crossOriginIsolated, "DeviceMotionEvent" in globalThis]), [FAR, true, true, true]);
    await load(page, BAR);
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await heard(page); // the worklet
    await page.waitForFunction(() => document.getElementById("said").textContent.includes("joined"));
    // Without the key nobody comes in, by this name either.
    const stranger = await (await browser.newContext()).newPage();
    assert.equal((await stranger.goto(`https://${FAR}:${port}/`)).status(), 403);

    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A context of its own keeps nothing, as a private window: that alone forbids installing.
    assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"), []);
    const { errors, data } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    assert.equal(JSON.parse(data).name, "Tocco studio");
    assert.deepEqual(page.complaints, []);

    far.server.removeAllListeners("exit");
    far.server.kill();
    await new Promise((done) => far.server.on("exit", done));
    await page.goto(`https://${FAR}:${port}/`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    await load(page, BAR);
    await page.evaluate(() => tocco.surfaces.at(-1).strike([0.1, 0.5]));
    await heard(page); // without its server
    // Every file is there, not only those that were asked for.
    const kept = await page.evaluate(async () => Promise.all(["phone.html", "offline.js", "icon-512.png", "schema.json", "./"].map(async (file) => (await fetch(file)).status)));
    assert.deepEqual(kept, [200, 200, 200, 200, 200]);
    await browser.close();
  },

  async "the exported folder opened from the disk, or served where no sound can be made, says what to do"() {
    const site = join(work, "from-disk");
    execFileSync(program, ["studio", "--export", site], { stdio: "pipe" });
    const plain = createServer((request, response) => {
      const name = request.url.split(/[?#]/)[0].slice(1) || "index.html";
      const type = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json" }[name.split(".").pop()];
      response.writeHead(200, { "content-type": type ?? "text/plain" }).end(readFileSync(join(site, name)));
    });
    await new Promise((done) => plain.listen(0, "127.0.0.1", done));
    const browser = await launch(`--host-resolver-rules=MAP ${FAR} 127.0.0.1`);
    for (const file of ["index.html", "phone.html"]) {
      const page = await browser.newPage();
      for (const [at, words] of [[pathToFileURL(join(site, file)).href, "python3 -m http.server"], [`http://${FAR}:${plain.address().port}/${file}`, "--host"]]) {
        await page.goto(at);
        await page.waitForFunction((part) => document.getElementById("problem").textContent.includes(part), words);
        await wait(page, 300); // nothing that runs later says something else
        assert.ok(await page.evaluate((part) => document.getElementById("problem").textContent.includes(part) && !document.getElementById("problem").hidden, words));
        assert.ok(await page.evaluate(() => !document.body.innerText.includes("loading")));
      }
    }
    await browser.close();
    plain.close();
  },
};
