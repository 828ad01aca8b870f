// SPDX-License-Identifier: MIT OR Apache-2.0
// How bodies move, for the eye. What swings slower than the eye is drawn as it is. What sounds is drawn as each mode was when it was struck,
// played on slower, as large as it is now and magnified: both factors are told.
import { FLAT, LONG, placeOf, RIMMED } from "./layout.js";
import { shapesOver as shapesOfSolid } from "./solid.js";

/** Below, motion is seen as it is, Hz. */
const SEEN_HZ = 18;
/** The lowest mode that sounds swings about as often as this, Hz. */
const SHOWN_HZ = 1.1;
/** Largest deflection as a part of the picture's height. */
const REACH = 0.05;
/** Seconds over which the magnification keeps what was largest. */
const KEEPS_S = 2.5;
/** Points along a long thing, along each side of a flat one, and round a rim. */
export const ALONG = 33;
export const GRID = 21;
export const RIM = 40;
/** A mode that is explained is drawn as if it moved so far at least, m. */
const STILL_M = 1e-12;
/** Of what is largest, what is left out. */
const SMALL = 1e-4;

/** The step of 1, 2, 5 below a number. */
export function step125(x) {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * (x / ten >= 5 ? 5 : x / ten >= 2 ? 2 : 1);
}

/** Places of a body where its modes are asked for, as fractions along and across its drawing. */
function pointsOf({ drawing }) {
  if (LONG.has(drawing)) return Array.from({ length: ALONG }, (_, i) => [i / (ALONG - 1), 0.5]);
  if (FLAT.has(drawing) || drawing === "box" || drawing === "block") return Array.from({ length: GRID * GRID }, (_, i) => [(i % GRID) / (GRID - 1), Math.floor(i / GRID) / (GRID - 1)]);
  return null;
}

/** Values of the modes' shapes over a drawing, modes innermost; null where only the ports are known. */
function shapesOver(actor, names, count) {
  const { body, number, drawing } = actor;
  if (body.type === "vessel") {
    const values = new Float64Array(RIM * count);
    for (let i = 0; i < RIM; i += 1) {
      for (let m = 3; m < count; m += 1) {
        const n = 2 + ((m - 3) >> 1);
        const angle = (2 * Math.PI * n * i) / RIM;
        values[i * count + m] = (Math.SQRT2 * ((m - 3) % 2 ? Math.sin(angle) : Math.cos(angle))) / Math.sqrt(1 + 1 / (n * n));
      }
    }
    return values;
  }
  if (body.type === "string") {
    const values = new Float64Array(ALONG * count);
    for (let i = 0; i < ALONG; i += 1) for (let m = 0; m < count; m += 1) values[i * count + m] = Math.sin((Math.PI * (m + 1) * i) / (ALONG - 1));
    return values;
  }
  if (drawing === "solid") return shapesOfSolid(actor, names, count);
  if (body.type !== "shape" || !body.anywhere) return null;
  const axes = body.ports[0]?.place?.length ?? 1;
  const places = RIMMED.has(drawing) || drawing === "ball"
    ? Array.from({ length: RIM }, (_, i) => [1, ...(axes === 3 ? [0.5] : []), i / RIM].slice(0, axes))
    : (pointsOf(actor) ?? []).map((point) => placeOf(actor, point).slice(0, axes));
  if (!places.length || places.some((place) => place.length !== axes)) return null;
  // The rim of a skin is no place to touch: what is drawn there is that beside it.
  for (const edge of [0, 0.004]) {
    try {
      return names.shapes(number, axes, places.flat().map((part) => Math.min(1 - edge, Math.max(edge, part))));
    } catch {
      // Once more, or it morphs: then its ports are known.
    }
  }
  return null;
}

/** One body in motion. */
class Moving {
  constructor(actor, names) {
    Object.assign(this, { actor, names });
    this.count = -1;
    this.positions = [0];
    /** Displacement of the body as a whole, m, as it is. */
    this.shift = 0;
    this.reach = 0;
  }

