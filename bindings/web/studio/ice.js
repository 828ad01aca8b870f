// SPDX-License-Identifier: MIT OR Apache-2.0
// A sheet of ice from above: press it where you touch, longer is harder. What breaks is heard, and a worker grows the lines.
import { colour, fit, FromAbove, isCalm, label } from "./canvas.js";
import { HAPPENING } from "./press.js";
import { canvasOf } from "./surfaces.js";

/** Load of a first touch, N, how fast it grows, N/s, and the most. */
const LOAD = { first: 200, rate: 700, most: 6000 };
/** How often a held hand presses anew, ms, and how long each press is, s. */
const EVERY_MS = 80;
const PRESS_S = 0.16;
/** How long a fracture is seen, ms. */
const SEEN_MS = 400;
/** Places closer than this are one, m: the engine's own rule. */
const SAME_M = 0.15;
const HELP = "Hold to press: the longer, the harder; it cracks where it bears more than ever before. Arrow keys move the place, hold Space to press.";

/** The sheets of ice of a scene, with their numbers among the processes. */
export function findIce({ processes, paths }) {
  const value = (path) => paths.find((own) => own.path === path)?.value;
  return processes.flatMap(({ name, type }, number) => (type === "ice" ? [{ name, number, break_j: value(`${name}/break_j`) ?? Infinity }] : []));
}

