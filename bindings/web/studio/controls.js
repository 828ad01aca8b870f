// SPDX-License-Identifier: MIT OR Apache-2.0
// Sliders from the engine's own declarations: name, unit, range, knob law, sentence. Every change can be undone.
import { isCopy } from "./surfaces.js";

/** Position 0..1 on the knob to a value, and back; log ranges that are not positive fall back to linear. */
export const knob = {
  value: ({ min, max, scale }, x) => (scale === "log" && min > 0 ? min * (max / min) ** x : min + (max - min) * x),
  position: ({ min, max, scale }, value) =>
    scale === "log" && min > 0 ? Math.log(Math.max(value, min) / min) / Math.log(max / min) : (value - min) / (max - min),
};

/** A unit beside a value: an exponent that is a parameter itself is n. */
const short = (unit) => unit.replace(/\^(viscous_)?exponent/, "^n");
export const unitWords = (unit) => (unit === "1" ? "" : short(unit));

const PREFIX = { p: 1e-12, n: 1e-9, u: 1e-6, µ: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9 };

/** Reads "2.5 kHz", "3 mm", "1e8": a value in the parameter's unit, or null. */
export function readValue(text, unit) {
  const found = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)\s*$/.exec(text.replace(",", "."));
  if (!found) return null;
  const [digits, suffix, own] = [found[1], short(found[2]), unitWords(unit)];
  if (suffix === "" || suffix === own) return Number(digits);
  if (suffix === "%" && own === "") return Number(digits) / 100;
  if (suffix === "ms" && own === "s") return Number(digits) / 1000;
  if (suffix === "g" && own === "kg") return Number(digits) / 1000;
  if (own === "kg" && suffix === "mg") return Number(digits) / 1e6;
  const factor = PREFIX[suffix[0]];
  const rest = suffix.slice(1);
  return factor && (rest === own || (rest === "" && own !== "")) ? Number(digits) * factor : null;
}

/** Short but exact enough to type back. */
export function showValue(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(3).replace(/\.?0+e/, "e") : String(Number(value.toPrecision(5)));
}

/** What a hammer's hardness feels like, 0 to 1: the words between are those of what people strike with. */
export function hardnessWords(value) {
  return ["felt", "soft rubber", "hard rubber", "wood", "hard wood", "steel"][Math.min(5, Math.floor(6 * value))];
}

const isSame = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

/** For how long what the engine tells is older than what a hand does, ms. */
const AT_HAND_MS = 300;

/** The list of controls of one scene. `moved(path, before, after)` hears what a hand did, `back(path)` is asked to undo it. */
export class Controls {
  constructor(host, engine, values, { moved, back }) {
    Object.assign(this, { host, engine, values, moved, back });
    this.rows = new Map();
    this.serial = 0;
    /** As the text says, and as it said when the scene was opened. */
    this.written = new Map();
    this.home = new Map();
    this.movedAt = -AT_HAND_MS;
  }

  /** Shows a scene's controls; `home` is what its text said at first, by name. Rows that stay the same stay where they are. */
  show(info, home) {
    this.written = new Map(this.values.now);
    this.home = home;
    const form = JSON.stringify([info.controls.map(({ value, ...rest }) => rest), info.paths.map(({ value, ...rest }) => rest)]);
    if (form !== this.form) this.lay(info);
    this.form = form;
    this.follow([...this.values.now.keys()]);
  }