  begin(count) {
    this.count = count;
    [this.amplitude, this.turn, this.omega, this.before] = Array.from({ length: 4 }, () => new Float64Array(count));
    this.ports = count ? this.names.portShapes(this.actor.number) : new Float64Array();
    this.over = undefined;
    this.field = null;
    this.strongest = -1;
  }

  /** Shapes over the drawing: solved when they are first wanted, since that takes a while. */
  get shapes() {
    if (this.over === undefined) {
      this.over = this.count ? shapesOver(this.actor, this.names, this.count) : null;
      const values = this.over ?? this.ports;
      this.points = this.count ? values.length / this.count : 0;
      this.field = new Float64Array(this.points);
      this.largest = new Float64Array(this.count);
      values.forEach((value, i) => (this.largest[i % this.count] = Math.max(this.largest[i % this.count], Math.abs(value))));
      this.nodes = new Map();
    }
    return this.over ?? this.ports;
  }

  /** Numbers of the engine from an index on; the next index. */
  take(numbers, at) {
    const ports = numbers[at];
    this.positions = Array.from(numbers.subarray(at + 1, at + 1 + ports));
    let from = at + 2 + ports;
    const count = numbers[at + 1 + ports];
    if (count !== this.count) this.begin(count);
    this.shift = 0;
    let strongest = [-1, 0];
    for (let m = 0; m < count; m += 1, from += 3) {
      const [q, v, omega] = [numbers[from], numbers[from + 1], numbers[from + 2]];
      this.omega[m] = omega;
      const isSeen = omega < 2 * Math.PI * SEEN_HZ;
      if (isSeen) this.shift += q * (this.ports[m] ?? 1);
      const amplitude = isSeen ? 0 : Math.hypot(q, v / omega);
      // Something has set it going anew: from here on it is played on slower.
      if (amplitude > 1.3 * this.amplitude[m]) this.turn[m] = Math.atan2(-v / omega, q);
      this.amplitude[m] = amplitude;
      const speed = amplitude * omega;
      if (speed > strongest[1]) strongest = [m, speed];
    }
    [this.strongest] = strongest;
    return from;
  }

  /** Displacement over the drawing, m: of all modes, of one (though it be still), or of none (-2). */
  draw(only, isCalm) {
    this.reach = 0;
    if (only === -2) return void this.field?.fill(0);
    if (!this.count && this.positions.length > 1) {
      // Only its ports are known, and they are told as they are.
      this.field = Float64Array.from(this.positions);
      this.reach = this.field.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      return;
    }
    const { shapes, count, field, amplitude, turn } = this;
    if (!count || !field.length) return;
    field.fill(0);
    let most = 0;
    for (let m = 0; m < count; m += 1) most = Math.max(most, amplitude[m] * this.largest[m]);
    for (let m = 0; m < count; m += 1) {
      if (only >= 0 && m !== only) continue;
      const large = only >= 0 ? Math.max(amplitude[m], STILL_M) : amplitude[m];
      if (large * this.largest[m] <= SMALL * most && only < 0) continue;
      const now = large * Math.cos(isCalm ? 0 : turn[m]);
      this.reach += large * this.largest[m];
      for (let i = 0, k = m; i < field.length; i += 1, k += count) field[i] += now * shapes[k];
    }
  }

  /** Lines along which a mode of a flat thing rests, as pieces x0, y0, x1, y1 of the drawing: what sand would show. */
  chladni(mode) {
    const { shapes } = this;
    if (!this.over || this.points !== GRID * GRID) return null;
    if (!this.nodes.has(mode)) this.nodes.set(mode, contour((i) => shapes[i * this.count + mode]));
    return this.nodes.get(mode);
  }
}

