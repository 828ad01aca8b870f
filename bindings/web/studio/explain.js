// SPDX-License-Identifier: MIT OR Apache-2.0
// Explains what is heard: which mode a partial of the spectrogram is, where it is on the stage and in the text; and what a parameter changes,
// by rendering the scene with less and with more of it.
import { Spectrum } from "./fft.js";
import { showValue, unitWords } from "./controls.js";
import { beginningWith, keysOf } from "./write.js";
import { Modes, si, Spectrogram } from "./views.js";

/** A click that is farther from every mode than this part of its frequency means none. */
const NEAR = 0.06;
/** Seconds of sound that two settings of a parameter are compared by. */
const HEARD_S = 1.2;
/** A pointer rests so long before anything is rendered, ms. */
const RESTS_MS = 450;
/** Words about what moves are told anew no more often, ms. */
const RETOLD_MS = 1000;

/** What is to be had on each screen; what a screen does not show is not spoken of. */
const HINTS = {
  play: "Point at a parameter: what it is, and what is heard of it, is said here.",
  look: "Click a line of the spectrogram: what it is, is said here.",
  edit: "Point at a parameter: what it is, and what is heard of it, is said here.",
};
const HINT = "Point at a parameter, or click a line of the spectrogram: what it is, and what is heard of it, is said here.";

/** What a sound is like: loudness in dB, centre of its spectrum in Hz, seconds until it has fallen by 20 dB. */
export function features({ samples, channels, rate }) {
  const mono = new Float32Array(samples.length / channels);
  mono.forEach((_, i) => (mono[i] = samples[i * channels]));
  let [peak, at, power] = [0, 0, 0];
  mono.forEach((x, i) => {
    power += x * x;
    if (Math.abs(x) > peak) [peak, at] = [Math.abs(x), i];
  });
  let last = at;
  for (let i = at; i < mono.length; i += 1) if (Math.abs(mono[i]) > 0.1 * peak) last = i;
  const size = 4096;
  const spectrum = new Spectrum(size);
  let [sum, weight] = [0, 0];
  for (let from = Math.max(0, at - 256); from + size <= mono.length && from < at + 8 * size; from += size) {
    spectrum.of(mono.subarray(from, from + size)).forEach((p, k) => {
      sum += p * k;
      weight += p;
    });
  }
  return { level: 10 * Math.log10(power / mono.length + 1e-20), centre: weight > 0 ? ((sum / weight) * rate) / size : 0, fall: (last - at) / rate };
}

/** Two sounds compared, in words. */
export function differences(low, high) {
  const words = [];
  const louder = high.level - low.level;
  if (Math.abs(louder) > 1.5) words.push(`${Math.abs(louder).toFixed(0)} dB ${louder > 0 ? "louder" : "quieter"}`);
  const bright = high.centre / (low.centre || 1);
  if (bright > 1.08 || bright < 1 / 1.08) words.push(`${bright > 1 ? "brighter or higher" : "darker or lower"}, ${si(low.centre, "Hz")} to ${si(high.centre, "Hz")}`);
  const longer = (high.fall + 1e-3) / (low.fall + 1e-3);
  if (longer > 1.25 || longer < 0.8) words.push(`rings ${longer > 1 ? "longer" : "shorter"}, ${si(low.fall, "s")} to ${si(high.fall, "s")}`);
  return words.length ? words.join("; ") : "hardly to be heard in how this scene begins";
}

export class Explain {
  constructor(studio) {
    this.studio = studio;
    this.box = document.getElementById("explain");
    this.compared = new Map();
    const at = (View) => studio.viewCanvases[studio.views.findIndex((view) => view instanceof View)];
    const spectrogram = at(Spectrogram);
    spectrogram.style.setProperty("cursor", "crosshair");
    spectrogram.addEventListener("click", (event) => {
      const box = spectrogram.getBoundingClientRect();
      this.partial(Spectrogram.frequency(1 - (event.clientY - box.top) / box.height, studio.engine.rate));
    });
    const modes = at(Modes);
    modes.addEventListener("click", (event) => {
      const box = modes.getBoundingClientRect();
      this.partial(Modes.frequency((event.clientX - box.left) / box.width, studio.engine.rate, box.width), Number(document.getElementById("look").value));
    });
    document.getElementById("mode-next").addEventListener("click", () => this.step(1));
    document.getElementById("mode-last").addEventListener("click", () => this.step(-1));
    document.getElementById("mode-all").addEventListener("click", () => this.mode(null));
    const controls = document.getElementById("controls-box");
    const hammer = document.getElementById("hammer");
    for (const host of [controls, hammer]) {
      for (const type of ["pointerover", "focusin"]) host.addEventListener(type, ({ target }) => this.parameter(target.closest(".control")?.querySelector("input[type=range]")?.dataset.path));
      for (const type of ["pointerleave", "focusout"]) host.addEventListener(type, () => this.parameter(null));
    }
  }

