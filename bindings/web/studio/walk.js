// SPDX-License-Identifier: MIT OR Apache-2.0
// Walking: a ground from above, somebody who goes over it by mouse or arrow keys, and the force under each foot on the same time axis as
// what the floors do and what is heard.
import { colour, fit, FromAbove, label, levelLine, Picture } from "./canvas.js";
import { Spectrum } from "./fft.js";
import { HAPPENING, SPAN_S, Strip } from "./press.js";
import { canvasOf } from "./surfaces.js";
import { heat } from "./views.js";
import { withKey, withoutKey } from "./write.js";

/** The soles that the engine knows, the brightest first. */
export const SOLES = ["stiletto", "leather-heel", "boot", "hard-rubber", "sneaker", "barefoot", "sock"];
const REGIONS = ["heel_left", "toe_left", "heel_right", "toe_right"];
/** Metres between the places of a drawn path, how far ahead of it one looks, and from its end where one begins to stop; one that was so near
 * and goes away has been passed. */
const PATH_M = 0.25;
const AHEAD_M = 0.8;
const STOP_M = 0.7;
const PASSED_M = 1.6;
/** Footprints that stay. */
const MOST_PRINTS = 40;
/** Most that is shown of a ground that ends far away, m. */
const FAR_M = 8;
const HELP = "Click to walk there, drag to draw a path. Arrow keys walk as long as they are held, Escape stops.";

// Looks of grounds, by their names: colour, and what is strewn on it.
const LOOKS = [
  [/grass|meadow/, "#7f9f52", "blades"], [/underbrush|forest/, "#66733f", "blades"], [/leav/, "#b07a3c", "flakes"],
  [/gravel|pebble|stone/, "#a09a92", "dots"], [/sand|beach/, "#dcc690", "dots"], [/dirt|soil|earth/, "#8d6c49", "dots"],
  [/snow/, "#e6edf5", "dots"], [/ice|frozen/, "#bcd9ea", "flakes"], [/puddle|water|pond/, "#5f93b8", "waves"], [/mud/, "#6d533a", "waves"],
  [/wood|board|plank|bridge|parquet/, "#b08248", "boards"], [/metal|grate|steel/, "#8e99a5", "boards"], [/tile/, "#cfc9be", "tiles"],
  [/carpet|rug/, "#8d4d5d", "dots"], [/./, "#9b9b98", "dots"],
];
/** The look of a ground: its words, colour, and what is strewn on it. */
export const lookOf = (name) => LOOKS.find(([word]) => word.test(name));

/** What is strewn on a ground from x0, y0 to x1, y1 in its own metres: things lie where they lie. */
export function strew(pen, kind, [x0, y0, x1, y1], toPixels, grain = 1) {
  pen.strokeStyle = pen.fillStyle = "#00000030";
  const line = (ax, ay, bx, by) => {
    pen.moveTo(...toPixels(ax, ay));
    pen.lineTo(...toPixels(bx, by));
  };
  pen.beginPath();
  if (kind === "boards" || kind === "tiles") {
    const size = kind === "tiles" ? 0.4 : 0.25;
    for (let y = Math.ceil(y0 / size) * size; y < y1; y += size) line(x0, y, x1, y);
    if (kind === "tiles") for (let x = Math.ceil(x0 / size) * size; x < x1; x += size) line(x, y0, x, y1);
    pen.stroke();
    return;
  }
  const step = 0.22;
  for (let i = Math.floor(x0 / step); i * step < x1; i += 1) {
    for (let j = Math.floor(y0 / step); j * step < y1; j += 1) {
      const hash = Math.sin(127.1 * i + 311.7 * j) * 43758.5;
      const [u, v] = [hash - Math.floor(hash), 7 * hash - Math.floor(7 * hash)];
      const [x, y] = [(i + u) * step, (j + v) * step];
      if (kind === "blades") line(x, y, x + 0.04 * (u - 0.5), y + 0.1);
      else if (kind === "waves") line(x, y, x + 0.12, y);
      else if (kind === "flakes") line(x, y, x + 0.1 * (u - 0.5), y + 0.1 * (v - 0.5));
      else {
        const [px, py] = toPixels(x, y);
        pen.rect(px, py, (1 + 2 * u) * grain, (1 + 2 * v) * grain);
      }
    }
  }
  pen.stroke();
}

