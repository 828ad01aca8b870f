// SPDX-License-Identifier: MIT OR Apache-2.0
// Water that flows by itself: a surface from above on which a hand moves two of the scene's controls, and throws what can be thrown. Every
// bubble and landing that is heard is a ring.
import { colour, fit, isCalm, label } from "./canvas.js";
import { HAPPENING } from "./press.js";
import { canvasOf } from "./surfaces.js";

const WATER = ["bubbles", "patter", "rain", "drip", "splash", "puddle"];
/** What can be thrown in, and with which values: m or kg, m, m. */
const THROWN = { drip: (up) => [0.002 + 0.004 * up, 0.1 + 0.4 * up, 0.1], splash: (up) => [0.01 * 300 ** up, 1.0, 1.0] };
/** How long a ring is seen, ms, and most at once. */
const SEEN_MS = 700;
const MOST_RINGS = 160;

/** The water of a scene that has no inlets and no tank: its processes, and up to two controls to move it by; none: no surface. */
export function findFlow(info) {
  const water = info.processes.flatMap(({ name, type }, number) => (WATER.includes(type) ? [{ name, type, number }] : []));
  if (!water.length || info.inlets.length || info.walks.length) return null;
  // First what is a rate, a level or a depth, then what is left.
  const first = ({ path }) => ([path].flat().some((own) => /rate_hz|water_m3|depth_m|gain$|mass_kg/.test(own)) ? 0 : 1);
  const controls = [...info.controls].sort((a, b) => first(a) - first(b)).slice(0, 2);
  const thrown = water.find(({ type }) => THROWN[type]);
  return controls.length || thrown ? { water, controls, thrown } : null;
}

export class FlowSurface {
  /** `move(name, position)` moves a control, 0 to 1, in the engine and on the page; `value(name)` is where it stands. */
  constructor({ water, controls, thrown }, engine, { move, value }) {
    Object.assign(this, { water, controls, thrown, engine, move, value });
    this.numbers = new Map(water.map(({ number }, i) => [number, i]));
    this.largest = water.map(() => 0);
    this.rings = [];
    this.total = 0;
    this.at = controls.map(({ value }) => value ?? 0.5);
    const words = controls.map(({ name }, i) => `${i === 0 ? "across" : "up"} is ${name}`).join(", ");
    const throws = thrown ? ` Enter or a click throws something in: the higher, the ${thrown.type === "drip" ? "larger" : "heavier"}.` : "";
    this.canvas = canvasOf(`Water of ${water.map(({ name }) => name).join(", ")}`, `Drag: ${words}. Arrow keys move it.${throws}`);
    this.caption = [words, thrown ? "click to throw" : ""].filter(Boolean).join("; ");
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.isDown = true;
      this.drag(event);
      if (thrown) this.throw(this.place(event)[1]);
    });
    on("pointermove", (event) => this.isDown && this.drag(event));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, () => (this.isDown = false));
    on("keydown", (event) => {
      const moves = { ArrowLeft: [0, -0.04], ArrowRight: [0, 0.04], ArrowDown: [1, -0.04], ArrowUp: [1, 0.04] };
      if (moves[event.key]) {
        const [control, step] = moves[event.key];
        this.stand();
        if (control < this.controls.length) this.put(control, this.at[control] + step);
      } else if (event.key === "Enter" && thrown) this.throw(this.at[1] ?? 0.5);
      else return;
      event.preventDefault();
    });
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  }

  drag(event) {
    this.place(event).forEach((position, control) => control < this.controls.length && this.put(control, position));
  }

  put(control, position) {
    this.at[control] = Math.min(1, Math.max(0, position));
    this.wasMoved = true;
    this.move(this.controls[control].name, this.at[control]);
    this.isNew = true;
  }

  throw(up) {
    this.engine.send({ trigger: this.thrown.name, values: THROWN[this.thrown.type](Math.min(1, Math.max(0, up))) });
  }

  /** Where its controls stand, whoever moved them. */
  stand() {
    if (!this.isDown) this.at = this.controls.map(({ name }, i) => this.value(name) ?? this.at[i]);
  }

  follow({ happened }) {
    this.stand();
    for (let i = 0; i < happened.length; i += HAPPENING) {
      const own = this.numbers.get(happened[i + 1]);
      if (own === undefined) continue;
      this.total += 1;
      const size = happened[i + 2];
      this.largest[own] = Math.max(this.largest[own], size);
      const ring = { own, part: Math.sqrt(size / (this.largest[own] || 1)), x: Math.random(), y: Math.random(), at: performance.now() };
      if (this.rings.length < MOST_RINGS || ring.part > 0.5) this.rings.push(ring);
    }
    this.isNew = true;
  }

  light() {
    if (!this.isNew && !this.rings.length) return;
    this.isNew = false;
    this.draw();
  }

  draw() {
    const { pen, w, h } = fit(this.canvas);
    const deep = pen.createLinearGradient(0, 0, 0, h);
    deep.addColorStop(0, "#2f6f9c");
    deep.addColorStop(1, "#143a5c");
    pen.fillStyle = deep;
    pen.fillRect(0, 0, w, h);
    const [now, calm] = [performance.now(), isCalm()];
    this.rings = this.rings.filter(({ at }) => now - at < SEEN_MS).slice(-MOST_RINGS);
    for (const { own, part, x, y, at } of this.rings) {
      const age = (now - at) / SEEN_MS;
      pen.globalAlpha = (1 - age) * (0.25 + 0.75 * part);
      pen.strokeStyle = ["#ffffff", "#9fe0ff", "#ffe2a8"][own % 3];
      pen.lineWidth = 1 + 1.5 * part;
      pen.beginPath();
      const grown = calm ? 0.5 : age;
      pen.ellipse(x * w, (0.08 + 0.84 * y) * h, 2 + (4 + 26 * part) * grown, 1 + (2 + 13 * part) * grown, 0, 0, 7);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    if (this.controls.length) {
      const [x, y] = [(this.at[0] ?? 0.5) * w, (1 - (this.at[1] ?? 0.5)) * h];
      pen.strokeStyle = colour("--accent");
      pen.lineWidth = 3;
      pen.beginPath();
      pen.arc(Math.min(w - 12, Math.max(12, x)), Math.min(h - 12, Math.max(12, y)), 9, 0, 7);
      pen.stroke();
    }
    if (this.controls[0]) label(pen, `${this.controls[0].name} \u2192`, 10, h - 10);
    if (this.controls[1]) label(pen, `\u2191 ${this.controls[1].name}`, 10, 20);
    pen.textAlign = "right";
    if (this.thrown) label(pen, "click: throw", w - 10, 20);
    pen.textAlign = "left";
  }
}
