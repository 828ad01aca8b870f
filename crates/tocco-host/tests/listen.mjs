// SPDX-License-Identifier: MIT OR Apache-2.0
// A listener at the keyboard: runs listen.html of a set in Chromium and saves the answers.
//
//   node listen.mjs CHROMIUM SET_FOLDER WORK_FOLDER
//
// Speaks the DevTools protocol over a pipe (one JSON message per NUL), so it needs no package. Prints one JSON line with
// what it saw; exits 1 with one line on stderr if the page did not do what a listener expects.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [chromium, set, work] = process.argv.slice(2);
const flags = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", `--user-data-dir=${path.join(work, "profile")}`,
  "--autoplay-policy=no-user-gesture-required", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1000,760"];
const browser = spawn(chromium, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
browser.on("error", (e) => fail(e.message));
const timer = setTimeout(() => fail("took longer than 90 s"), 90_000);

function fail(why) {
  console.error(why);
  browser.kill("SIGKILL");
  process.exit(1);
}

const waiting = new Map();
const requests = [];
let count = 0, rest = "", session;
browser.stdio[4].on("data", (bytes) => {
  const parts = (rest + bytes).split("\0");
  rest = parts.pop();
  for (const part of parts) {
    const message = JSON.parse(part);
    if (message.method === "Network.requestWillBeSent") requests.push(message.params.request.url);
    if (message.method === "Runtime.exceptionThrown") fail(JSON.stringify(message.params.exceptionDetails));
    const wait = waiting.get(message.id);
    waiting.delete(message.id);
    if (wait) message.error ? fail(`${wait.method}: ${message.error.message}`) : wait.resolve(message.result);
  }
});
const send = (method, params = {}) => new Promise((resolve) => {
  const id = ++count;
  waiting.set(id, { method, resolve });
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + "\0");
});
const value = async (expression) => {
  const answer = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (answer.exceptionDetails) fail(`${expression}: ${answer.exceptionDetails.exception.description}`);
  return answer.result.value;
};
const until = async (expression) => {
  for (let i = 0; i < 400; i++) {
    if (await value(expression)) return;
    await new Promise((r) => setTimeout(r, 25));
  }
  fail(`never came true: ${expression}; the page says: ${await value("document.body.innerText")}`);
};
const press = async (key) => {
  const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
  const code = { Enter: 13, Tab: 9 }[key] ?? key.charCodeAt(0);
  await send("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
  await send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
};
const picture = async (name) => {
  const { data } = await send("Page.captureScreenshot", { format: "png" });
  fs.writeFileSync(path.join(work, name), Buffer.from(data, "base64"));
};
const open = async (file) => {
  await send("Page.navigate", { url: pathToFileURL(path.join(set, file)).href });
  await until("document.readyState === 'complete' && document.body && document.body.innerText.length > 20");
};

const { targetId } = await send("Target.createTarget", { url: "about:blank" });
({ sessionId: session } = await send("Target.attachToTarget", { targetId, flatten: true }));
for (const domain of ["Page", "Network", "Runtime"]) await send(`${domain}.enable`);
await send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: work });

await open("listen.html");
await picture("start.png");
const orders = await value("[1, 2, 3, 4].map((l) => order(l).map((i) => SET.files[i]))");
const total = await value("SET.files.length"), choices = await value("SET.answers.length");
await press("Enter");
for (let trial = 0; trial < total; trial++) {
  await until(`open && state.answers.length === ${trial}`);
  if (trial === 1) await picture("trial.png");
  if (trial === 5) {
    // Closing the page in the middle of a sound loses nothing; the sound comes again and the table says so.
    await open("listen.html");
    if (!(await value("$('begin').textContent")).includes("Go on at sound 6")) fail("it does not go on where it stopped");
    await press("Enter");
    await until(`open && state.answers.length === 5`);
  }
  await press("9");
  // The last answer with Tab and Enter instead of its number.
  if (trial === total - 1) {
    await value("document.activeElement.blur()");
    await press("Tab");
    await press("Enter");
  } else await press(String(1 + (trial % choices)));
}
await until("!$('end').hidden");
await picture("end.png");
await press("Enter");
for (let i = 0; i < 200 && !fs.existsSync(path.join(work, "answers-1.tsv")); i++) await new Promise((r) => setTimeout(r, 25));
await open("sheet.html");
await picture("sheet.png");
const { data } = await send("Page.printToPDF", { preferCSSPageSize: true });
fs.writeFileSync(path.join(work, "sheet.pdf"), Buffer.from(data, "base64"));
const rows = await value("document.querySelectorAll('li').length");
clearTimeout(timer);
console.log(JSON.stringify({ orders, rows, strangers: requests.filter((url) => !/^(file|data|blob):/.test(url)) }));
await send("Browser.close");
process.exit(0);