/** The text of a scene whose walker goes where it is told, from where it stands: a written path overrides its heading. */
export function freed(text, name, [x, y]) {
  const rest = ["path_m", "steps"].reduce((all, key) => withoutKey(all, name, key), text);
  return withKey(rest, name, "start_m", `[${x.toFixed(2)}, ${y.toFixed(2)}]`) ?? text;
}

/** Walkers that go by themselves; those whose feet are set from outside have another surface. */
export const findWalks = ({ walks }) => walks.filter(({ by_inlets }) => !by_inlets);

export class WalkSurface extends FromAbove {
  /** `edit(change)` makes another text of the scene's the scene; `speed()` is how fast it is to go, m/s. */
  constructor(walk, engine, { edit, speed }) {
    super();
    Object.assign(this, { walk, engine, edit, speed });
    this.feet = [0, 1].map((side) => ({ side, x: walk.start_m[0], y: walk.start_m[1], force: 0, heading: 0 }));
    this.prints = [];
    this.path = [];
    this.keys = new Set();
    this.steps = 0;
    this.isWide = true;
    const { left, right, low, high } = this.bounds();
    this.view = { x: (left + right) / 2, y: (low + high) / 2, wide: right - left, tall: high - low };
    this.canvas = canvasOf(`Ground under ${walk.name}`, HELP);
    this.caption = `walk as ${walk.name}: click, draw a path, or use the arrow keys`;
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.drawing = [this.place(event)];
    });
    on("pointermove", (event) => {
      if (!this.drawing) return;
      const at = this.place(event);
      const last = this.drawing.at(-1);
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= PATH_M) this.drawing.push(at);
      this.isNew = true;
    });
    on("pointerup", () => {
      if (this.drawing) this.go(this.drawing);
      this.drawing = null;
    });
    on("pointercancel", () => (this.drawing = null));
    on("keydown", (event) => this.key(event, true));
    on("keyup", (event) => this.key(event, false));
    on("blur", () => {
      if (this.keys.size) this.stop();
      this.keys.clear();
    });
  }

  // What is worth seeing: the way that is written, else what of the grounds is not far away.
  bounds() {
    const { start_m, path_m, grounds } = this.walk;
    const ends = (axis, key) => {
      const way = [start_m, ...path_m].map((at) => at[axis]);
      const near = grounds.flatMap((ground) => ground[key]).filter((at) => at !== null && Math.abs(at - start_m[axis]) <= FAR_M);
      const all = path_m.length > 0 && axis === 0 ? way : [...way, ...near];
      return [Math.min(...all), Math.max(...all)];
    };
    let [[left, right], [low, high]] = [ends(0, "x_m"), ends(1, "y_m")];
    if (right - left < 8) [left, right] = [(left + right) / 2 - 4, (left + right) / 2 + 4];
    if (high - low < 3) [low, high] = [(low + high) / 2 - 1.5, (low + high) / 2 + 1.5];
    return { left: left - 0.4, right: right + 0.4, low: low - 0.4, high: high + 0.4 };
  }

  get scale() {
    return Math.min(this.canvas.clientWidth / this.view.wide, this.canvas.clientHeight / this.view.tall);
  }

  /** True while it is on a way that it was sent. */
  get isGoing() {
    return this.path.length > 0 || this.keys.size > 0 || !this.wasUsed;
  }

  /** Where it stands: between its feet. */
  get at() {
    const [left, right] = this.feet;
    return [(left.x + right.x) / 2, (left.y + right.y) / 2];
  }

  /** Goes along a path, and stops at its end. */
  async go(path) {
    await this.free();
    this.path = path.map((at) => [...at]);
    this.nearest = Infinity;
    this.engine.set(`${this.walk.name}/speed_m_s`, this.speed());
    this.steer();
  }

  /** Ends a written path, which would override where it is told to go, and a count of steps. */
  async free() {
    this.wasUsed = true;
    if (this.walk.path_m.length || this.walk.steps) await this.edit((text) => freed(text, this.walk.name, this.at));
  }

  /** The scene was edited: the walker as it is now. */
  adopt(walk) {
    this.walk = walk;
    this.isNew = true;
  }

  stop() {
    this.path = [];
    this.engine.set(`${this.walk.name}/speed_m_s`, 0);
    this.isNew = true;
  }

  key(event, isDown) {
    if (event.key === "Escape" && isDown) {
      this.stop();
      return;
    }
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (!ways[event.key]) return;
    event.preventDefault();
    if (event.repeat) return;
    this.keys[isDown ? "add" : "delete"](event.key);
    const way = [...this.keys].map((key) => ways[key]).reduce(([x, y], [dx, dy]) => [x + dx, y + dy], [0, 0]);
    if (way[0] === 0 && way[1] === 0) return this.stop();
    this.walkTowards(way);
  }

  async walkTowards([x, y]) {
    await this.free();
    this.path = [];
    this.head(Math.atan2(y, x));
    this.engine.set(`${this.walk.name}/speed_m_s`, this.speed());
  }

  head(angle) {
    // The nearest of all angles that mean the same: it turns the shorter way.
    const before = this.heading ?? 0;
    this.heading = before + Math.atan2(Math.sin(angle - before), Math.cos(angle - before));
    this.engine.set(`${this.walk.name}/heading_rad`, this.heading);
  }

  // Towards what of the path lies a step ahead. Somebody who cannot turn sharply enough would go round a place for ever: what is passed is passed.
  steer() {
    if (!this.path.length) return;
    const [x, y] = this.at;
    const far = ([px, py]) => Math.hypot(px - x, py - y);
    const all = this.path.map(far);
    this.path.splice(0, all.indexOf(Math.min(...all)));
    while (this.path.length > 1 && far(this.path[0]) < AHEAD_M) this.path.shift();
    const left = far(this.path.at(-1));
    this.nearest = Math.min(this.nearest, left);
    if (this.path.length === 1 && (left < STOP_M || (this.nearest < PASSED_M && left > this.nearest + 0.2))) return this.stop();
    const angle = Math.atan2(this.path[0][1] - y, this.path[0][0] - x);
    if (this.heading === undefined || Math.abs(Math.atan2(Math.sin(angle - this.heading), Math.cos(angle - this.heading))) > 0.03) this.head(angle);
  }

  /** Where the feet are, and what they press. */
  follow({ trace, traced }) {
    const column = 1 + traced.indexOf(`${this.walk.name}.heel_left.value`);
    if (column === 0 || !trace.length) return;
    const row = trace.length - 1 - traced.length + column;
    for (const foot of this.feet) {
      const force = trace[row + 2 * foot.side] + trace[row + 2 * foot.side + 1];
      const [x, y] = [trace[row + 6 + 2 * foot.side], trace[row + 7 + 2 * foot.side]];
      if (Math.hypot(x - foot.x, y - foot.y) > 0.02) {
        if (Math.hypot(x - foot.x, y - foot.y) > 0.3) foot.heading = Math.atan2(y - foot.y, x - foot.x); // a foot set beside the other points as before
        this.prints.push({ ...foot, x, y });
        this.prints = this.prints.slice(-MOST_PRINTS);
        this.steps += 1;
      }
      Object.assign(foot, { x, y, force });
    }
    // The picture goes along where the walker would leave it.
    const [x, y] = this.at;
    const half = [(0.42 * this.canvas.clientWidth) / this.scale, (0.4 * this.canvas.clientHeight) / this.scale];
    this.view.x = Math.min(x + half[0], Math.max(x - half[0], this.view.x));
    this.view.y = Math.min(y + half[1], Math.max(y - half[1], this.view.y));
    this.steer();
    this.isNew = true;
  }

  draw() {
    const { pen, w, h } = fit(this.canvas);
    pen.fillStyle = colour("--back");
    pen.fillRect(0, 0, w, h);
    for (const ground of this.walk.grounds) this.ground(pen, ground, w, h);
    const path = this.drawing ?? this.path;
    if (path.length) {
      pen.strokeStyle = colour("--accent");
      pen.lineWidth = 3;
      pen.setLineDash([8, 6]);
      pen.beginPath();
      for (const at of this.drawing ? path : [this.at, ...path]) pen.lineTo(...this.toPixels(...at));
      pen.stroke();
      pen.setLineDash([]);
      const [x, y] = this.toPixels(...path.at(-1));
      pen.beginPath();
      pen.arc(x, y, 6, 0, 7);
      pen.stroke();
    }
    this.prints.forEach((print, i) => this.foot(pen, print, 0.12 + (0.3 * (i + 1)) / this.prints.length, "#2b2118"));
    for (const foot of this.feet) this.foot(pen, foot, 0.25 + 0.75 * Math.min(1, foot.force), colour(foot.side ? "--accent" : "--second"));
    // Names stand above what lies on the ground.
    for (const { name, x_m, y_m } of this.walk.grounds) {
      const [left, top] = this.toPixels(x_m[0] ?? -1e6, y_m[1] ?? 1e6);
      const [right] = this.toPixels(x_m[1] ?? 1e6, 0);
      if (right > 30 && left < w - 30) label(pen, name, Math.max(8, left + 8), Math.max(18, top + 18));
    }
    if (!this.wasUsed && !this.path.length && this.steps === 0) {
      pen.textAlign = "center";
      label(pen, "click, draw a path, or use the arrow keys", w / 2, h - 14);
      pen.textAlign = "left";
    }
  }

  ground(pen, { name, x_m, y_m }, w, h) {
    const [left, top] = this.toPixels(x_m[0] ?? -1e6, y_m[1] ?? 1e6).map((at) => Math.max(-2, at));
    const [right, bottom] = this.toPixels(x_m[1] ?? 1e6, y_m[0] ?? -1e6);
    const [x1, y1] = [Math.min(w + 2, right), Math.min(h + 2, bottom)];
    if (x1 <= left || y1 <= top) return;
    const [, paint, kind] = lookOf(name);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, x1 - left, y1 - top);
    pen.clip();
    pen.fillStyle = paint;
    pen.fillRect(left, top, x1 - left, y1 - top);
    const { scale, view } = this;
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    const metres = (px, py) => [view.x + (px - wide / 2) / scale, view.y - (py - tall / 2) / scale];
    const [[west, north], [east, south]] = [metres(left, top), metres(x1, y1)];
    pen.lineWidth = 1;
    strew(pen, kind, [west, south, east, north], (...at) => this.toPixels(...at));
    pen.restore();
  }

  // A sole: heel and ball. Feet are drawn at least as large as can be seen.
  foot(pen, { x, y, heading, side }, alpha, ink) {
    const size = Math.max(16, this.walk.foot_m * this.scale * 1.4);
    const [px, py] = this.toPixels(x, y);
    pen.save();
    pen.translate(px, py);
    pen.rotate(-heading);
    pen.globalAlpha = alpha;
    pen.fillStyle = ink;
    pen.beginPath();
    pen.ellipse(0, 0, 0.22 * size, 0.17 * size, 0, 0, 7);
    pen.ellipse(0.62 * size, (side ? 0.05 : -0.05) * size, 0.4 * size, 0.22 * size, 0, 0, 7);
    pen.fill();
    pen.restore();
    pen.globalAlpha = 1;
  }
}