  lay(info) {
    this.rows.clear();
    this.host.replaceChildren();
    const named = info.controls.map((c) => ({
      path: c.name, label: c.name, unit: "1", min: 0, max: 1, default: c.value, scale: "linear",
      of: { min: c.range[0], max: c.range[1], scale: c.scale, unit: info.paths.find((p) => p.path === c.path)?.unit ?? "1" },
      doc: `${c.moves.filter((path) => !isCopy(path)).join(", ")} from ${showValue(c.range[0])} to ${showValue(c.range[1])}, ${c.scale}.`,
      hardness: info.paths.some((p) => p.path === c.path.replace(/stiffness$/, "hardness_01")) && c.path.endsWith("/stiffness") ? c.path.slice(0, -10) : null,
    }));
    // Those of parts come after the scene's own, and are many.
    const ofParts = named.filter(({ path }) => path.includes("/"));
    for (const spec of named.filter((own) => !ofParts.includes(own))) this.host.append(this.row(spec, true));
    if (ofParts.length) {
      const parts = document.createElement("details");
      const head = document.createElement("summary");
      head.textContent = `Controls of parts (${ofParts.length})`;
      parts.append(head, ...ofParts.map((spec) => this.row(spec, true)));
      this.host.append(parts);
    }
    if (!named.length) this.host.append(this.line("This scene names no controls; everything is below."));
    const all = document.createElement("details");
    const head = document.createElement("summary");
    const paths = info.paths.filter(({ path }) => !isCopy(path));
    head.textContent = `Every parameter (${paths.length})`;
    all.append(head);
    const groups = new Map();
    for (const spec of paths) {
      const [node] = spec.path.split("/");
      if (!groups.has(node)) groups.set(node, []);
      groups.get(node).push({ ...spec, label: spec.path.slice(node.length + 1) });
    }
    // Rows of a thousand parameters are made when somebody looks.
    all.addEventListener("toggle", () => {
      if (!all.open || all.dataset.made) return;
      all.dataset.made = "yes";
      for (const [node, specs] of groups) {
        const field = document.createElement("fieldset");
        const legend = document.createElement("legend");
        legend.textContent = node;
        field.append(legend, ...specs.map((spec) => this.row(spec, false)));
        all.append(field);
      }
    });
    this.host.append(all);
  }

  line(text) {
    const p = document.createElement("p");
    p.className = "muted";
    p.textContent = text;
    return p;
  }

