// SPDX-License-Identifier: MIT OR Apache-2.0
// The studio in a real browser: node studio.mjs PROGRAM CHROMIUM FOLDER_FOR_SCREENSHOTS [WORD_IN_A_TEST'S_NAME]
import echo from "./echo.mjs";
import editor from "./editor.mjs";
import everyone from "./everyone.mjs";
import { browser, close, only } from "./harness.mjs";
import ground from "./ground.mjs";
import keep from "./keep.mjs";
import keys from "./keys.mjs";
import looks from "./looks.mjs";
import others from "./others.mjs";
import phone from "./phone.mjs";
import play from "./play.mjs";
import press from "./press.mjs";
import serve from "./serve.mjs";
import stage from "./stage.mjs";
import state from "./state.mjs";
import tank from "./tank.mjs";

const tests = { ...play, ...press, ...ground, ...phone, ...keys, ...keep, ...stage, ...state, ...editor, ...serve, ...others, ...echo, ...tank, ...looks, ...everyone };
let passed = 0;
const failures = [];
/** The line of the test at which it failed. */
const where = (error) => /tests\/(\w+\.mjs:\d+)/.exec(error.stack ?? "")?.[1] ?? "?";
/** Pages play in real time, and a machine that stalls makes them late: a test that fails is tried once more, alone with its page, and says so. */
async function twice(name, test) {
  try {
    return await test();
  } catch (error) {
    console.log(`again   ${name}: ${where(error)}: ${error.message.split("\n")[0]}`);
    await Promise.all(browser.contexts().map((context) => context.close()));
    return test();
  }
}
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  try {
    await twice(name, test);
    passed += 1;
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(name);
    console.error(`FAILED  ${name}: ${where(error)}: ${error.message}`);
  }
}
await close();
console.log(`studio: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
