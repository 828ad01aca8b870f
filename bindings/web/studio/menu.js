// SPDX-License-Identifier: MIT OR Apache-2.0
// The menu *Keep*: files, links, versions, takes, renders, and what a keyboard plays.
import { download, fileName, LARGEST_SCENE, linkTo, wav } from "./keep.js";
import { tableFor } from "./keys.js";
import { $, problem, say } from "./page.js";

export class Menu {
  constructor(studio) {
    this.studio = studio;
    this.isRecording = false;
  }

  async openFile(file) {
    if (!file) return;
    try {
      if (file.size > 4 * LARGEST_SCENE) throw new Error(`${file.name} is ${Math.round(file.size / 1e6)} MB; a scene has at most 16`);
      const text = await file.text();
      const first = file.name.endsWith(".jsonl") ? JSON.parse(text.slice(0, text.indexOf("\n"))) : null;
      const scene = first ? first.scene.text : text;
      const { studio } = this;
      const work = studio.works.begin(fileName(file.name.replace(/\.[^.]*$/, "")), scene);
      await studio.take(scene, { fresh: true, work });
      studio.works.keep(work, scene); // the file may be anywhere by the next visit
      studio.address();
      say(`${file.name} plays`);
    } catch (error) {
      problem(`${file.name}: ${error.message}`);
    }
    $("file").value = "";
  }

  /** Writes down what a keyboard plays in this scene, to be changed there. */
  async mapMidi() {
    const { studio } = this;
    await studio.settle();
    const table = tableFor(studio.info, studio.notes.strikes);
    if (/^\s*\[midi\]/m.test(studio.text)) say("the scene has a [midi] table already: it is its MIDI map");
    else if (!table) say("notes pick among several things here, or bow one: a [midi] table is to be written by hand");
    else {
      await studio.edit((text) => `${text.trimEnd()}\n${table}`);
      say("the scene has a [midi] table now, at the end of its text");
    }
  }

  async import(file) {
    if (!file) return;
    try {
      const count = this.studio.works.import(await file.text());
      say(count === 1 ? "1 scene is new, among yours" : `${count} scenes are new, among yours`);
    } catch (error) {
      problem(`${file.name}: ${error.message}`);
    }
    $("imported").value = "";
  }

  /** What this scene was: each can be gone back to, which is a step like any other. */
  async versions() {
    const { studio } = this;
    await studio.settle();
    const { work, text: current } = studio;
    const all = [...work.versions.map(({ at, text }) => ({ words: new Date(at).toLocaleString(), text })), { words: work.from ? "as shipped" : "as opened", text: work.base }];
    all.sort((a, b) => (a.text === work.base) - (b.text === work.base));
    $("versions").querySelector("ul").replaceChildren(...all.reverse().map(({ words, text }) => {
      const [item, button] = [document.createElement("li"), document.createElement("button")];
      button.type = "button";
      const lines = text.split("\n");
      const now = new Set(current.split("\n"));
      button.textContent = `${words}: ${text === current ? "as now" : `${lines.filter((line) => !now.has(line)).length} lines differ`}`;
      button.addEventListener("click", () => {
        $("versions").close();
        studio.edit(() => text);
      });
      item.append(button);
      return item;
    }));
    $("versions").showModal();
  }

  async share() {
    try {
      const { studio } = this;
      await studio.settle();
      const link = await linkTo(studio.text);
      studio.linked = studio.text;
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link).then(() => say("the link is copied and in the address bar"), () => say("the link is in the address bar"));
    } catch (error) {
      problem(error.message);
    }
  }

  async fromLink() {
    try {
      const work = await this.studio.workIn(location.hash);
      if (work) await this.studio.take(work.text, { fresh: true, work });
    } catch (error) {
      problem(error.message);
    }
  }

  async record() {
    await this.studio.settle();
    this.isRecording = !this.isRecording;
    $("record").setAttribute("aria-pressed", String(this.isRecording));
    $("record").textContent = this.isRecording ? "Stop recording" : "Record";
    $("recording").hidden = !this.isRecording;
    const { studio } = this;
    const { engine, notes, text } = studio;
    if (!this.isRecording) return engine.post({ record: false });
    if (!engine.isOn) await engine.turn(true);
    // The take begins with the scene as its text is by now.
    const scene = notes.prepare(text);
    notes.begin();
    engine.renew(scene);
    return engine.post({ record: true, scene });
  }

  keepTake({ take, wav: blocks, channels, rate }) {
    const samples = new Float32Array(blocks.reduce((n, block) => n + block.length, 0));
    blocks.reduce((at, block) => {
      samples.set(block, at);
      return at + block.length;
    }, 0);
    const name = fileName(this.studio.info.title);
    this.lastTake = { samples, channels, rate, text: new TextDecoder().decode(take) };
    $("take-wav").onclick = () => download(`${name}.wav`, wav(samples, channels, rate), "audio/wav");
    $("take-file").onclick = () => download(`${name}.jsonl`, [take], "application/jsonl");
    $("recorded").showModal();
  }

  async render() {
    const progress = $("progress");
    progress.hidden = false;
    try {
      const { studio } = this;
      await studio.settle();
      const began = performance.now();
      const sound = await studio.offline.render({ scene: studio.text, rate: 0 }, (part) => (progress.value = part));
      const spent = (performance.now() - began) / 1000;
      const seconds = Number((sound.samples.length / sound.channels / sound.rate).toFixed(2));
      say(`${seconds} s rendered in ${spent.toFixed(2)} s, ${(seconds / spent).toFixed(0)} times real time`);
      this.lastRender = sound;
      download(`${fileName(studio.info.title)}.wav`, wav(sound.samples, sound.channels, sound.rate), "audio/wav");
    } catch (error) {
      problem(error.message);
    }
    progress.hidden = true;
  }
}