  row(spec, isNamed) {
    const row = document.createElement("div");
    row.className = "control";
    row.title = `${spec.doc} ${showValue(spec.min)} to ${showValue(spec.max)}${spec.unit === "1" ? "" : ` ${unitWords(spec.unit)}`}. Double click: back to ${showValue(spec.default)}.`;
    const id = `control-${(this.serial += 1)}`;
    const label = document.createElement("label");
    label.htmlFor = id;
    // The unit stands behind the field already.
    label.textContent = spec.label.replace(/_(01|n_s|m_s2|m_s|kg_s|kg|hz|n|s|m)$/, "").replace(/_/g, " ");
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", id, min: 0, max: 1, step: "any" });
    slider.dataset.path = spec.path;
    const box = document.createElement("input");
    Object.assign(box, { type: "text", className: "value", spellcheck: false });
    box.setAttribute("aria-label", `${spec.path}, ${spec.unit === "1" ? "a number" : `in ${unitWords(spec.unit)}`}`);
    const unit = document.createElement("span");
    unit.className = "unit";
    unit.textContent = unitWords(spec.unit);
    const back = document.createElement("button");
    Object.assign(back, { type: "button", className: "back", textContent: "\u21ba", hidden: true });
    back.addEventListener("click", () => {
      this.back(spec.path);
      slider.focus();
    });
    const note = document.createElement("span");
    Object.assign(note, { className: "note", hidden: true });
    note.setAttribute("role", "alert");
    // A parameter may be shown in two places, with two ranges: it has one value.
    const entry = this.rows.get(spec.path) ?? { path: spec.path, value: this.values.get(spec.path), faces: [] };
    entry.faces = entry.faces.filter((face) => face.row.isConnected || face.isNew);
    entry.faces.push({ spec, row, slider, box, unit, back, isNew: true });
    queueMicrotask(() => entry.faces.forEach((face) => (face.isNew = false)));
    this.rows.set(spec.path, entry);
    this.paint(entry);
    slider.addEventListener("input", () => this.put(spec.path, knob.value(spec, Number(slider.value)), true));
    slider.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageUp: 0.1, PageDown: -0.1 };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const x = Math.min(1, Math.max(0, knob.position(spec, entry.value) + steps[event.key]));
      this.put(spec.path, knob.value(spec, x), true);
    });
    // Two clicks in the field choose what is typed there.
    row.addEventListener("dblclick", ({ target }) => target !== box && this.put(spec.path, spec.default, true));
    box.addEventListener("change", () => {
      const value = readValue(box.value, spec.unit);
      note.hidden = value !== null;
      note.textContent = value === null ? `'${box.value}' is not a value in ${unitWords(spec.unit) || "plain numbers"}` : "";
      if (value !== null) this.put(spec.path, Math.min(spec.max, Math.max(spec.min, value)), true);
      this.paint(entry);
    });
    row.append(label, slider, box, unit, back, note);
    if (isNamed) row.classList.add("named");
    return row;
  }

  paint(entry) {
    const { path, faces, value } = entry;
    // By what it stands for: how hard a stiffness feels depends on the hammer's mass, too.
    const root = this.values.root(path);
    const [from, to] = [this.home.get(root), this.written.get(root)];
    const isChanged = from !== undefined && to !== undefined && !isSame(from, to);
    const home = this.home.get(path) ?? from;
    for (const { spec, row, slider, box, unit, back } of faces) {
      slider.value = knob.position(spec, value);
      if (document.activeElement !== box || !box.matches(":focus-visible") || box.dataset.shown === box.value) box.value = showValue(value);
      box.dataset.shown = box.value;
      row.classList.toggle("changed", isChanged);
      back.hidden = !isChanged;
      if (isChanged) {
        back.title = `Changed; back to ${showValue(home)}`;
        back.setAttribute("aria-label", `${spec.path} back to ${showValue(home)}`);
      }
      let words = `${showValue(value)} ${unitWords(spec.unit)}`;
      if (spec.hardness) words = this.hardness(spec.hardness);
      // A named control is a position; what it stands for is beside it.
      else if (spec.of) words = `= ${showValue(Number(knob.value(spec.of, value).toPrecision(3)))} ${unitWords(spec.of.unit)}`;
      slider.setAttribute("aria-valuetext", words);
      if (spec.of || spec.hardness) unit.title = unit.textContent = words;
    }
  }

  /** A contact's hardness, as people say it, and how long it touches. */
  hardness(contact) {
    const [feel, time] = ["hardness_01", "contact_time_s"].map((key) => this.values.get(`${contact}/${key}`));
    return `${hardnessWords(feel)}, ${Number((1000 * time).toPrecision(2))}\u00a0ms`;
  }

  /** Shows these names as the values now are. */
  follow(names) {
    for (const name of names) {
      const entry = this.rows.get(name);
      if (!entry) continue;
      entry.value = this.values.get(name);
      this.paint(entry);
    }
    if (this.rows.size && names.some((name) => name.endsWith("/hardness_01"))) this.rows.forEach((entry) => entry.faces.some(({ spec }) => spec.hardness) && this.paint(entry));
  }

  /** Where the engine says that everything stands. */
  told(settings) {
    if (performance.now() - this.movedAt > AT_HAND_MS) this.follow(this.values.take(settings));
  }

  /** A value that the engine has from elsewhere. */
  heard(path, value) {
    this.follow(this.values.put(path, value));
  }

  /** Sets a value for the moment, as a hand plays: the text does not have it. */
  play(path, value) {
    this.movedAt = performance.now();
    this.heard(path, value);
    this.engine.set(path, value);
  }

  /** Sets a value, in the engine and on the page. */
  put(path, value, isNew) {
    const before = this.values.get(path);
    const names = this.values.put(path, value);
    this.movedAt = performance.now();
    for (const name of names) this.written.set(name, this.values.get(name));
    this.follow(names);
    this.engine.set(path, value);
    if (isNew && before !== undefined) this.moved(path, before, value);
  }
}