  /** Another scene, or the same with another text. */
  begin() {
    const { lit } = this;
    const body = this.studio.info.bodies[lit?.body];
    if (lit && (body?.name !== lit.name || !body.modes[lit.mode])) this.lit = null;
    document.getElementById("mode-steps").hidden = !this.studio.info.bodies.some(({ modes }) => modes.length);
    if (!this.lit) this.mode(null);
    else this.studio.stage?.light(this.lit);
  }

  say(text) {
    this.box.textContent = text || (HINTS[document.body.dataset.screen] ?? HINT);
    this.box.classList.toggle("muted", !text);
    // What is longer than its place is scrolled, with keys, too.
    this.box.scrollTop = 0;
    if (this.box.scrollHeight > this.box.clientHeight) this.box.tabIndex = 0;
    else this.box.removeAttribute("tabindex");
  }

  /** Another screen: what is to be had there, where nothing else is said. */
  hint() {
    if (this.box.classList.contains("muted")) this.say("");
  }

  /** The mode nearest to a frequency, the stronger of those that are as near. */
  partial(hz, only = -1) {
    const { info, stage } = this.studio;
    let best = null;
    info.bodies.forEach((body, number) => {
      if (only >= 0 && number !== only) return;
      const moving = stage?.motion.bodies[number];
      this.frequencies(number).forEach((freq, mode) => {
        const away = Math.abs(Math.log(freq / hz));
        if (away > NEAR) return;
        const strength = Math.log10((moving?.amplitude?.[mode] ?? 0) * freq + 1e-12);
        const merit = strength / 12 - (away / NEAR) ** 2;
        if (!best || merit > best.merit) best = { body: number, mode, merit };
      });
    });
    if (best) this.mode({ body: best.body, mode: best.mode });
    else {
      this.mode(null);
      this.say(`${si(hz, "Hz")}: no mode of a body is there. It may be an overtone of rubbing, noise, or a process.`);
    }
  }

  /** Frequencies of a body's modes as they are now, or were when the views were frozen, Hz. */
  frequencies(number) {
    const { stood, info } = this.studio;
    if (stood?.info === info && stood.hz) return stood.hz[number];
    const omega = this.studio.stage?.motion.bodies[number]?.omega;
    return omega?.length ? Array.from(omega, (w) => w / (2 * Math.PI)) : this.studio.info.bodies[number].modes.map(({ freq_hz }) => freq_hz);
  }

  step(by) {
    const number = Number(document.getElementById("look").value);
    const count = this.frequencies(number).length;
    if (!count) return;
    const from = this.lit?.body === number ? this.lit.mode : by > 0 ? -1 : 0;
    this.mode({ body: number, mode: (from + by + count) % count });
  }

  /** One mode alone: on the stage, among the modes, in the text and in words; null: all again. */
  mode(lit) {
    const { studio } = this;
    if (lit) lit = { ...lit, name: studio.info.bodies[lit.body].name };
    this.lit = lit;
    studio.stage?.light(lit);
    studio.editor.lightUp(lit ? this.lineOf(lit) : null);
    studio.views.forEach((view) => (view.lit = lit));
    document.getElementById("mode-all").hidden = !lit;
    if (!lit) return this.say("");
    studio.look(lit.name);
    return this.tell();
  }

  /** The mode that is lit, in words. */
  tell() {
    const { lit } = this;
    const decay = this.decay(lit);
    const words = `${si(this.frequencies(lit.body)[lit.mode], "Hz")} is mode ${lit.mode + 1} of ${lit.name}${decay ? `, which rings for ${si(decay, "s")}` : ""}. The stage shows it alone; light lines stay still. Escape or All modes goes back.`;
    this.toldAt = performance.now();
    if (words !== this.box.textContent) this.say(words);
  }

