// SPDX-License-Identifier: MIT OR Apache-2.0
// Sliders from the engine's own declarations: name, unit, range, knob law, sentence. Every change can be undone.
import { isCopy } from "./surfaces.js";

/** Position 0..1 on the knob to a value, and back; log ranges that are not positive fall back to linear. */
export const knob = {
  value: ({ min, max, scale }, x) => (scale === "log" && min > 0 ? min * (max / min) ** x : min + (max - min) * x),
  position: ({ min, max, scale }, value) =>
    scale === "log" && min > 0 ? Math.log(Math.max(value, min) / min) / Math.log(max / min) : (value - min) / (max - min),
};

const PREFIX = { p: 1e-12, n: 1e-9, u: 1e-6, µ: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9 };

/** Reads "2.5 kHz", "3 mm", "1e8": a value in the parameter's unit, or null. */
export function readValue(text, unit) {
  const found = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)\s*$/.exec(text.replace(",", "."));
  if (!found) return null;
  const [, digits, suffix] = found;
  const own = unit === "1" ? "" : unit;
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

/** What was changed, for undo and redo. */
export class History {
  constructor(apply) {
    this.apply = apply;
    this.past = [];
    this.future = [];
  }

  /** One gesture on one slider is one step, however many values it sent. */
  note(path, before, after) {
    const last = this.past.at(-1);
    if (last && last.path === path && performance.now() - last.at < 600) Object.assign(last, { after, at: performance.now() });
    else this.past.push({ path, before, after, at: performance.now() });
    this.future = [];
  }

  undo() {
    const step = this.past.pop();
    if (!step) return;
    this.future.push(step);
    this.apply(step.path, step.before);
  }

  redo() {
    const step = this.future.pop();
    if (!step) return;
    this.past.push({ ...step, at: 0 });
    this.apply(step.path, step.after);
  }
}

/** The list of controls of one scene. */
export class Controls {
  constructor(host, engine) {
    this.host = host;
    this.engine = engine;
    this.rows = new Map();
    this.serial = 0;
    this.history = new History((path, value) => this.put(path, value, false));
  }

  show(info) {
    this.rows.clear();
    this.history.past = [];
    this.history.future = [];
    this.host.replaceChildren();
    const named = info.controls.map((c) => ({
      path: c.name, label: c.name, unit: "1", min: 0, max: 1, default: c.value, scale: "linear", value: c.value,
      of: { min: c.range[0], max: c.range[1], scale: c.scale, unit: info.paths.find((p) => p.path === [c.path].flat()[0])?.unit ?? "1" },
      doc: `${[c.path].flat().join(", ")} from ${showValue(c.range[0])} to ${showValue(c.range[1])}, ${c.scale}.`,
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
    row.title = `${spec.doc} ${showValue(spec.min)} to ${showValue(spec.max)}${spec.unit === "1" ? "" : ` ${spec.unit}`}. Double click: back to ${showValue(spec.default)}.`;
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
    box.setAttribute("aria-label", `${spec.path}, ${spec.unit === "1" ? "a number" : `in ${spec.unit}`}`);
    const unit = document.createElement("span");
    unit.className = "unit";
    unit.textContent = spec.unit === "1" ? "" : spec.unit;
    // A parameter may be shown in two places, with two ranges: it has one value.
    const entry = this.rows.get(spec.path) ?? { value: spec.value, faces: [] };
    entry.faces.push({ spec, slider, box, unit });
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
    row.addEventListener("dblclick", () => this.put(spec.path, spec.default, true));
    box.addEventListener("change", () => {
      const value = readValue(box.value, spec.unit);
      if (value === null) this.engine.tell("problem", `'${box.value}' is not a value in ${spec.unit === "1" ? "plain numbers" : spec.unit}`);
      else this.put(spec.path, Math.min(spec.max, Math.max(spec.min, value)), true);
      this.paint(entry);
    });
    row.append(label, slider, box, unit);
    if (isNamed) row.classList.add("named");
    return row;
  }

  paint({ faces, value }) {
    for (const { spec, slider, box, unit } of faces) {
      slider.value = knob.position(spec, value);
      slider.setAttribute("aria-valuetext", `${showValue(value)} ${spec.unit === "1" ? "" : spec.unit}`);
      box.value = showValue(value);
      if (!spec.of) continue;
      // A named control is a position; what it stands for is beside it.
      const { of } = spec;
      unit.title = unit.textContent = `= ${showValue(Number(knob.value(of, value).toPrecision(3)))} ${of.unit === "1" ? "" : of.unit}`;
    }
  }

  /** Shows a value that the engine has from elsewhere. */
  heard(path, value) {
    const entry = this.rows.get(path);
    if (!entry) return;
    entry.value = value;
    this.paint(entry);
  }

  /** Sets a value, in the engine and on the page. */
  put(path, value, isNew) {
    const entry = this.rows.get(path);
    if (entry) {
      if (isNew) this.history.note(path, entry.value, value);
      entry.value = value;
      this.paint(entry);
    }
    this.engine.set(path, value);
  }
}
