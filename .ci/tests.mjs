// SPDX-License-Identifier: MIT OR Apache-2.0
// Every Rust test: node .ci/tests.mjs ARGUMENTS_OF_CARGO_TEST...
// Two programs of tests at a time: those of tocco-host, which mostly wait for devices, sockets and clocks, and, where they leave the
// processors alone, one of those that compute. What fails beside another is tried again alone, once, and that is said.
import { spawn, spawnSync } from "node:child_process";
import { dirname, relative } from "node:path";

const given = process.argv.slice(2);
const WAITING = "tocco-host";

/** What cargo has built: file, folder in which it is run, name. */
function programs() {
  const words = ["test", ...given, "--no-run", "--message-format=json-render-diagnostics"];
  const { status, stdout } = spawnSync("cargo", words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
  const artifacts = stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  return artifacts.filter((line) => line.reason === "compiler-artifact" && line.profile.test && line.executable).map((line) => {
    const folder = dirname(line.manifest_path);
    return { file: line.executable, folder, waits: folder.endsWith(`/${WAITING}`), name: `${relative(".", folder)} ${relative(folder, line.target.src_path)}` };
  });
}

/** Runs one; true if it passed. What it said is shown when it has failed. */
function run({ file, folder, name, waits }) {
  return new Promise((resolve) => {
    const [began, said] = [Date.now(), []];
    const env = { ...process.env, CARGO: process.env.CARGO ?? "cargo", CARGO_MANIFEST_DIR: folder };
    const child = spawn("nice", ["-n", waits ? "0" : "5", file, "--quiet"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => said.push(bytes));
    child.on("close", (status) => {
      const text = Buffer.concat(said).toString();
      console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
      // The runner's own last line; all that it said where something failed.
      console.log(status === 0 ? (/^test result: .*/m.exec(text)?.[0] ?? "no result") : text);
      resolve(status === 0);
    });
  });
}

/** Runs some one after the other; those that failed. */
async function each(queue) {
  const failed = [];
  for (const program of queue) if (!(await run(program))) failed.push(program);
  return failed;
}

const all = programs();
if (all.length === 0) throw new Error("there are no tests");
const late = await Promise.all([true, false].map((waits) => each(all.filter((program) => program.waits === waits))));
if (late.flat().length) console.log(`again, alone: ${late.flat().map(({ name }) => name).join(", ")}`);
const failed = await each(late.flat());
for (const { name } of failed) console.error(`FAILED  ${name}`);
process.exit(failed.length ? 1 : 0);