export class IceSurface extends FromAbove {
  constructor(sheet, engine, scene) {
    super();
    Object.assign(this, { sheet, engine });
    this.pieces = [];
    this.drawn = 0;
    this.places = [];
    this.lights = [];
    this.fractures = 0;
    this.isWide = true;
    this.cursor = [0, 0];
    this.view = { x: 0, y: 0, wide: 3 };
    this.lines = document.createElement("canvas");
    this.canvas = canvasOf(`Ice ${sheet.name}`, HELP);
    this.caption = `press ${sheet.name}: the longer, the harder`;
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.cursor = this.place(event);
      this.hold(event.pressure);
    });
    on("pointermove", (event) => {
      if (!this.held) return;
      this.cursor = this.place(event);
      this.held.pen = event.pointerType === "pen" ? event.pressure : 0;
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) on(type, () => this.lift());
    on("keydown", (event) => this.key(event));
    on("keyup", (event) => event.key === " " && this.lift());
    this.worker = new Worker("cracks.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.postMessage({ module: engine.module, scene, process: sheet.name });
  }

  /** Ends the worker: another scene is shown. */
  close() {
    this.lift();
    this.worker.terminate();
  }

  // Metres to pixels, the middle of the view in the middle of the picture, y upwards.
  get scale() {
    return this.canvas.clientWidth / this.view.wide;
  }

  key(event) {
    const step = 0.03 * this.view.wide;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) {
      const half = [this.view.wide / 2, this.canvas.clientHeight / this.scale / 2];
      const middle = [this.view.x, this.view.y];
      this.cursor = this.cursor.map((x, i) => Math.min(middle[i] + half[i], Math.max(middle[i] - half[i], x + moves[event.key][i])));
      this.draw();
    } else if (event.key === " ") {
      if (!event.repeat) this.hold();
    } else return;
    event.preventDefault();
  }

  hold() {
    this.lift();
    this.held = { began: performance.now(), pen: 0 };
    this.wasPressed = true;
    this.press();
    this.held.timer = setInterval(() => this.press(), EVERY_MS);
  }

  lift() {
    clearInterval(this.held?.timer);
    this.held = null;
  }

  /** Load of the hand now, N. */
  get load() {
    if (!this.held) return 0;
    if (this.held.pen) return LOAD.most * this.held.pen ** 2;
    return Math.min(LOAD.most, LOAD.first + (LOAD.rate * (performance.now() - this.held.began)) / 1000);
  }

  press() {
    this.engine.send({ trigger: this.sheet.name, values: [this.load, ...this.cursor, PRESS_S] });
    this.isNew = true;
  }

  /** What broke since the audio side last said so, whoever stood there. */
  follow({ happened }) {
    const fractures = [];
    for (let i = 0; i < happened.length; i += HAPPENING) {
      const [, number, energy, x, y] = happened.subarray(i, i + HAPPENING);
      if (number !== this.sheet.number) continue;
      fractures.push(x, y, energy);
      this.lights.push({ x, y, energy, at: performance.now() });
      let place = this.places.find((own) => Math.hypot(own.x - x, own.y - y) < SAME_M);
      if (!place) this.places.push((place = { x, y, taken: 0 }));
      place.taken += energy;
    }
    if (!fractures.length) return;
    this.fractures += fractures.length / 3;
    this.isNew = true;
    this.worker.postMessage({ fractures });
  }

  take({ pieces, problem }) {
    if (problem) return this.engine.tell("problem", problem);
    for (const number of pieces) this.pieces.push(number);
    this.widen(pieces);
    this.isNew = true;
  }

  // The view holds every line, and does not move for each of them.
  widen(pieces) {
    const ratio = this.canvas.clientHeight / this.canvas.clientWidth || 0.6;
    const { view } = this;
    for (let i = 0; i < pieces.length; i += 2) {
      const reach = Math.max(Math.abs(pieces[i] - view.x), Math.abs(pieces[i + 1] - view.y) / ratio);
      if (2.05 * reach <= view.wide || view.wide > 200) continue;
      view.wide = Math.min(200, 1.3 * Math.max(view.wide, 2 * reach));
      this.drawn = 0;
    }
  }

  light() {
    if (!this.isNew && !this.lights.length) return;
    this.isNew = false;
    this.draw();
  }

  /** Length of all lines, m. */
  get length() {
    let sum = 0;
    for (let i = 0; i < this.pieces.length; i += 4) sum += Math.hypot(this.pieces[i + 2] - this.pieces[i], this.pieces[i + 3] - this.pieces[i + 1]);
    return sum;
  }

  draw() {
    const { pen, w, h } = fit(this.canvas);
    if (this.lines.width !== this.canvas.width || this.lines.height !== this.canvas.height || this.drawn === 0) {
      Object.assign(this.lines, { width: this.canvas.width, height: this.canvas.height });
      this.drawn = 0;
    }
    const sheet = pen.createLinearGradient(0, 0, w, h);
    sheet.addColorStop(0, "#cfe4f1");
    sheet.addColorStop(0.5, "#a9cbe0");
    sheet.addColorStop(1, "#c3dcec");
    pen.fillStyle = sheet;
    pen.fillRect(0, 0, w, h);
    this.grow();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.lines, 0, 0);
    const dots = devicePixelRatio || 1;
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    for (const { x, y, taken } of this.places.filter((own) => own.taken > this.sheet.break_j)) {
      const [px, py] = this.toPixels(x, y);
      pen.fillStyle = "#12405e";
      pen.beginPath();
      for (let k = 0; k < 9; k += 1) {
        const reach = this.scale * (0.13 + 0.05 * Math.sin(7 * k + 100 * taken));
        pen.lineTo(px + reach * Math.cos((2 * Math.PI * k) / 9), py + reach * Math.sin((2 * Math.PI * k) / 9));
      }
      pen.fill();
    }
    const now = performance.now();
    this.lights = this.lights.filter(({ at }) => now - at < SEEN_MS).slice(-300);
    for (const { x, y, energy, at } of isCalm() ? [] : this.lights) {
      const [px, py] = this.toPixels(x, y);
      const reach = 3 + 9 * Math.sqrt(energy / 0.05);
      pen.globalAlpha = 0.7 * (1 - (now - at) / SEEN_MS);
      pen.fillStyle = "#ffffff";
      pen.beginPath();
      pen.arc(px, py, Math.min(60, reach), 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
    this.hand(pen);
    const one = this.view.wide > 40 ? 10 : 1;
    pen.fillStyle = "#16354a";
    pen.fillRect(12, h - 14, one * this.scale, 3);
    label(pen, `${one} m`, 12, h - 20);
    pen.textAlign = "right";
    label(pen, this.held ? `${Math.round(this.load)} N` : `${this.fractures} fractures`, w - 10, h - 12);
    pen.textAlign = "center";
    if (!this.wasPressed && this.fractures === 0) label(pen, "hold to press the ice", w / 2, 24);
    pen.textAlign = "left";
  }

  // New pieces go onto a picture of their own: a sheet may have a hundred thousand.
  grow() {
    const paint = this.lines.getContext("2d");
    const dots = devicePixelRatio || 1;
    paint.setTransform(dots, 0, 0, dots, 0, 0);
    paint.strokeStyle = "#16354a";
    paint.lineWidth = 1.2;
    paint.beginPath();
    for (; this.drawn < this.pieces.length; this.drawn += 4) {
      paint.moveTo(...this.toPixels(this.pieces[this.drawn], this.pieces[this.drawn + 1]));
      paint.lineTo(...this.toPixels(this.pieces[this.drawn + 2], this.pieces[this.drawn + 3]));
    }
    paint.stroke();
  }

  hand(pen) {
    if (!this.held && document.activeElement !== this.canvas) return;
    const [x, y] = this.toPixels(...this.cursor);
    pen.strokeStyle = pen.fillStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 6 + (16 * this.load) / LOAD.most, 0, 7);
    if (this.held) pen.fill();
    else pen.stroke();
  }
}
