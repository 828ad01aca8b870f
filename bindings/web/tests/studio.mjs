// SPDX-License-Identifier: MIT OR Apache-2.0
// The studio in a real browser: node studio.mjs PROGRAM CHROMIUM FOLDER_FOR_SCREENSHOTS ['WORDS IN A NAME|OTHERS']
// Two browsers share the tests, and in each of them most tests share a page (harness.mjs), as loading it costs more than they do.
// Pages play in real time, and a busy machine makes them late: what fails beside another test is tried again alone, when the machine is quiet,
// twice at the most, and that is said.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const FILES = ["play", "press", "ground", "phone", "keys", "keep", "stage", "state", "editor", "serve", "others", "echo", "tank", "looks", "everyone", "program"];
const SIDE_BY_SIDE = 2;
const ALONE = 2;
/** The line of the test at which it failed. */
const where = (error) => /tests\/(\w+\.mjs:\d+)/.exec(error.stack ?? "")?.[1] ?? "?";

/** One browser and one studio: says which tests there are, runs those that it is told by name, answers null or why not. */
async function work() {
  const { browser, close } = await import("./harness.mjs");
  const tests = {};
  for (const file of FILES) Object.assign(tests, (await import(`./${file}.mjs`)).default);
  process.on("message", async (name) => {
    if (name === null) {
      await close();
      process.exit(0);
    }
    let failure = null;
    try {
      await tests[name]();
    } catch (error) {
      failure = `${where(error)}: ${error.message}`;
      await Promise.all(browser.contexts().map((context) => context.close()));
    }
    process.send({ failure });
  });
  process.send({ names: Object.keys(tests) });
}

/** Another of those that work. */
async function begin() {
  const worker = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const answer = async () => {
    const ended = new AbortController();
    const [said] = await Promise.race([once(worker, "message", { signal: ended.signal }), once(worker, "exit", { signal: ended.signal }).then(() => [{ failure: "the browser's process ended" }])]);
    ended.abort();
    return said;
  };
  const { names, failure } = await answer();
  if (failure) throw new Error(failure);
  return {
    names,
    async run(name) {
      const began = Date.now();
      if (worker.exitCode !== null) return { failure: "the browser's process ended", seconds: 0 };
      worker.send(name);
      return { ...(await answer()), seconds: (Date.now() - began) / 1000 };
    },
    async end() {
      if (worker.exitCode !== null) return;
      worker.send(null);
      await once(worker, "exit");
    },
  };
}

/** Everything, and how many failed. */
async function lead(only) {
  const first = await begin();
  const queue = first.names.filter((name) => !only || only.split("|").some((words) => name.includes(words)));
  const all = queue.length;
  const late = [];
  const others = await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, all) - 1 }, begin));
  const ok = (name, seconds) => console.log(`ok      ${name} (${seconds.toFixed(1)} s)`);
  await Promise.all([first, ...others].map(async (worker) => {
    for (let name; (name = queue.shift());) {
      const { failure, seconds } = await worker.run(name);
      if (failure === null) ok(name, seconds);
      else {
        late.push(name);
        console.log(`again   ${name}: ${failure.split("\n")[0]}`);
      }
    }
    await worker.end();
  }));
  const failures = [];
  for (const name of late) {
    for (let tried = 1; ; tried += 1) {
      const worker = await begin();
      const { failure, seconds } = await worker.run(name);
      await worker.end();
      if (failure === null) ok(name, seconds);
      else if (tried < ALONE) {
        console.log(`again   ${name}: ${failure.split("\n")[0]}`);
        continue;
      } else {
        failures.push(name);
        console.error(`FAILED  ${name}: ${failure}`);
      }
      break;
    }
  }
  console.log(`studio: ${all - failures.length} passed, ${failures.length} failed`);
  return failures.length;
}

if (process.send) await work();
else process.exit((await lead(process.argv[5])) ? 1 : 0);