/** Zero lines of a function on the grid, by its squares. */
export function contour(value) {
  const pieces = [];
  const step = 1 / (GRID - 1);
  for (let y = 0; y < GRID - 1; y += 1) {
    for (let x = 0; x < GRID - 1; x += 1) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([dx, dy]) => [x + dx, y + dy, value((y + dy) * GRID + x + dx)]);
      const crossings = [];
      corners.forEach(([ax, ay, a], i) => {
        const [bx, by, b] = corners[(i + 1) % 4];
        if (a > 0 === b > 0) return;
        const part = a / (a - b);
        crossings.push([(ax + part * (bx - ax)) * step, (ay + part * (by - ay)) * step]);
      });
      for (let i = 0; i + 1 < crossings.length; i += 2) pieces.push([...crossings[i], ...crossings[i + 1]]);
    }
  }
  return pieces;
}

/** All bodies of a stage in motion. */
export class Motion {
  /** `height` of the picture, m. */
  constructor({ actors, box }, names, bodies) {
    this.height = box[3] - box[1];
    this.bodies = Array.from({ length: bodies }, () => null);
    for (const actor of actors) this.bodies[actor.number] = actor.motion = new Moving(actor, names);
    this.largest = 0;
    this.factor = 1;
    this.slow = 1;
    this.lit = null;
    /** Where bodies stand that are not drawn, m. */
    this.hidden = [];
  }

  /** What the engine tells of all bodies; ignored if it is of another scene. */
  take(numbers) {
    let at = 0;
    for (const [number, body] of this.bodies.entries()) {
      if (at + 1 >= numbers.length) return;
      if (body) at = body.take(numbers, at);
      else {
        this.hidden[number] = numbers[at + 1];
        at += 2 + numbers[at] + 3 * numbers[at + 1 + numbers[at]];
      }
    }
  }

  /** So many seconds later; says whether anything moves. */
  advance(seconds, isCalm) {
    let [most, lowest] = [0, Infinity];
    const moving = this.bodies.filter((body) => body && (body.count > 0 || body.positions.length > 1));
    for (const body of moving) {
      body.draw(!this.lit ? -1 : this.lit.body === body.actor.number ? this.lit.mode : -2, isCalm);
      most = Math.max(most, body.reach);
    }
    for (const body of moving) {
      if (body.reach < 1e-3 * most) continue;
      for (let m = 0; m < body.count; m += 1) {
        if (this.lit && m !== this.lit.mode) continue;
        const isHeard = this.lit || body.amplitude[m] * body.largest[m] > 0.05 * most;
        if (isHeard && body.omega[m] < lowest) lowest = body.omega[m];
      }
    }
    this.largest = Math.max(most, this.largest * Math.exp(-seconds / KEEPS_S));
    const wanted = step125((REACH * this.height) / this.largest);
    // A little slack, or it would go to and fro between two steps.
    if (this.largest > 1e-14 && (this.lit || wanted > 2.1 * this.factor || wanted < this.factor)) this.factor = wanted;
    if (Number.isFinite(lowest)) this.slow = Math.max(1, step125((lowest / (2 * Math.PI * SHOWN_HZ)) * 1.5));
    if (!isCalm) {
      for (const body of moving) {
        for (let m = 0; m < body.count; m += 1) body.turn[m] = (body.turn[m] + (seconds * body.omega[m]) / this.slow) % (2 * Math.PI);
      }
    }
    return most * this.factor > 2e-4 * this.height;
  }

  /** The factors in words. */
  get words() {
    const number = (x) => (x >= 1e6 ? `${x / 1e6} million` : x >= 1 ? String(x).replace(/\B(?=(\d{3})+$)/g, "\u202f") : `1/${1 / x}`);
    if (this.lit && this.largest <= 10 * STILL_M) return "as it would move";
    const far = this.factor === 1 ? "as far as it moves" : `moved ${number(this.factor)} times as far`;
    return this.slow === 1 ? far : `${far}, ${number(this.slow)} times slower`;
  }
}
