// SPDX-License-Identifier: MIT OR Apache-2.0
// A surface to hold and squeeze: it sets an inlet of the scene. What the inlet's signal does, whoever moves it, and what
// the processes make of it are drawn as they happen.
import { colour, fit, label, Picture } from "./canvas.js";
import { canvasOf } from "./surfaces.js";

/** Seconds that are seen, and the pieces they are kept in. */
export const SPAN_S = 4;
const BINS = 500;
/** Seconds in which a hand that is down follows the finger. */
const FOLLOW_S = 0.03;
/** Processes that wait for a blow: a signal that rises through a threshold. They take its height there, so it must be quick. */
const BLOWN = ["break", "spread", "burst"];
/** Decades between the smallest event that is seen and the largest. */
const DECADES = 3;
/** Numbers of a happening: tick, process, size, x, y. */
export const HAPPENING = 5;

/** Inlets, each with the processes to be seen with it: those that hear it, and those that hear no inlet at all. */
export function findPresses({ inlets: all, processes }) {
  const inlets = all.filter(({ path }) => path.endsWith("/value")); // feet have a surface of their own
  const names = new Set(inlets.map(({ name }) => name));
  const numbered = processes.map((process, number) => ({ ...process, number }));
  return inlets.map((inlet, index) => {
    const own = numbered.filter(({ driven_by }) => driven_by === inlet.name);
    return { inlet, index, own, seen: [...own, ...numbered.filter(({ driven_by }) => !names.has(driven_by))] };
  });
}

/** The last seconds, in pieces: the largest value of the signal, and the largest event of each process. */
export class Strip {
  constructor(rate, lanes) {
    this.ticks = (SPAN_S * rate) / BINS;
    this.lanes = Array.from({ length: lanes }, () => new Float64Array(BINS).fill(NaN));
    this.counts = new Float64Array(BINS);
    this.last = -1;
  }

  /** Room in the piece of a tick; -1 if it is too long ago. */
  place(tick) {
    const bin = Math.floor(tick / this.ticks);
    if (this.last < 0) this.last = bin;
    for (; this.last < bin; this.last += 1) {
      const next = (this.last + 1) % BINS;
      this.lanes.forEach((lane) => (lane[next] = NaN));
      this.counts[next] = 0;
    }
    return bin <= this.last - BINS ? -1 : bin % BINS;
  }

  put(lane, tick, value) {
    const at = this.place(tick);
    if (at >= 0 && !(this.lanes[lane][at] >= value)) this.lanes[lane][at] = value;
    return at;
  }

  /** A lane from the oldest piece to the newest. */
  each(lane, use) {
    for (let i = 0; i < BINS; i += 1) {
      const bin = this.last - BINS + 1 + i;
      if (bin >= 0) use(i, lane[bin % BINS], BINS);
    }
  }

  /** Events of the last second. */
  rate() {
    let sum = 0;
    for (let i = 0; i < BINS / SPAN_S; i += 1) sum += this.last >= i ? this.counts[(this.last - i) % BINS] : 0;
    return sum;
  }
}

