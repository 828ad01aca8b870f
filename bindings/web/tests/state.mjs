// SPDX-License-Identifier: MIT OR Apache-2.0
// One state: sliders, text and sound agree, and nothing is lost.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { address, BAR, keep, leave, load, open, program, samplesOf, share, work } from "./harness.mjs";

const value = (page, path) => page.evaluate((p) => tocco.controls.rows.get(p).value, path);
const text = (page) => page.evaluate(() => tocco.text);
const saved = async (page, id = "#save") => {
  const [file] = await Promise.all([page.waitForEvent("download"), keep(page, id)]);
  return readFileSync(await file.path());
};
/** Moves a named control with the keyboard, a tenth of its way at a time. */
async function nudge(page, path, times) {
  await page.locator(`#controls input[data-path="${path}"]`).first().focus();
  for (let i = 0; i < times; i += 1) await page.keyboard.press("PageUp");
}

/** What the page renders is what the program renders of this scene, sample for sample, and something is heard. */
async function rendersLike(page, scene) {
  const [ours, theirs] = ["ours.wav", "theirs.wav"].map((name) => join(work, name));
  writeFileSync(ours, await saved(page, "#render"));
  execFileSync(program, ["render", scene, "-o", theirs, "--bits", "32f"], { stdio: "pipe" });
  const samples = samplesOf(ours);
  assert.ok(samples.some((bits) => bits !== 0), `${scene} is silent`);
  assert.ok(Buffer.from(samples.buffer).equals(Buffer.from(samplesOf(theirs).buffer)), scene);
}

/** With comments, and an order of its own. */
const COMMENTED = BAR.replace("[body.bar]", "# what rings\n[body.bar] # a bar").replace("stiffness = 1e8", "stiffness = 1e8 # hard")
  .replace("gain = 0.3", "gain = 0.3 # not loud") + '[[event]]\nat_s = 0.05\nstrike = "hammer"\nvelocity_m_s = 1.0\n';