  /** What moves it is told in the words about it. */
  follow() {
    if (this.lit && !this.path && performance.now() - this.toldAt > RETOLD_MS) this.tell();
  }

  /** For how long a mode rings now, s; null where something else than its scale has been moved since the engine said so. */
  decay({ body: number, mode }) {
    const { info, values } = this.studio;
    const { name, modes } = info.bodies[number];
    const isMoved = ({ path, value }) => Math.abs(values.get(path) - value) > 1e-9 * Math.abs(value);
    const own = info.paths.slice(0, info.parameters).filter((spec) => spec.path.startsWith(`${name}/`) && isMoved(spec));
    if (!modes[mode]?.decay_s || own.some(({ path }) => !/\/(freq|decay)_scale$/.test(path))) return null;
    const scale = own.find(({ path }) => path.endsWith("/decay_scale"));
    return modes[mode].decay_s * (scale ? values.get(scale.path) / scale.value : 1);
  }

  /** Line of the text that makes a mode: its own, or that of its body. */
  lineOf({ body: number, mode }) {
    const { text, info } = this.studio;
    const { name } = info.bodies[number];
    const { keys, tables } = keysOf(text);
    const own = keys.filter(({ names }) => names[0] === "body" && names[1] === name);
    // Its list of modes, or all of it on one line.
    const list = own.find(({ names }) => names.length === 2 || (names.length === 3 && names[2] === "modes"));
    const lineAt = (at) => text.slice(0, at).split("\n").length;
    if (list) {
      const found = [...text.slice(list.from, list.to).matchAll(/freq_hz/g)][mode];
      if (found) return lineAt(list.from + found.index);
    }
    const table = tables.find(({ names }) => names[0] === "body" && names[1] === name && names.length === 2) ?? own[0];
    if (table) return lineAt(table.from);
    // In JSON, the key of the body.
    const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)];
    const key = words.slice(words.findIndex(([, word]) => word === "body") + 1).find(([, word]) => word === name);
    return key ? lineAt(key.index) : null;
  }

  /** What a parameter changes: whom it belongs to, its sentence, and what is heard of it. */
  parameter(path) {
    if (path === this.path) return;
    this.path = path;
    clearTimeout(this.timer);
    const { studio } = this;
    const control = studio.info.controls.find(({ name }) => name === path);
    const moved = control ? control.moves : path ? [path] : [];
    const names = moved.map((one) => one.slice(0, one.lastIndexOf("/")).split(".")[0]);
    studio.stage?.point(names);
    if (!path) return this.lit ? this.mode(this.lit) : this.say("");
    const spec = studio.info.paths.find((one) => one.path === moved[0]);
    const doc = spec?.doc ?? "";
    this.say(`${path} changes ${[...new Set(names)].join(" and ")}. ${doc}`);
    this.timer = setTimeout(() => this.compare(path, control, spec, doc, names), RESTS_MS);
  }

  // Less and more of it, rendered and compared: not what the word says, but what is heard.
  async compare(path, control, spec, doc, names) {
    const { studio } = this;
    const range = control ? [0, 1] : this.around(spec, studio.values.get(path));
    if (!range) return;
    const key = `${path} ${range} ${studio.text}`;
    const [low, high] = (control?.range ?? range).map((value) => `${showValue(value)} ${unitWords(spec?.unit ?? "1")}`.trim());
    try {
      if (!this.compared.has(key)) {
        const sounds = [];
        for (const value of range) sounds.push(features(await studio.offline.render({ scene: beginningWith(studio.text, path, value), rate: 24_000, seconds: HEARD_S })));
        if (this.compared.size > 64) this.compared.clear();
        this.compared.set(key, differences(...sounds));
      }
      if (this.path === path) this.say(`${path} changes ${[...new Set(names)].join(" and ")}. ${doc} ${high} instead of ${low}: ${this.compared.get(key)}.`);
    } catch {
      // What cannot be set so is explained by its sentence.
    }
  }

  /** Half and twice a value, within its range; of what is 0 that, and the next whole one. */
  around(spec, value) {
    if (!spec || !Number.isFinite(value)) return null;
    const [low, high] = value === 0 ? [spec.max > 0 ? 0 : -1, spec.max > 0 ? 1 : 0] : [value / 2, value * 2].sort((a, b) => a - b);
    const [from, to] = [Math.max(spec.min, low), Math.min(spec.max, high)];
    return to > from ? [from, to] : null;
  }
}