const HOP = 512;

/** The floors that a walker tells apart. */
export const floorsOf = ({ grounds }) => (grounds.length ? grounds.map(({ name }) => name) : ["floor"]);

/** Force, events and spectrogram over the same seconds. */
export class WalkStrip extends Picture {
  constructor(walk, engine) {
    super();
    Object.assign(this, { walk, engine });
    // Every floor has a lane of events: what hears a region of its ground. Without grounds there is one.
    this.floors = floorsOf(walk);
    this.largest = this.floors.map(() => 0);
    this.counts = this.floors.map(() => 0);
    this.spectrum = new Spectrum(1024);
    this.picture = document.createElement("canvas");
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Force under the feet of ${walk.name}, what the floors do, and the spectrum of what is heard, over ${SPAN_S} seconds`);
    this.caption = "force under left and right foot in body weights (BW; heel full, toe thin), events of the floors, spectrogram";
    this.isWide = true;
  }

  /** The scene was edited: who hears which ground now. */
  adopt(walk, info) {
    this.walk = walk;
    this.lane = new Map();
    info.processes.forEach(({ hears }, number) => {
      const [who, ...rest] = (hears ?? "").split(".");
      if (who !== walk.name) return;
      const floor = rest.length > 1 ? this.floors.indexOf(rest[0]) : 0;
      if (floor >= 0) this.lane.set(number, REGIONS.length + floor);
    });
  }

  follow({ tick, head, trace, traced, happened }) {
    this.strip ??= new Strip(this.engine.rate, REGIONS.length + this.floors.length);
    this.offset = tick - head; // from frames of the ring to ticks
    const column = 1 + traced.indexOf(`${this.walk.name}.heel_left.value`);
    for (let i = 0; column > 0 && i < trace.length; i += 1 + traced.length) {
      for (let k = 0; k < REGIONS.length; k += 1) this.strip.put(k, trace[i], trace[i + column + k]);
    }
    for (let i = 0; i < happened.length; i += HAPPENING) {
      const lane = this.lane.get(happened[i + 1]);
      if (lane === undefined || this.strip.put(lane, happened[i], happened[i + 2]) < 0) continue;
      const floor = lane - REGIONS.length;
      this.counts[floor] += 1;
      this.largest[floor] = Math.max(this.largest[floor], happened[i + 2]);
    }
    this.strip.place(tick);
    this.isNew = true;
  }

  draw() {
    const { pen, w, h } = fit(this.canvas);
    if (!this.strip) return;
    const [top, middle] = [0.36 * h, 0.54 * h];
    this.forces(pen, w, top);
    this.events(pen, w, top, middle);
    this.sound(pen, w, middle, h);
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.globalAlpha = 0.5;
    pen.beginPath();
    for (let second = 1; second < SPAN_S; second += 1) {
      pen.moveTo(w * (1 - second / SPAN_S), 0);
      pen.lineTo(w * (1 - second / SPAN_S), h);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  forces(pen, w, bottom) {
    const { lanes } = this.strip;
    const y = (force) => bottom - 4 - ((bottom - 22) * force) / 2.2;
    levelLine(pen, "1 BW", w, y(1));
    REGIONS.forEach((region, k) => {
      pen.strokeStyle = colour(k < 2 ? "--second" : "--accent");
      pen.lineWidth = region.startsWith("heel") ? 2.5 : 1.2;
      pen.beginPath();
      let before = 0;
      this.strip.each(lanes[k], (at, value, bins) => {
        if (!Number.isNaN(value)) before = value;
        pen.lineTo((w * (at + 1)) / bins, y(before));
      });
      pen.stroke();
    });
    pen.textAlign = "right";
    const now = REGIONS.map((_, k) => lanes[k][this.strip.last % lanes[k].length] || 0);
    label(pen, `left ${(now[0] + now[1]).toFixed(2)} BW, right ${(now[2] + now[3]).toFixed(2)} BW`, w - 8, 15);
    pen.textAlign = "left";
  }

  events(pen, w, top, bottom) {
    this.floors.forEach((name, i) => {
      pen.fillStyle = name === "floor" ? colour("--third") : lookOf(name)[1];
      this.strip.each(this.strip.lanes[REGIONS.length + i], (at, size, bins) => {
        if (!(size > 0)) return;
        const part = Math.max(0.08, 1 + Math.log10(size / this.largest[i]) / 3);
        pen.fillRect((w * at) / bins, bottom - (bottom - top - 6) * part, Math.max(1.5, (0.9 * w) / bins), (bottom - top - 6) * part);
      });
    });
  }

  // One column of the picture for each hop of the ring, so that sound stands under the force that made it.
  sound(pen, w, top, bottom) {
    const { ring, rate } = this.engine;
    const columns = Math.ceil((SPAN_S * rate) / HOP) + 2;
    const tall = 96;
    const paint = this.picture.getContext("2d");
    if (this.picture.width !== columns || this.done > ring.head()) {
      Object.assign(this.picture, { width: columns, height: tall });
      this.done = Math.max(0, Math.floor(ring.head() / HOP) - columns) * HOP;
    }
    this.done = Math.max(this.done, (Math.floor(ring.head() / HOP) - columns) * HOP);
    for (; this.done + HOP <= ring.head(); this.done += HOP) {
      const power = this.spectrum.of(ring.column(0, 1024, this.done + HOP));
      const image = paint.createImageData(1, tall);
      for (let y = 0; y < tall; y += 1) {
        const hz = 60 * (rate / 2 / 60) ** (1 - y / tall);
        const level = 10 * Math.log10(power[Math.min(511, Math.max(1, Math.round((hz / rate) * 1024)))] + 1e-12);
        image.data.set([...heat((level + 95) / 85), 255], 4 * y);
      }
      paint.putImageData(image, (this.done / HOP) % columns, 0);
    }
    // The newest hop ends where the newest force stands.
    const now = (this.strip.last + 1) * this.strip.ticks - (this.offset ?? 0);
    const first = Math.floor(now / HOP) - columns + 2;
    pen.fillStyle = "#000004";
    pen.fillRect(0, top, w, bottom - top);
    const wide = (w * HOP) / (SPAN_S * rate);
    const x = (column) => w - ((now - column * HOP) * w) / (SPAN_S * rate);
    const split = Math.ceil(first / columns) * columns;
    for (const [from, to] of [[first, Math.min(split, first + columns - 1)], [split, first + columns - 1]]) {
      if (to > from) pen.drawImage(this.picture, ((from % columns) + columns) % columns, 0, to - from, tall, x(from), top, (to - from) * wide, bottom - top);
    }
  }
}

/** Two feet to press with fingers or keys: a walker whose forces come from outside. */
export class FeetSurface {
  constructor(walk, engine, time) {
    Object.assign(this, { walk, engine, time });
    this.level = 1;
    this.fingers = new Map();
    this.forces = [0, 0, 0, 0];
    this.isWide = true;
    const help = "Press heels and toes; the longer, the further a foot rolls. Left and right arrow keys put a foot down as long as they are held, up and down arrows make it heavier or lighter.";
    this.canvas = canvasOf(`Feet of ${walk.name}`, help);
    this.caption = `press the feet of ${walk.name}: heels and toes, or the left and right arrow keys`;
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, this.region(event));
      this.press(this.region(event), event.pointerType === "pen" ? 2 * event.pressure : this.level);
    });
    on("pointermove", (event) => {
      const before = this.fingers.get(event.pointerId);
      if (before === undefined || before === this.region(event)) return;
      this.fingers.set(event.pointerId, this.region(event));
      this.press(before, 0);
      this.press(this.region(event), this.level);
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
      on(type, (event) => {
        const region = this.fingers.get(event.pointerId);
        if (region !== undefined) this.press(region, 0);
        this.fingers.delete(event.pointerId);
      });
    }
    on("keydown", (event) => this.key(event, true));
    on("keyup", (event) => this.key(event, false));
    on("blur", () => REGIONS.forEach((_, region) => this.forces[region] && this.press(region, 0)));
  }

  /** Which of the four regions: left foot on the left, toes above. */
  region(event) {
    const box = this.canvas.getBoundingClientRect();
    const side = event.clientX - box.left < box.width / 2 ? 0 : 1;
    return 2 * side + (event.clientY - box.top < 0.55 * box.height ? 1 : 0);
  }

  key(event, isDown) {
    const sides = { ArrowLeft: 0, ArrowRight: 1 };
    const steps = { ArrowUp: 0.1, ArrowDown: -0.1 };
    if (event.key in steps) {
      if (isDown) this.level = Math.min(3, Math.max(0.1, this.level + steps[event.key]));
      this.draw();
    } else if (event.key in sides) {
      if (!event.repeat) this.tread(sides[event.key], isDown);
    } else return;
    event.preventDefault();
  }

  // A foot comes down with its heel and rolls onto its toes; lifted, it pushes off with them.
  tread(side, isDown) {
    clearTimeout(this[`roll${side}`]);
    if (!isDown) return [0, 1].forEach((part) => this.press(2 * side + part, 0));
    this.press(2 * side, this.level);
    this[`roll${side}`] = setTimeout(() => {
      this.press(2 * side, 0.2 * this.level, 0.2);
      this.press(2 * side + 1, 0.8 * this.level, 0.2);
    }, 150);
  }

  press(region, force, glide_s = Math.min(0.05, this.time())) {
    this.wasUsed = true;
    this.forces[region] = force;
    this.engine.send({ set: `${this.walk.name}/${REGIONS[region]}`, value: force, glide_s });
    this.draw();
  }

  light() {}

  draw() {
    const { pen, w, h } = fit(this.canvas);
    const size = Math.min(h, w / 1.6);
    pen.textAlign = "center";
    REGIONS.forEach((region, k) => {
      const [side, toe] = [Math.floor(k / 2), k % 2];
      const [x, y] = [w / 2 + (side ? 0.24 : -0.24) * size, h / 2 + (toe ? -0.16 : 0.27) * size];
      pen.fillStyle = colour(side ? "--accent" : "--second");
      pen.globalAlpha = 0.18 + 0.82 * Math.min(1, this.forces[k] / 1.5);
      pen.beginPath();
      pen.ellipse(x + (side ? 0.02 : -0.02) * toe * size, y, (toe ? 0.17 : 0.13) * size, (toe ? 0.25 : 0.15) * size, 0, 0, 7);
      pen.fill();
      pen.globalAlpha = 1;
      label(pen, toe ? "toe" : "heel", x, y - 4);
      label(pen, `${this.forces[k].toFixed(1)} BW`, x, y + 12);
    });
    if (!this.wasUsed) label(pen, "press heels and toes", w / 2, 16);
    label(pen, `keys: ${this.level.toFixed(1)} BW`, w / 2, h - 6);
    pen.textAlign = "left";
  }
}