export default {
  async "a slider is part of the scene: again, link, file, take and WAV have it, comments stay, and one click goes back to the byte"() {
    const page = await share();
    await load(page, COMMENTED);
    await nudge(page, "size", 3);
    const row = page.locator("#controls .control.named").first();
    assert.ok(await row.evaluate((e) => e.classList.contains("changed")), "it is shown as changed");
    const file = (await saved(page)).toString();
    assert.match(file, /\nfreq_scale = 1\.51\d+\n/);
    assert.deepEqual(file.split("\n").filter((line) => !COMMENTED.split("\n").includes(line)).length, 1, "one line is new");
    assert.deepEqual([...file.matchAll(/#.*/g)].join(), [...COMMENTED.matchAll(/#.*/g)].join(), "comments stay in order");
    writeFileSync(join(work, "moved.toml"), file);
    await rendersLike(page, join(work, "moved.toml"));
    const size = await value(page, "size");
    await page.click("#again");
    await page.waitForFunction(() => tocco.info.paths.find(({ path }) => path === "bar/freq_scale").value > 1.5);
    assert.ok(Math.abs(await value(page, "size") - size) < 1e-5);
    await keep(page, "#share");
    await page.waitForFunction(() => location.hash.startsWith("#scene="));
    assert.equal(await page.evaluate(async () => (await import("./keep.js")).sceneIn(location.hash)), file);
    // A number that stands in the text, by its own name and by its comment.
    await page.locator("#controls summary").click();
    const mass = page.locator("#controls input.value[aria-label^='hammer/mass_kg']");
    await mass.fill("25 g");
    await mass.press("Enter");
    await page.waitForFunction(() => tocco.text.includes("mass_kg = 0.025"));
    assert.match(await text(page), /stiffness = 1e8 # hard/);
    // What has no key is set at the start, by an event.
    const push = page.locator("#controls input.value[aria-label^='bar.ear/force_n']");
    await push.fill("0.5");
    await push.press("Enter");
    await page.waitForFunction(() => tocco.text.endsWith('[[event]]\nat_s = 0.0\nset = "bar.ear/force_n"\nvalue = 0.5\n'));
    await keep(page, "#record");
    await page.waitForFunction(() => tocco.info.paths.find(({ path }) => path === "hammer/mass_kg").value === 0.025);
    await page.click("#recording");
    await page.waitForFunction(() => document.getElementById("recorded").open);
    assert.equal(await page.evaluate(() => JSON.parse(tocco.menu.lastTake.text.split("\n")[0]).scene.text), await text(page), "a take begins with it");
    await page.keyboard.press("Escape");
    for (const path of ["bar.ear/force_n", "hammer/mass_kg", "bar/freq_scale"]) await page.locator(`#controls .control:has(input[data-path="${path}"]) .back`).click();
    assert.equal(await text(page), COMMENTED);
    assert.equal(await page.locator("#controls .control.changed").count(), 0);
    await leave(page);
  },

  async "typing moves no slider that it does not name and empties no undo, and a slider moves no caret"() {
    const page = await share();
    await load(page, BAR);
    await nudge(page, "size", 1);
    const size = await value(page, "size");
    await page.waitForFunction(() => tocco.text.includes("\nfreq_scale"));
    const source = await page.evaluate(() => tocco.editor.text);
    await page.fill("#source", source.replace("gain = 0.3", "gain = 0.31"));
    await page.waitForFunction(() => tocco.text.includes("0.31"));
    assert.ok(Math.abs(await value(page, "size") - size) < 1e-5, "the slider stays");
    await page.click("#undo");
    await page.waitForFunction(() => !tocco.text.includes("0.31"));
    assert.ok(Math.abs(await value(page, "size") - size) < 1e-5);
    await page.click("#undo");
    assert.ok(Math.abs(await value(page, "size") - 0.5) < 1e-9, "the move before is undone, too");
    assert.equal(await text(page), BAR);
    // A value typed in the text that a hand had moved since is the one that holds, on the page and in the engine.
    await page.click("#redo");
    await page.waitForFunction(() => tocco.text.includes("\nfreq_scale"));
    await page.fill("#source", BAR);
    await page.waitForFunction((bar) => tocco.text === bar, BAR);
    await page.waitForFunction(() => tocco.last?.settings?.values[tocco.info.paths.findIndex(({ path }) => path === "bar/freq_scale")] === 1);
    assert.ok(Math.abs(await value(page, "size") - 0.5) < 1e-9);
    await leave(page);
  },

  async "one quantity has one value under all its names, whoever moves it: hand, OSC, note, drive or the scene"() {
    const page = await share();
    const drives = '[[drive]]\npath = "bar/decay_scale"\npoints = [[0.0, 1.0], [0.2, 3.0]]\n[[event]]\nat_s = 0.1\nset = "hammer/mass_kg"\nvalue = 0.5\n';
    await load(page, `${BAR.replace("stiffness = 1e8", "hardness_01 = 0.5")}[[control]]\nname = "feel"\npath = "hit/hardness_01"\nrange = [0.0, 1.0]\n${drives}`);
    await page.locator("#controls summary").click();
    // The scene's own drive and event.
    await page.waitForFunction(() => tocco.controls.rows.get("bar/decay_scale")?.value === 3 && tocco.controls.rows.get("hammer/mass_kg")?.value === 0.5);
    assert.equal(Number(await page.locator("#hammer input.value[aria-label^='hammer/mass_kg']").inputValue()), 0.5, "the line beside the object, too");
    // A hand on the control, the parameter and the hammer's line: one contact, three names. What the engine told before is forgotten by then.
    const agree = async (hardness, what) => {
      await page.waitForFunction((wanted) => Math.abs(tocco.controls.rows.get("feel").value - wanted) < 1e-6
        && Math.abs(Math.log(tocco.controls.rows.get("hit/contact_time_s").value / (0.01 * 0.005 ** wanted))) < 1e-6, hardness, { timeout: 10_000 }).catch(() => {});
      const all = await page.evaluate(() => ["feel", "hit/hardness_01", "hit/contact_time_s", "hit/stiffness"].map((path) => tocco.controls.rows.get(path).value));
      assert.ok(Math.abs(all[0] - hardness) < 1e-6 && Math.abs(all[1] - hardness) < 1e-6, `${what}: ${all}`);
      assert.ok(Math.abs(Math.log(all[2] / (0.01 * 0.005 ** hardness))) < 1e-6, `${what}: ${all}`); // 10 ms to 50 us
      const words = await page.locator("#hammer .control").nth(1).locator(".unit").textContent();
      assert.equal(Number(/, ([\d.]+)\sms$/.exec(words)[1]), Number((1000 * all[2]).toPrecision(2)), words);
      return all[3];
    };
    const soft = await agree(0.5, "as written");
    await nudge(page, "feel", 3);
    const hard = await agree(0.8, "the control");
    assert.ok(hard > 10 * soft);
    await page.locator("#hammer .control").nth(1).locator("input.value").fill("0.3");
    await page.keyboard.press("Enter");
    await agree(0.3, "the hammer's line");
    await page.waitForFunction(() => /hardness_01 = 0\.3\n/.test(tocco.text));
    // Somebody else: OSC's way in, and a gesture that the page did not make itself.
    await page.evaluate(() => {
      tocco.engine.send({ set: "hit/stiffness", value: 1e8 });
      tocco.heard({ set: "hit/stiffness", value: 1e8 });
    });
    const feel = await value(page, "feel");
    await agree(feel, "OSC");
    await page.evaluate(() => tocco.engine.send({ set: "feel", value: 0.9 }));
    await page.waitForFunction(() => Math.abs(tocco.controls.rows.get("hit/hardness_01").value - 0.9) < 1e-6);
    await agree(0.9, "a note or a pad");
    await leave(page);
  },

  async "played, edited and loaded again, everything is as it was, to the byte in the WAV, and undo goes back across scenes"() {
    const page = await open();
    await page.evaluate(() => tocco.choose("door"));
    const shipped = await text(page);
    const name = await page.evaluate(() => tocco.info.controls[0].name);
    await page.evaluate(() => tocco.surfaces.find((s) => s.strike)?.strike([0.3, 0.5]));
    await nudge(page, name, 1);
    await page.waitForFunction((was) => tocco.text !== was, shipped);
    const moved = await text(page);
    await page.fill("#source", moved.replace(/title = ".*"/, 'title = "door of mine"'));
    await page.waitForFunction(() => document.getElementById("title").textContent === "door of mine");
    const [mine, sound] = [await text(page), await saved(page, "#render")];
    const [position, at] = [await value(page, name), page.url()];
    assert.ok(at.endsWith("#yours=door"), at);
    for (const again of [() => page.reload(), () => page.goto(address)]) {
      await again();
      await page.waitForFunction(() => document.documentElement.dataset.ready);
      assert.equal(await text(page), mine);
      assert.equal(await page.evaluate(() => tocco.editor.text), mine);
      assert.ok(Math.abs(await value(page, name) - position) < 1e-5);
      assert.ok(await page.locator("#controls .control.changed").count() > 0);
    }
    assert.ok(sound.equals(await saved(page, "#render")), "the same bytes");
    // The shipped scene is still as shipped, and another edit of it is another scene of yours.
    await page.evaluate(() => tocco.choose("door"));
    assert.equal(await text(page), shipped);
    await nudge(page, name, 1);
    await page.waitForFunction((was) => tocco.text !== was, shipped);
    assert.deepEqual(await page.evaluate(() => tocco.works.list().map(({ id }) => id).sort()), ["door", "door-2"]);
    // Back: the slider, the scene that was chosen, the title, the slider of the first, the first itself, what came before it.
    await page.click("#undo");
    assert.equal(await text(page), shipped);
    const back = async (wanted) => {
      await page.click("#undo");
      await page.waitForFunction((goal) => tocco.text === goal && tocco.editor.text === goal, wanted);
    };
    await back(mine);
    await back(moved);
    await back(shipped);
    await page.click("#undo");
    await page.waitForFunction(() => tocco.work.from === "steel-bar");
    for (const wanted of [shipped, moved, mine]) {
      await page.click("#redo");
      await page.waitForFunction((goal) => tocco.text === goal && tocco.editor.text === goal, wanted);
    }
    // A text that is not right yet is not lost either.
    await page.fill("#source", mine.replace("title =", "titel ="));
    await page.waitForFunction(() => document.getElementById("edit-note").classList.contains("wrong"));
    await page.reload();
    await page.waitForFunction(() => document.getElementById("edit-note").classList.contains("wrong"));
    assert.match(await page.evaluate(() => tocco.editor.text), /titel =/);
    // Another browser has all of it from a file, once.
    const file = join(work, "all.json");
    writeFileSync(file, await saved(page, "#export"));
    const other = await open();
    for (const words of [/^2 scenes are new/, /^0 scenes are new/]) {
      await other.setInputFiles("#imported", file);
      await other.waitForFunction((source) => new RegExp(source).test(document.getElementById("said").textContent), words.source);
    }
    await other.click("#gallery-open");
    await other.locator('#gallery button[data-work="door"]').click();
    await other.waitForFunction(() => document.getElementById("title").textContent === "door of mine");
    assert.equal(await text(other), mine);
    await other.waitForFunction(() => /titel =/.test(tocco.editor.text) && document.getElementById("edit-note").classList.contains("wrong"));
    const versionsOf = (at) => at.evaluate(() => JSON.stringify(tocco.works.kept.get("door").versions));
    assert.equal(await versionsOf(other), await versionsOf(page), "what it was comes with it");
    assert.notEqual(await versionsOf(page), "[]");
    // The same text with another past is another scene.
    const all = JSON.parse(readFileSync(file, "utf8"));
    all.works.find(({ id }) => id === "door").versions.push({ at: 1, text: `${mine}# once` });
    writeFileSync(file, JSON.stringify(all));
    await other.setInputFiles("#imported", file);
    await other.waitForFunction(() => /^1 scene is new/.test(document.getElementById("said").textContent));
    assert.match(await other.evaluate(() => JSON.stringify(tocco.works.kept.get("door-3"))), /# once.*titel =|titel =.*# once/);
    await keep(other, "#history");
    await other.locator("#versions li button", { hasText: "as shipped" }).click();
    await other.waitForFunction((goal) => tocco.text === goal, shipped);
    // And to one that has a date: that which was there before.
    await keep(other, "#history");
    const dated = other.locator("#versions li button", { hasNotText: "as shipped" });
    const past = await other.evaluate(() => tocco.work.versions.map((version) => version.text));
    assert.equal(await dated.count(), past.length);
    assert.match(await dated.first().textContent(), /\d.*: \d+ lines? differ/);
    await dated.first().click();
    await other.waitForFunction((goal) => tocco.text === goal && tocco.editor.text === goal, past.at(-1));
    writeFileSync(file, "{}");
    await other.setInputFiles("#imported", file);
    await other.waitForFunction(() => /not a file of kept scenes/.test(document.getElementById("problem").textContent));
    await leave(other);
    await leave(page);
  },

  async "what was typed is there after a reload: a first edit that is not right yet, and letters typed a moment before"() {
    const page = await open();
    const ready = () => page.waitForFunction(() => document.documentElement.dataset.ready);
    await page.evaluate(() => tocco.choose("door"));
    const shipped = await text(page);
    const broken = shipped.replace("title =", "titel =");
    await page.fill("#source", broken);
    await page.waitForFunction(() => document.getElementById("edit-note").classList.contains("wrong"));
    await page.reload();
    await ready();
    assert.equal(await page.evaluate(() => tocco.editor.text), broken);
    assert.deepEqual([await text(page), page.url().split("#")[1]], [shipped, "yours=door"], "what is right sounds");
    // Right, wrong, and gone again before anybody could have read it; the last is as it was.
    const right = shipped.replace(/title = ".*"/, 'title = "door of mine"');
    for (const typed of [right, right.replace("title =", "titel ="), right]) {
      await page.fill("#source", typed);
      await page.reload();
      await ready();
      assert.equal(await page.evaluate(() => tocco.editor.text), typed);
    }
    await page.waitForFunction((goal) => tocco.text === goal, right);
    // So is a first edit of another scene.
    await page.evaluate(() => tocco.choose("gong"));
    const gong = `# mine\n${await text(page)}`;
    await page.fill("#source", gong);
    await page.reload();
    await ready();
    await page.waitForFunction((goal) => tocco.text === goal && tocco.editor.text === goal, gong);
    // And what stands there when the page is covered by another.
    await page.evaluate((typed) => {
      tocco.editor.type(typed);
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
      delete document.hidden;
    }, `# once more\n${gong}`);
    assert.match(await page.evaluate(() => tocco.work.draft), /^# once more/);
    await leave(page);
  },

  async "playing again leaves what is typed and not right yet as it is, with what can be undone in the editor; so it does with a file of other ends of lines"() {
    const page = await share();
    await load(page, BAR);
    const editor = () => page.evaluate(() => [tocco.editor.text, tocco.editor.view.state.selection.main.head]);
    const again = () => page.evaluate(() => new Promise((done) => {
      const settled = tocco.settled.bind(tocco);
      tocco.settled = (...how) => {
        delete tocco.settled;
        settled(...how);
        done();
      };
      document.getElementById("again").click();
    }));
    await page.locator("#source").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("wrong ");
    await page.waitForFunction(() => document.getElementById("edit-note").classList.contains("wrong"));
    await again();
    assert.deepEqual(await editor(), [`wrong ${BAR}`, 6], "the caret, too");
    assert.ok(await page.evaluate(() => document.getElementById("edit-note").classList.contains("wrong")), "and what is wrong with it");
    await page.locator("#source").focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction((text) => tocco.editor.text === text, BAR);
    // Lines that end as on other systems.
    await load(page, BAR.replaceAll("\n", "\r\n"));
    await page.locator("#source").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowRight");
    await nudge(page, "size", 1);
    await page.waitForFunction(() => /\nfreq_scale = /.test(tocco.editor.text));
    assert.equal((await text(page)).split("\r\n").length, BAR.split("\n").length + 1, "as they were");
    await again();
    const [, head] = await editor();
    assert.equal(head, 1);
    await page.locator("#source").focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => !/\nfreq_scale = /.test(tocco.editor.text), null, { timeout: 5000 });
    await leave(page);
  },

  async "undo and redo in quick succession, and loads that overlap, mix nothing of two scenes"() {
    const page = await share();
    for (const name of ["door", "gong"]) await page.evaluate((wanted) => tocco.choose(wanted), name);
    const gong = await text(page);
    const found = await page.evaluate(async () => {
      await Promise.all([tocco.undo(), tocco.redo(), tocco.undo(), tocco.redo()]);
      return [tocco.work.from, tocco.text, tocco.editor.text, tocco.info.title];
    });
    assert.deepEqual(found, ["gong", gong, gong, /^title = "(.*)"/m.exec(gong)[1]]);
    // A scene begins anew though an edit came before it had.
    await page.evaluate(() => tocco.choose("walk-garden"));
    const used = await page.evaluate(async () => {
      const walker = tocco.surfaces[0];
      walker.wasUsed = true;
      await Promise.all([tocco.choose("walk-garden"), tocco.take(`${tocco.text}# more`, { isTyped: true })]);
      return [tocco.surfaces[0] === walker, Boolean(tocco.surfaces[0].wasUsed)];
    });
    assert.deepEqual(used, [false, false]);
    await leave(page);
  },

  async "two pages that edit the same scene write over nothing of each other, before and after they are loaded again"() {
    const page = await open({ at: `${address}#door` });
    const other = await page.context().newPage();
    const ready = (at) => at.waitForFunction(() => document.documentElement.dataset.ready);
    await other.goto(`${address}#door`);
    await ready(other);
    const called = async (at, title) => {
      await at.fill("#source", (await text(at)).replace(/title = ".*"/, `title = "${title}"`));
      await at.waitForFunction((words) => tocco.text.includes(words), `"${title}"`);
      // Its own shelf has it.
      await at.waitForFunction(() => !tocco.works.pending?.size);
    };
    await called(page, "mine");
    await called(other, "theirs");
    await called(page, "mine again");
    const isAt = (at, id) => at.waitForFunction((wanted) => tocco.work.id === wanted && location.hash === `#yours=${wanted}`, id);
    await isAt(page, "door");
    await isAt(other, "door-2");
    for (const [at, title] of [[page, "mine again"], [other, "theirs"]]) {
      await at.reload();
      await ready(at);
      assert.match(await text(at), new RegExp(`title = "${title}"`));
    }
    const titles = (works) => works.map(({ text: words }) => /title = "(.*)"/.exec(words)[1]).sort();
    assert.deepEqual(titles(await page.evaluate(() => tocco.works.list())), ["mine again", "theirs"]);
    const steps = new Set(titles(await page.evaluate(() => tocco.works.steps.filter(({ from }) => from === "door"))));
    assert.ok(steps.has("mine again") && steps.has("theirs"), `the steps of both: ${[...steps]}`);
    // One that both have open is two from the moment that both edit it.
    await other.evaluate(() => (location.hash = "#yours=door"));
    await isAt(other, "door");
    await called(page, "third");
    await called(other, "fourth");
    await isAt(other, "door-3");
    await page.click("#gallery-open");
    await page.waitForFunction(() => document.querySelectorAll("#gallery button[data-work]").length === 3);
    assert.deepEqual(titles(await page.evaluate(() => tocco.works.list())), ["fourth", "theirs", "third"]);
    await leave(page);
  },

  async "a browser that can keep nothing more says so for as long as that is so, and Export all has what it could not keep"() {
    const page = await open();
    const faults = [
      () => (IDBObjectStore.prototype.put = () => {
        throw new DOMException("full", "QuotaExceededError");
      }),
      () => (IDBTransaction.prototype.commit = function full() {
        this.abort();
      }),
    ];
    for (const [i, fault] of faults.entries()) {
      await load(page, BAR);
      assert.ok(await page.locator("#problem").isHidden());
      await page.evaluate(fault);
      for (const gain of ["0.31", "0.32"]) {
        await page.fill("#source", (await text(page)).replace(/gain = \S+/, `gain = ${gain}${i}`));
        await page.waitForFunction((words) => tocco.text.includes(words), `gain = ${gain}${i}`);
        await page.waitForFunction(() => /no longer kept.*Export all/.test(document.getElementById("problem").textContent) && !document.getElementById("problem").hidden);
      }
      assert.match((await saved(page, "#export")).toString(), new RegExp(`gain = 0.32${i}`));
      assert.deepEqual(page.complaints, [], "the browser itself has nothing to report");
      await page.reload();
      await page.waitForFunction(() => document.documentElement.dataset.ready);
    }
    await leave(page);
  },

  async "a render is as long as the scene says, and sample for sample what the program renders"() {
    const page = await share();
    // The last one ends when nothing more is heard.
    for (const name of ["steel-bar", "bounce", "single-mode"]) {
      await page.evaluate((scene) => tocco.choose(scene), name);
      await rendersLike(page, name);
    }
    await leave(page);
  },
};