/** A pad for one inlet: up is how hard. `time()` gives the seconds in which a hand closes. */
export class PressSurface extends Picture {
  constructor({ inlet, index, own, seen }, engine, time) {
    super();
    Object.assign(this, { inlet, index, seen, engine, time });
    this.isBlow = own.some(({ type }) => BLOWN.includes(type));
    this.lane = new Map(seen.map(({ number }, i) => [number, 1 + i]));
    this.largest = seen.map(() => 0);
    this.fingers = new Map();
    this.level = 0.7;
    this.total = 0;
    const help = "Hold and squeeze: the higher, the harder; letting go lets go. Space holds, arrow keys squeeze harder or softer, Enter is one short squeeze.";
    this.canvas = canvasOf(`Press ${inlet.name}`, help);
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.touch(event);
    });
    on("pointermove", (event) => {
      if (this.fingers.has(event.pointerId)) this.touch(event);
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, (event) => this.lift(event.pointerId));
    on("keydown", (event) => this.key(event));
    on("keyup", (event) => {
      if (event.key === " ") this.lift("keys");
    });
    on("blur", () => this.lift("keys"));
  }

  get caption() {
    const heard = this.seen.map(({ name }) => name).join(", ");
    return heard ? `press ${this.inlet.name}: ${heard}` : `press ${this.inlet.name}`;
  }

  touch(event) {
    const box = this.canvas.getBoundingClientRect();
    const up = 1 - (event.clientY - box.top) / box.height;
    // A little room at both ends, so that all and nothing can be had.
    const height = (up - 0.04) / 0.92;
    const level = event.pointerType === "pen" && event.pressure ? event.pressure : height;
    this.hold(event.pointerId, level, (event.clientX - box.left) / box.width);
  }

  key(event) {
    const steps = { ArrowUp: 0.05, ArrowDown: -0.05 };
    if (event.key in steps) {
      this.level = Math.min(1, Math.max(0, this.level + steps[event.key]));
      if (this.fingers.has("keys")) this.hold("keys", this.level);
      else this.draw();
    } else if (event.key === " ") {
      if (!event.repeat) this.hold("keys", event.shiftKey ? 1 : this.level);
    } else if (event.key === "Enter") {
      if (event.repeat) return;
      this.hold("tap", event.shiftKey ? 1 : this.level);
      setTimeout(() => this.lift("tap"), Math.max(120, 1000 * this.time()));
    } else return;
    event.preventDefault();
  }

  /** A finger presses, 0 to 1; of several the hardest counts. */
  hold(finger, level, x = 0.5) {
    const begins = this.fingers.size === 0;
    this.fingers.set(finger, { level: Math.min(1, Math.max(0, level)), x });
    this.at = this.fingers.get(finger);
    this.wasPressed = true;
    this.send(Math.max(...[...this.fingers.values()].map((own) => own.level)), begins ? this.time() : FOLLOW_S);
  }

  lift(finger) {
    if (!this.fingers.delete(finger)) return;
    const rest = (this.inlet.rest - this.inlet.min) / (this.inlet.max - this.inlet.min);
    const held = [...this.fingers.values()].map((own) => own.level);
    this.send(held.length ? Math.max(...held) : rest, held.length ? FOLLOW_S : this.time());
  }

  // A hand takes time to close: a squeeze within one millisecond would be a blow.
  send(level, glide_s) {
    const { path, min, max } = this.inlet;
    this.target = level;
    const gesture = { set: path, value: min + level * (max - min) };
    this.engine.send(this.isBlow ? gesture : { ...gesture, glide_s });
    this.draw();
  }

  /** What the audio side says of the time since it last did. */
  follow({ tick, trace, happened, traced }) {
    const column = 1 + traced.indexOf(`${this.inlet.name}.value`);
    this.strip ??= new Strip(this.engine.rate, 1 + this.seen.length);
    if (column > 0) for (let i = 0; i < trace.length; i += 1 + traced.length) this.strip.put(0, trace[i], trace[i + column]);
    for (let i = 0; i < happened.length; i += HAPPENING) {
      const lane = this.lane.get(happened[i + 1]);
      if (lane === undefined) continue;
      const at = this.strip.put(lane, happened[i], happened[i + 2]);
      if (at < 0) continue;
      this.strip.counts[at] += 1;
      this.total += 1;
      this.largest[lane - 1] = Math.max(this.largest[lane - 1], happened[i + 2]);
    }
    this.strip.place(tick);
    this.isNew = true;
  }

  /** The signal now, in the inlet's unit. */
  get now() {
    const { strip } = this;
    for (let i = 0; strip && i < 8 && strip.last >= i; i += 1) {
      const value = strip.lanes[0][(strip.last - i) % BINS];
      if (!Number.isNaN(value)) return value;
    }
    return this.inlet.rest;
  }

  draw() {
    const { pen, w, h } = fit(this.canvas);
    const ground = pen.createLinearGradient(0, h, 0, 0);
    ground.addColorStop(0, colour("--back"));
    ground.addColorStop(1, colour("--body"));
    pen.globalAlpha = 0.4;
    pen.fillStyle = ground;
    pen.fillRect(0, 0, w, h);
    pen.globalAlpha = 1;
    const y = (part) => h * (0.96 - 0.92 * Math.min(1.04, Math.max(-0.04, part)));
    this.grid(pen, w, y);
    if (this.strip) {
      this.events(pen, w, h);
      this.signal(pen, w, y);
    }
    this.hand(pen, w, y);
    const base = y(0) - 6; // above the line of a hand that rests
    const unit = this.inlet.unit === "1" ? "" : ` ${this.inlet.unit}`;
    const { min, max } = this.inlet;
    const now = Math.abs(this.now) < 1e-3 * (max - min) ? 0 : this.now; // the tail of a smoother is nothing
    label(pen, `${Number(now.toPrecision(2))}${unit}`, 8, base);
    pen.textAlign = "right";
    const rate = this.strip?.rate() ?? 0;
    if (this.seen.length) label(pen, `${Math.round(rate)} events a second`, w - 8, base);
    pen.textAlign = "center";
    if (!this.wasPressed) label(pen, "hold and squeeze \u2191", w / 2, h / 2);
    pen.textAlign = "left";
    const named = this.seen.slice(0, 3);
    named.forEach(({ name }, i) => {
      const below = base - 18 * (named.length - i);
      pen.fillStyle = this.ink(i);
      pen.fillRect(8, below - 9, 10, 10);
      label(pen, name, 24, below);
    });
  }

  ink(i) {
    return colour(["--accent", "--second", "--third"][i % 3]);
  }

  grid(pen, w, y) {
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.globalAlpha = 0.3;
    pen.beginPath();
    for (let second = 1; second < SPAN_S; second += 1) {
      pen.moveTo(w * (1 - second / SPAN_S), 0);
      pen.lineTo(w * (1 - second / SPAN_S), y(-1));
    }
    for (const part of [0.25, 0.5, 0.75, 1]) {
      pen.moveTo(0, y(part));
      pen.lineTo(w, y(part));
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  // What happened hangs from the top, the longer the stronger.
  events(pen, w, h) {
    const wide = Math.max(1, (0.8 * w) / BINS);
    this.seen.forEach((_, i) => {
      pen.fillStyle = this.ink(i);
      pen.globalAlpha = 0.85;
      const most = this.largest[i];
      this.strip.each(this.strip.lanes[1 + i], (at, size) => {
        if (!(size > 0)) return;
        const part = Math.max(0.05, 1 + Math.log10(size / most) / DECADES);
        pen.fillRect((w * (at + 1)) / BINS - wide, 0, wide, 0.45 * h * part);
      });
    });
    pen.globalAlpha = 1;
  }

  signal(pen, w, y) {
    const { min, max } = this.inlet;
    const line = new Path2D();
    let [first, last, before] = [NaN, NaN, this.inlet.rest];
    this.strip.each(this.strip.lanes[0], (at, value) => {
      if (!Number.isNaN(value)) before = value;
      last = (w * (at + 1)) / BINS;
      if (Number.isNaN(first)) line.moveTo((first = last), y((before - min) / (max - min)));
      else line.lineTo(last, y((before - min) / (max - min)));
    });
    if (Number.isNaN(first)) return;
    const area = new Path2D(line);
    area.lineTo(last, y(-1));
    area.lineTo(first, y(-1));
    pen.fillStyle = colour("--text");
    pen.globalAlpha = 0.16;
    pen.fill(area);
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("--text");
    pen.lineWidth = 2;
    pen.stroke(line);
  }

  hand(pen, w, y) {
    const isDown = this.fingers.size > 0;
    if (!isDown && document.activeElement !== this.canvas) return;
    const level = isDown ? this.target : this.level;
    pen.strokeStyle = pen.fillStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.setLineDash(isDown ? [] : [4, 4]);
    pen.beginPath();
    pen.moveTo(0, y(level));
    pen.lineTo(w, y(level));
    pen.stroke();
    pen.setLineDash([]);
    if (!isDown) return;
    pen.beginPath();
    pen.arc((this.at?.x ?? 0.5) * w, y(level), 9 + 14 * level, 0, 7);
    pen.fill();
  }
}
