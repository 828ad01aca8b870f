// SPDX-License-Identifier: MIT OR Apache-2.0
// A tank of water to pour, stir and tilt: a worker computes it, what collides is heard, and what is heard lights up.
import { colour, fit, isDue, label } from "./canvas.js";

const TANK = { width: 0.6, height: 0.5, spacing: 0.2 / 24, seed: 1 };
/** Pitch of a splash's noise times radius, and its time to 1/e at a radius of 3 mm. */
const SPLASH = [16, 2.19e-3];
const GRAVITY = 9.81;
/** How long a sound is seen, ms. */
const SEEN_MS = 250;
/** Frames that wait to be shown at most: a page that is not looked at shows none. */
const MOST_COMING = 20;
/** Of the frames by which the water should be ahead of its pictures: with less than the first part only every second one is drawn, until there is
 * more than the second. */
const [BEHIND, AGAIN] = [0.4, 0.7];
const FRAME_MS = 1000 / 60;
/** Rings of sounds that are drawn at most; the newest are. */
const MOST_RINGS = 40;
/** Metres round the hand that stirs. */
const HAND_M = 0.04;
const HELP = "Hold to pour, drag through the water to stir it; drag with the right button, or left and right arrows, tilt the tank; Enter pours, Escape empties it.";
/** Degrees of a tilt for each pixel that the right button is dragged. */
const DEGREES_PX = 0.25;

/** The two processes of a scene that sound only when they are triggered: landings and bubbles; none: no tank. */
export function findTank(info) {
  const silent = (type) => info.processes?.find((process) => process.type === type
    && info.paths.some(({ path, value }) => path === `${process.name}/rate_hz` && value === 0))?.name;
  const [hits, bubbles] = [silent("patter"), silent("bubbles")];
  return hits && bubbles ? { hits, bubbles } : null;
}

