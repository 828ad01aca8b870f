// SPDX-License-Identifier: MIT OR Apache-2.0
// The editor: colours, completion and help from the schema, errors at their line, a slider at every number; and notes in tune.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { execFileSync } from "node:child_process";
import { BAR, keep, leave, load, open, program, share, shots, silence, work } from "./harness.mjs";

/** Of the whole page, compressed. */
const MOST_BYTES = 1_200_000;

/** Puts the caret behind these words of the text. */
const caret = (page, words) => page.evaluate((found) => {
  const { view, text } = tocco.editor;
  view.focus();
  view.dispatch({ selection: { anchor: text.indexOf(found) + found.length }, scrollIntoView: true });
}, words);
const offered = (page) => page.locator(".cm-tooltip-autocomplete li").allTextContents();
/** A place in the text, in pixels. */
const spot = (page, words, into = 1) => page.evaluate(async ([found, by]) => {
  const { view, text } = tocco.editor;
  const at = text.indexOf(found) + by;
  view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
  for (let i = 0; i < 3; i += 1) await new Promise((done) => requestAnimationFrame(done)); // until it has scrolled there
  const box = view.coordsAtPos(at);
  return [box.left, (box.top + box.bottom) / 2];
}, [words, into]);

export default {
  async "the editor has colours, completes and explains from the schema, and marks a mistake at its line"() {
    const page = await share();
    await load(page, BAR);
    const colours = await page.evaluate(() => new Set([...document.querySelectorAll(".cm-line span")].map((span) => getComputedStyle(span).color)).size);
    assert.ok(colours >= 3, `${colours} colours`);
    assert.equal(page.complaints.join(), "", "and the page's policy stays as strict as it was");
    // Each word whole and in its colour, in tables on one line, in strings over several, and in JSON.
    const coloured = async (text) => {
      await page.evaluate((scene) => tocco.editor.type(scene), text);
      return page.evaluate(() => {
        const names = { "--second": "key", "--third": "string", "--accent": "value", "--muted": "comment" };
        const probe = document.body.appendChild(document.createElement("i"));
        const known = new Map(Object.entries(names).map(([name, word]) => [(probe.style.setProperty("color", `var(${name})`), getComputedStyle(probe).color), word]));
        probe.remove();
        return [...document.querySelectorAll(".cm-line span")].map((span) => `${known.get(getComputedStyle(span).color)} ${span.textContent}`);
      });
    };
    const words = await coloured('# 1\n[body.a."b c"]\nmaterial = { density_kg_m3 = 8700.0, young_pa = 1.1e11, "q" = -5.57e-5 } # as 1\nx.y = true\nz = """\na = 1"""\n\n[[tap]]\nfreq_hz = [\n  1_000.0,\n]\n');
    assert.deepEqual(words, ["comment # 1", 'value [body.a."b c"]', "key material", "key density_kg_m3", "value 8700.0", "key young_pa", "value 1.1e11", 'key "q"', "value -5.57e-5", "comment # as 1",
      "key x.y", "value true", "key z", 'string """', 'string a = 1"""', "value [[tap]]", "key freq_hz", "value 1_000.0"]);
    assert.deepEqual(await coloured(' { "body": { "a": { "type": "mass", "mass_kg": 1e-2 } } }'), ['key "body"', 'key "a"', 'key "type"', 'string "mass"', 'key "mass_kg"', "value 1e-2"]);
    await load(page, `${BAR}# again\n`); // what was typed last is not right, and stays beside the scene that it was typed over
    // A key, with its help beside it; then the words that it may have.
    await caret(page, 'material = "steel"\n');
    await page.keyboard.type("decay_");
    await page.waitForFunction(() => document.querySelector(".cm-tooltip-autocomplete"));
    assert.ok((await offered(page)).some((row) => row.startsWith("decay_scale")), (await offered(page)).join());
    await page.waitForFunction(() => /decay time/.test(document.querySelector(".cm-completionInfo")?.textContent));
    await page.screenshot({ path: join(shots, "editor.png") });
    await page.waitForFunction(() => document.querySelector("#edit-note.wrong") && document.querySelector(".cm-lineNumbers .wrong"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => tocco.editor.text.includes("decay_scale = "));
    await page.keyboard.type("2.0\n");
    await page.waitForFunction(() => tocco.text.includes("decay_scale = 2.0"));
    assert.equal(await page.locator(".cm-lineNumbers .wrong").count(), 0);
    await page.waitForFunction(() => tocco.controls.written.get("bar/decay_scale") === 2);
    await caret(page, 'type = "impact"\n');
    await page.keyboard.type("law = ");
    await page.waitForFunction(() => /stulov/.test(document.querySelector(".cm-tooltip-autocomplete")?.textContent));
    await page.keyboard.press("Escape");
    // A header: whatever the schema has as a table of tables, or as a list of them.
    const headers = await page.evaluate(async () => {
      const [{ HEADERS }, { properties }] = await Promise.all([import("./schema.js"), (await fetch("schema.json")).json()]);
      const wanted = Object.entries(properties).flatMap(([name, { type, additionalProperties, items }]) =>
        (type === "array" && items ? [`[[${name}]]`] : typeof additionalProperties === "object" ? [`[${name}.NAME]`] : []));
      return { wanted, missing: wanted.filter((header) => !HEADERS.includes(header)) };
    });
    assert.ok(headers.wanted.includes("[look.NAME]") && headers.wanted.includes("[[tap]]"), headers.wanted.join());
    assert.deepEqual(headers.missing, []);
    // The editor's own undo is its own, and a slider of the page does not empty it.
    await page.evaluate(() => tocco.controls.put("size", 0.7, true));
    await page.waitForFunction(() => /\nfreq_scale/.test(tocco.editor.text));
    for (let i = 0; i < 12 && (await page.evaluate(() => tocco.editor.text.includes("law = "))); i += 1) await page.keyboard.press("Control+z");
    assert.equal(await page.evaluate(() => tocco.editor.text.includes("law = ")), false);
    // What is typed over several lines takes their place, a quote goes around them, and the browser has nothing to report of it.
    const over = (words, typed) => page.evaluate(([from, to]) => {
      const { view, text } = tocco.editor;
      view.focus();
      view.dispatch({ selection: { anchor: text.indexOf(from), head: text.indexOf(to) + to.length } });
    }, words).then(() => page.keyboard.type(typed));
    const before = await page.evaluate(() => tocco.editor.text);
    await over(["[[tap]]", 'of = "bar.ear"'], "#");
    assert.equal(await page.evaluate(() => tocco.editor.text), before.replace(/\[\[tap\]\]\nof = "bar.ear"/, "#"));
    await page.keyboard.press("Control+z");
    await over(["[[tap]]", 'of = "bar.ear"'], "{");
    assert.equal(await page.evaluate(() => tocco.editor.text), before.replace(/\[\[tap\]\]\nof = "bar.ear"/, "{$&}"));
    await page.keyboard.press("Control+z");
    assert.equal(await page.evaluate(() => tocco.editor.text), before);
    assert.deepEqual(page.complaints, []);
    // Help where a pointer rests on a key.
    const isHelped = () => page.waitForFunction(() => /stiffness.*Unit: N\/m/i.test(document.querySelector(".cm-help")?.textContent), null, { timeout: 3000 }).then(() => true, () => false);
    let tries = 0;
    do {
      // The text may still scroll.
      assert.ok((tries += 1) < 8, "no help");
      await page.mouse.move(4, 4);
      await page.mouse.move(...await spot(page, "stiffness", 3));
    } while (!(await isHelped()));
    await leave(page);
  },

  async "every number has a slider, which is heard at once where it is a parameter, and Alt with arrows steps its last digit"() {
    const page = await share();
    await load(page, BAR);
    for (let tries = 1; ; tries += 1) {
      assert.ok(tries < 8, "no slider"); // the text may still scroll
      await page.mouse.move(4, 4);
      await page.mouse.move(...await spot(page, "mass_kg = 0.01", 12));
      const isThere = page.waitForFunction(() => document.querySelector(".cm-help input[type=range]"), null, { timeout: 3000 });
      if (await isThere.then(() => true, () => false)) break;
    }
    await page.evaluate(() => {
      const slider = document.querySelector(".cm-help input");
      for (const value of [0.6, 0.8, 1]) {
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
      }
    });
    assert.match(await page.evaluate(() => tocco.editor.text), /mass_kg = 0\.1\n/);
    assert.equal(await page.evaluate(() => tocco.values.get("hammer/mass_kg")), 0.1, "heard before the text is read");
    await page.waitForFunction(() => tocco.text.includes("mass_kg = 0.1\n"));
    // A number that is no parameter is an edit like any other.
    await caret(page, "thickness_m = 0.00");
    await page.keyboard.press("Alt+ArrowUp");
    await page.waitForFunction(() => tocco.text.includes("thickness_m = 0.006"));
    assert.match(await page.evaluate(() => tocco.text), /mass_kg = 0\.1\n/);
    await leave(page);
  },

  async "in tables on one line and with keys of several names there are help, units, sliders that stay in their range, and completion, too"() {
    const page = await open({ hasTouch: true });
    const MODES = `title = "modes"
body.bar.type = "modal"
body.bar.modes = [
  { freq_hz = 587.33, decay_s = 0.8, mass_kg = 0.05 },
  { freq_hz = 1411.7, mass_kg = 0.06 },
]
[body]
hammer = { type = "mass", mass_kg = 0.02, position_m = -1.0 }
[contact]
hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e8 }
[[tap]]
of = "bar"
`.replace(/^body\.bar/gm, "bar").replace(/(bar[^]*?)\[body\]\n/, "[body]\n$1");
    await load(page, MODES);
    const help = () => page.locator(".cm-help").first().textContent();
    const slid = (to) => page.evaluate((value) => {
      const slider = document.querySelector(".cm-help input");
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
      return tocco.editor.text;
    }, to);
    const over = async (words, into, wanted) => {
      for (let tries = 0; ; tries += 1) {
        assert.ok(tries < 8, `no help at ${words}`);
        await page.mouse.move(4, 4);
        await page.mouse.move(...await spot(page, words, into));
        const isThere = page.waitForFunction((source) => new RegExp(source).test(document.querySelector(".cm-help")?.textContent), wanted, { timeout: 3000 });
        if (await isThere.then(() => true, () => false)) return;
      }
    };
    await over("freq_hz = 587.33", 3, "Unit: Hz");
    assert.equal(await page.locator(".cm-help input").count(), 0, "a key has help and no slider");
    await over("freq_hz = 587.33", 12, "Unit: Hz");
    // A tenth to ten times of it, and never less than nothing.
    for (const [at, least, most] of [[0, 58, 59], [1, 5870, 5880]]) {
      const now = Number(/freq_hz = ([-\d.]+), decay/.exec(await slid(at))[1]);
      assert.ok(now >= least && now <= most, `${now} Hz`);
    }
    await page.waitForFunction(() => tocco.text === tocco.editor.text);
    await page.touchscreen.tap(...await spot(page, "freq_hz = 1411.7", 13));
    await page.waitForFunction(() => /Unit: Hz/.test(document.querySelector(".cm-help")?.textContent) && document.querySelector(".cm-help input"));
    assert.match(await help(), /Undamped frequency/);
    assert.match(await slid(0), /freq_hz = 141\.17,/);
    // A parameter in a table on one line is heard before the text is read.
    await page.waitForFunction(() => tocco.text === tocco.editor.text);
    await page.touchscreen.tap(...await spot(page, "mass_kg = 0.02", 12));
    await page.waitForFunction(() => /Mass\. Unit: kg/.test(document.querySelector(".cm-help")?.textContent));
    await slid(1);
    assert.equal(await page.evaluate(() => tocco.values.get("hammer/mass_kg")), 0.2);
    await page.waitForFunction(() => /mass_kg = 0\.2, position_m/.test(tocco.text) && tocco.text === tocco.editor.text);
    await caret(page, "{ freq_hz = 141.17, ");
    await page.keyboard.type("dec"); // right before another key
    await page.waitForFunction(() => /^decay_s/.test(document.querySelector(".cm-tooltip-autocomplete li")?.textContent));
    assert.deepEqual((await offered(page)).map((row) => row.replace(/\W.*/, "")), ["decay_s"]);
    await page.waitForFunction(() => /Unit: s/.test(document.querySelector(".cm-completionInfo")?.textContent));
    await page.waitForFunction(() => document.querySelector("#edit-note.wrong")); // what is offered is still there
    await page.keyboard.press("Enter");
    await page.keyboard.type("0.4, ");
    await page.waitForFunction(() => /freq_hz = 141\.17, decay_s = 0\.4, mass_kg/.test(tocco.text));
    await caret(page, "stiffness = 1e8");
    await page.keyboard.type(", law = ");
    await page.waitForFunction(() => /stulov/.test(document.querySelector(".cm-tooltip-autocomplete")?.textContent));
    await page.keyboard.press("Escape");
    await leave(page);
  },

  async "a number that is tapped has its slider, too: with its help, and no farther than is allowed"() {
    const page = await open({ hasTouch: true });
    await load(page, BAR.replace("stiffness = 1e8", "hardness_01 = 0.5"));
    await page.touchscreen.tap(...await spot(page, "hardness_01 = 0.5", 15));
    await page.waitForFunction(() => document.querySelector(".cm-help input[type=range]"));
    assert.match(await page.locator(".cm-help").first().textContent(), /felt|hard/i);
    await page.evaluate(() => {
      const slider = document.querySelector(".cm-help input");
      slider.value = 1;
      slider.dispatchEvent(new Event("input"));
    });
    assert.match(await page.evaluate(() => tocco.editor.text), /hardness_01 = 1\.0\n/);
    await leave(page);
  },

  async "letters play in tune in a scene without a [midi] table: the pitch is that of the key, struck or bowed"() {
    const page = await share();
    await page.locator("#keys").check();
    const lowest = (floor, end) => page.evaluate(async ([least, head]) => {
      const { Spectrum } = await import("./fft.js");
      const { ring, rate } = tocco.engine;
      const power = new Spectrum(16_384).of(ring.column(0, 16_384, head)).slice();
      const from = Math.ceil((least * 16_384) / rate);
      const most = Math.max(...power.slice(from));
      // The lowest peak that stands out, between two lines of the spectrum.
      for (let k = from; k < power.length - 1; k += 1) {
        if (power[k] < 0.005 * most || power[k] < power[k - 1] || power[k] < power[k + 1]) continue;
        const [a, b, c] = [power[k - 1], power[k], power[k + 1]].map(Math.log);
        return ((k + (a - c) / (2 * (a - 2 * b + c))) * rate) / 16_384;
      }
      return 0;
    }, [floor, end]);
    // a is middle C, k the one above it.
    for (const [name, letter, hertz] of [["steel-bar", "k", 523.251], ["rosewood-bars", "k", 523.251], ["cello", "a", 261.626]]) {
      await page.evaluate((wanted) => tocco.choose(wanted), name);
      await silence(page, 4096);
      const quiet = await page.evaluate(() => tocco.engine.ring.head());
      await page.locator("#play").focus();
      await page.keyboard.down(letter);
      // From where it begins in the sound, however late the machine is: half a note between silence and a blow has no pitch.
      const from = await page.waitForFunction((head) => {
        const { ring } = tocco.engine;
        const now = ring.head();
        const first = ring.column(0, now - head, now).findIndex((x) => x !== 0);
        return first >= 0 && now > head + first + 20_000 && head + first;
      }, quiet).then((found) => found.jsonValue());
      const found = await lowest(0.7 * hertz, from + 20_000);
      await page.keyboard.up(letter);
      assert.ok(Math.abs(1200 * Math.log2(found / hertz)) < 12, `${name}: ${found} Hz, not ${hertz}`);
    }
    // What letters play can be written down.
    await load(page, BAR);
    await keep(page, "#midi-map");
    await page.waitForFunction(() => /\[midi\]\nnotes = "pitch"\nstrike = "hammer"/.test(tocco.text));
    await leave(page);
  },

  async "on every scene with a pitch, with or without a [midi] table, a key tunes what it strikes or bows to the pitch of the key"() {
    const page = await share();
    const { faults, tuned } = await page.evaluate(async () => {
      const [{ Notes, hertz, pitchOf }, { findSurfaces }] = await Promise.all([import("./keys.js"), import("./surfaces.js")]);
      const { abi } = tocco.engine;
      const found = { faults: [], tuned: 0 };
      for (const { name, text } of tocco.scenes) {
        const keys = abi.keys(text);
        const names = abi.names(keys.hasTable ? keys.scene : text, 48_000);
        const info = names.describe();
        names.free();
        const { strikes, rubs } = findSurfaces(info);
        let sent = [];
        const notes = new Notes({ isOn: true, send: (gesture) => sent.push(gesture) });
        notes.keys = keys.hasTable ? keys : null;
        notes.show(info, strikes.map((one) => ({ ...one, cursor: [0.5, 0.5], strike() {}, flash() {} })), rubs.map((rub) => ({ rub, fingers: new Map(), play() {}, lift() {} })), []);
        const played = rubs.length ? [info.bodies.find((body) => body.name === rubs[0].on.body)] : strikes.map(({ body }) => body);
        const pitch = new Map(played.map((body) => [body.name, pitchOf(body, notes.base)]).filter(([, hz]) => hz));
        for (const note of pitch.size ? [60, 67, 76] : []) {
          sent = [];
          notes.message([0x90, note, 100]);
          const tunes = sent.filter(({ set, jump }) => /\/freq_(hz|scale)$/.test(set ?? jump ?? ""));
          const { set, jump = set, value } = tunes[0] ?? {};
          const own = jump?.slice(0, jump.lastIndexOf("/")).replace(/~\d+$/, "");
          const heard = tunes.length === 1 ? (pitch.get(own) * value) / notes.base.get(jump) : NaN;
          const apart = 1200 * Math.log2(heard / hertz(note));
          const octaves = Math.round(apart / 1200);
          // Another octave only where this one is out of the parameter's reach.
          const isFar = octaves === 0 || hertz(note) / heard * value > notes.ranges.get(jump).max || hertz(note) / heard * value < notes.ranges.get(jump).min;
          if (!(Math.abs(apart - 1200 * octaves) < 12 && isFar)) found.faults.push(`${name}: key ${note} sounds ${heard} Hz by ${JSON.stringify(tunes)}, not ${hertz(note)}`);
          else found.tuned += 1;
        }
        keys.free();
      }
      return found;
    });
    assert.deepEqual(faults, []);
    assert.ok(tuned > 3 * 50, `${tuned} keys`);
    await leave(page);
  },

  async "the whole page with its editor is at most 1.2 MB compressed"() {
    const folder = join(work, "exported");
    execFileSync(program, ["studio", "--export", folder], { stdio: "pipe" });
    // The best that brotli can do takes long: only where less is not enough.
    const packed = (quality) => readdirSync(folder).map((name) => [name, brotliCompressSync(readFileSync(join(folder, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length]);
    const sum = (all) => all.reduce((bytes, [, size]) => bytes + size, 0);
    let sizes = packed(9);
    if (sum(sizes) > MOST_BYTES) sizes = packed(11);
    const all = sum(sizes);
    console.log(`        ${all} bytes: ${sizes.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, size]) => `${name} ${size}`).join(", ")}`);
    assert.ok(all <= MOST_BYTES, `${all} bytes`);
  },
};