export class TankSurface {
  constructor(names, engine) {
    Object.assign(this, { names, engine });
    this.points = new Float64Array();
    /** Frames that are not due yet, and the call that will look at them. */
    this.coming = [];
    this.drawing = null;
    this.lights = [];
    this.angle = 0;
    this.stats = { frames: 0, late: 0, slow: [], spent: 0, sounds: 0 };
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Tank of water. ${HELP}`);
    this.canvas.title = HELP;
    this.caption = "pour, stir and tilt the tank";
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      if (event.button === 2) {
        this.tilting = { x: event.clientX, from: this.angle };
        return;
      }
      this.hand = { ...this.place(event), at: event.timeStamp };
      this.post({ pour: [this.hand.x, this.hand.y] });
    });
    on("contextmenu", (event) => event.preventDefault());
    on("pointermove", (event) => {
      if (this.tilting) this.tilt(this.tilting.from + DEGREES_PX * (event.clientX - this.tilting.x));
      else if (this.hand) this.drag(event);
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, () => this.lift());
    on("keydown", (event) => this.key(event));
    on("keyup", (event) => event.key === "Enter" && this.lift());
    this.begin();
  }

  /** Anew, with blocks of water in it: left, bottom, width and height of each, m. */
  begin(blocks = []) {
    this.worker?.terminate();
    this.coming = [];
    this.worker = new Worker("water.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = () => this.engine.tell("problem", "the water stopped; reload the page");
    this.post({ module: this.engine.module, tank: TANK, blocks });
    this.tilt(0);
  }

  post(message) {
    this.worker.postMessage(message);
  }

  /** Ends the worker: another scene is shown. */
  close() {
    this.worker.terminate();
  }

  // The tank stands in the middle, as large as there is room for it as it is tilted.
  frame() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const turn = (this.angle * Math.PI) / 180;
    const [along, across] = [Math.cos(turn), Math.abs(Math.sin(turn))];
    const { width, height } = TANK;
    const scale = Math.min((w - 16) / (width * along + height * across), (h - 16) / (width * across + height * along));
    return { scale, left: (w - scale * TANK.width) / 2, bottom: (h + scale * TANK.height) / 2 };
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const { scale } = this.frame();
    const within = (x, size) => Math.min(size - TANK.spacing, Math.max(TANK.spacing, x));
    // From the middle of the picture, turned back by as much as the tank is tilted.
    const [dx, dy] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
    const turn = (this.angle * Math.PI) / 180;
    const x = (dx * Math.cos(turn) + dy * Math.sin(turn)) / scale;
    const y = (dy * Math.cos(turn) - dx * Math.sin(turn)) / scale;
    return { x: within(TANK.width / 2 + x, TANK.width), y: within(TANK.height / 2 - y, TANK.height) };
  }

  drag(event) {
    const { x, y } = this.place(event);
    const seconds = Math.max(1, event.timeStamp - this.hand.at) / 1000;
    const [u, v] = [(x - this.hand.x) / seconds, (y - this.hand.y) / seconds];
    this.hand = { x, y, at: event.timeStamp };
    this.post({ stir: [x, y, HAND_M, u, v] });
    this.post({ pour: [x, y] });
  }

  lift() {
    this.tilting = null;
    this.hand = null;
    this.post({ pour: null });
  }

  key(event) {
    if (event.key === "ArrowLeft") this.tilt(this.angle - 3);
    else if (event.key === "ArrowRight") this.tilt(this.angle + 3);
    else if (event.key === "Enter") this.post({ pour: [TANK.width / 2, TANK.height - 0.03] });
    else if (event.key === "Escape") this.begin();
    else return;
    event.preventDefault();
  }

  /** Degrees to the right. */
  tilt(degrees) {
    this.angle = Math.min(45, Math.max(-45, degrees));
    const radians = (this.angle * Math.PI) / 180;
    this.post({ tilt: [GRAVITY * Math.sin(radians), -GRAVITY * Math.cos(radians)] });
  }

  // A frame that is to be shown soon: it is heard then, each sound as much later as it came after the frame's start.
  take({ points, sounds, began, frames, late, slow, ahead, shown, spent }) {
    const due = shown - performance.timeOrigin;
    const wait = Math.max(0, due - performance.now()) / 1000;
    const { hits, bubbles } = this.names;
    for (let i = 0; i < sounds.length; i += 8) {
      const [kind, time, radius, amplitude, rise, x, y] = sounds.subarray(i, i + 8);
      const after = wait + Math.max(0, time - began);
      if (kind === 0) this.engine.send({ trigger: hits, values: [radius, amplitude, ...SPLASH, after] });
      else this.engine.send({ trigger: bubbles, values: [radius, amplitude, rise, 0.35, after] });
      this.lights.push({ kind, x, y, radius, at: performance.now() + 1000 * after });
    }
    Object.assign(this.stats, { frames, late: Math.max(this.stats.late, late), slow, ahead, spent, sounds: this.stats.sounds + sounds.length / 8 });
    // Drawing takes as much of a small machine as the water does: what runs out of time gets it first.
    const early = (due - performance.now()) / FRAME_MS;
    this.isBehind = early < (this.isBehind ? AGAIN : BEHIND) * ahead;
    this.coming = [...this.coming, { points, due }].slice(-MOST_COMING);
    this.drawing ??= requestAnimationFrame(() => this.show());
  }

  // The newest frame that is due, by half a picture of a screen; what comes later waits.
  show() {
    const now = performance.now() + 8;
    const count = this.coming.findLastIndex(({ due }) => due <= now) + 1;
    if (count > 0) {
      this.points = this.coming[count - 1].points;
      this.coming = this.coming.slice(count);
      const since = performance.now() - (this.drawn ?? 0);
      if (isDue(since) && !(this.isBehind && since < 1.5 * FRAME_MS)) this.draw();
    }
    this.drawing = this.coming.length > 0 ? requestAnimationFrame(() => this.show()) : null;
  }

  light() {}

  // Squares that stand upright on whole pixels wherever the tank is tilted to: without a graphics card those are cheaper than turned ones.
  drawPoints(pen, w, h) {
    const { scale } = this.frame();
    const turn = (this.angle * Math.PI) / 180;
    const [along, across] = [scale * Math.cos(turn), scale * Math.sin(turn)];
    const size = Math.max(2, Math.ceil(1.25 * TANK.spacing * scale));
    const [left, top] = [(w - size) / 2, (h - size) / 2];
    pen.save();
    pen.setTransform(devicePixelRatio || 1, 0, 0, devicePixelRatio || 1, 0, 0);
    // The paper's colours: blue rests, green falls, pink collides.
    for (const [motion, ink] of [[0, "#2662c4"], [1, "#2ea050"], [2, "#e852a0"]]) {
      pen.fillStyle = ink;
      for (let i = 0; i < this.points.length; i += 3) {
        if (this.points[i + 2] !== motion) continue;
        const [x, y] = [this.points[i] - TANK.width / 2, TANK.height / 2 - this.points[i + 1]];
        pen.fillRect(Math.round(left + along * x - across * y), Math.round(top + across * x + along * y), size, size);
      }
    }
    pen.restore();
  }

  draw() {
    this.drawn = performance.now();
    const { pen, w, h } = fit(this.canvas);
    const { scale, left, bottom } = this.frame();
    pen.save();
    pen.translate(w / 2, h / 2);
    pen.rotate((this.angle * Math.PI) / 180);
    pen.translate(-w / 2, -h / 2);
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 2;
    pen.strokeRect(left, bottom - scale * TANK.height, scale * TANK.width, scale * TANK.height);
    this.drawPoints(pen, w, h);
    const now = performance.now();
    this.lights = this.lights.filter(({ at }) => now - at < SEEN_MS).slice(-200);
    for (const { kind, x, y, radius, at } of this.lights.filter(({ at }) => at <= now).slice(-MOST_RINGS)) {
      pen.globalAlpha = 1 - (now - at) / SEEN_MS;
      pen.strokeStyle = kind === 0 ? colour("--accent") : "#ffffff";
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(left + scale * x, bottom - scale * y, Math.max(4, scale * radius * (kind === 0 ? 1 : 4)), 0, 7);
      pen.stroke();
    }
    pen.restore();
    pen.globalAlpha = 1;
    if (this.points.length === 0) {
      pen.textAlign = "center";
      label(pen, "hold to pour", w / 2, h / 2);
      pen.textAlign = "left";
    }
  }
}
