// SPDX-License-Identifier: MIT OR Apache-2.0
// The stage: one picture of the whole scene. Everything stands where it belongs, moves as it moves, and is played where it is touched.
import { colour, fit, isCalm, isDue, label } from "./canvas.js";
import { DRAWINGS, sheen, threads } from "./drawings.js";
import { sheenOf } from "./materials.js";
import { FLAT, layOut, LONG, placeOf, pointOf, RIMMED, spotAt } from "./layout.js";
import { ALONG, GRID, Motion } from "./motion.js";
import { Hands } from "./hands.js";
import { canvasOf } from "./surfaces.js";
import { si } from "./views.js";

const MARGIN = 26;
/** An arrow keeps this part of its length from one picture to the next. */
const FADES = 0.86;
const HELP = "Strike a thing where you touch it; drag a bow, a finger or a hanging ball; hold to damp. Arrow keys go from thing to thing, Enter strikes, Space holds what rubs, pulls what hangs and damps what it strikes, Alt with arrows moves the point or the bow.";

/** A place on an actor as the engine takes it, and the point of its drawing. */
export const figureFor = (actor) => ({
  place: (point) => placeOf(actor, point),
  point: (place, i = 0) => (place?.length ? pointOf(actor, place) : (actor.spots?.[i] ?? [0.5, 0.5])),
});

/** To and fro within a reach, as far as something has gone. */
export function fold(gone, reach) {
  const at = ((((gone + reach) % (4 * reach)) + 4 * reach) % (4 * reach)) - 2 * reach;
  return reach - Math.abs(at);
}

/** `strikers` by body, `rubs` by hand; `how.press()` is how hard a hand presses that has no sensor, 0 to 1. */
export class Stage {
  /** The stage of a scene; null where there is nothing to see. */
  static of(info, engine, how) {
    const layout = layOut(info);
    return layout ? new Stage(layout, info, engine, how) : null;
  }

  constructor(layout, info, engine, how) {
    Object.assign(this, { layout, info, engine, how });
    this.actors = layout.actors;
    this.motion = new Motion(layout, engine.names, info.bodies.length);
    this.arrows = layout.contacts.map(() => ({ force: 0, told: 0, slid: 0 }));
    this.lifted = new Set();
    this.lights = new Map();
    for (const actor of this.actors) {
      const { body } = actor;
      actor.sheen = sheenOf(body, body.words) ?? [colour("--body"), colour("--body-light")];
      actor.glow = 0;
      actor.moved = [0, 0];
    }
    this.canvas = canvasOf(`Stage: ${this.actors.map(({ name }) => name).join(", ")}`, HELP);
    this.canvas.removeAttribute("title");
    this.spoken = document.createElement("p");
    this.spoken.className = "spoken";
    this.spoken.setAttribute("aria-live", "polite");
    this.hands = new Hands(this);
    this.selected = this.actors.find(({ name }) => how.rubs.has(name)) ?? this.actors.find(({ name }) => how.strikers.has(name)) ?? this.actors[0];
    this.isNew = true;
  }

  get caption() {
    return "";
  }

  /** Metres to pixels. */
  aim() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const [x0, y0, x1, y1] = this.layout.box;
    const scale = Math.min((w - 2 * MARGIN) / (x1 - x0 || 1), (h - 2 * MARGIN - 18) / (y1 - y0 || 1));
    const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.view = { w, h, scale, to: ([x, y]) => [w / 2 + (x - cx) * scale, (h - 14) / 2 - (y - cy) * scale], from: (px, py) => [cx + (px - w / 2) / scale, cy - (py - (h - 14) / 2) / scale] };
    return this.view;
  }

  /** Pixels of the canvas of a point of an actor as it stands now. */
  pixel(actor, [s, t]) {
    const [x, y] = this.view.to(spotAt(actor, [s, t]));
    return [x + actor.moved[0], y + actor.moved[1]];
  }

  /** Point of an actor that a pixel lies on, as fractions; may lie outside. */
  pointAt(actor, px, py) {
    const [x, y] = this.view.from(px - actor.moved[0], py - actor.moved[1]);
    const { at: [ax, ay], size: [w, h] } = actor;
    const [u, v] = [(x - ax) / w + 0.5, 0.5 - (y - ay) / h];
    return LONG.has(actor.drawing) && h > w ? [1 - v, u] : [u, v];
  }

  /** Client coordinates of a point of a body, for whoever points there. */
  client(name, point = [0.5, 0.5]) {
    this.aim();
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.pixel(this.layout.byName.get(name), point);
    return [box.left + x, box.top + y];
  }

  /** What lies at a pixel, those in front first; within `near` pixels what is nearest. */
  find(px, py, wanted, near = 22) {
    let best = null;
    for (let i = this.actors.length - 1; i >= 0; i -= 1) {
      const actor = this.actors[i];
      if (!wanted(actor)) continue;
      const [s, t] = this.pointAt(actor, px, py);
      const isUpright = LONG.has(actor.drawing) && actor.size[1] > actor.size[0];
      const [w, h] = (isUpright ? [actor.size[1], actor.size[0]] : actor.size).map((long) => long * this.view.scale);
      const away = Math.hypot(Math.max(0, -s, s - 1) * w, Math.max(0, -t, t - 1) * h);
      if (away <= (best?.away ?? near) && !(best && away === best.away)) best = { actor, point: [s, t], away };
      if (best?.away === 0) break;
    }
    return best;
  }

  /** Says and shows which body is meant. */
  select(actor) {
    this.selected = actor;
    this.isNew = true;
    const { rubs, strikers } = this.how;
    const does = rubs.has(actor.name) ? "Space rubs" : actor.look.hangs_m ? `Space pulls${strikers.has(actor.name) ? ", Enter strikes" : ""}` : strikers.has(actor.name) ? "Enter strikes, Space damps as well" : actor.on ? `strikes ${actor.on.name}` : "";
    const { modes } = actor.body;
    this.spoken.textContent = `${actor.name}, a ${actor.drawing}${modes.length ? ` of ${modes.length} modes` : ""}, ${this.actors.indexOf(actor) + 1} of ${this.actors.length}${does ? `: ${does}` : ""}`;
  }

  /** One mode alone is to be seen; null: all. */
  light(mode) {
    if (mode?.body !== this.motion.lit?.body || mode?.mode !== this.motion.lit?.mode) this.motion.largest = 0;
    this.motion.lit = mode;
    this.isNew = true;
  }

  /** Bodies and contacts by name that something is said about. */
  point(names) {
    this.pointed = new Set(names);
    this.isNew = true;
  }

  /** What the engine tells. */
  follow({ motions, grips, energies }) {
    if (!motions) return;
    this.motion.take(motions);
    this.layout.contacts.forEach((contact, i) => {
      const [force, slid] = [grips[2 * contact.number] ?? 0, grips[2 * contact.number + 1] ?? 0];
      const arrow = this.arrows[i];
      if (Math.abs(force) > 0) arrow.slid += 0.3 * (slid - arrow.slid);
      arrow.told = force;
      if (Math.abs(force) > Math.abs(arrow.force)) arrow.force = force;
    });
    for (const actor of this.actors) {
      const energy = energies[actor.number];
      actor.glow = energy > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(energy) / 9)) : 0;
    }
  }

  /** A picture, if anything of it is new. `now` in ms. */
  frame(now) {
    const seconds = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    const calm = isCalm();
    const isMoving = this.motion.advance(seconds, calm);
    const isPushed = this.arrows.some(({ force }) => Math.abs(force) > 1e-4);
    const isMarked = [...this.how.strikers.values()].some(({ marks }) => marks.length);
    const stand = this.actors.map(({ motion: { shift, positions } }) => (shift + positions[0]).toPrecision(4)).join();
    const isElsewhere = stand !== this.stood;
    this.stood = stand;
    if (!(isMoving || isPushed || isMarked || isElsewhere || this.isNew || this.hands.fingers.size)) return false;
    if (!this.isNew && !isDue(now - (this.drawn ?? 0))) return false;
    this.drawn = now;
    this.isNew = false;
    this.draw();
    // What was short fades, by the clock and not by the picture; what lasts stays as it is.
    const fades = FADES ** (60 * Math.min(1, (now - (this.faded ?? now)) / 1000));
    this.faded = now;
    for (const arrow of this.arrows) {
      arrow.force *= fades;
      if (Math.abs(arrow.force) < Math.max(1e-4, Math.abs(arrow.told))) arrow.force = arrow.told;
    }
    return true;
  }

  // Where an actor stands now, in pixels from where it is laid.
  pose(actor) {
    const { view: { scale }, motion } = this;
    const { motion: own, look } = actor;
    actor.moved = [0, 0];
    actor.rolled = undefined;
    actor.magnified = motion.factor * scale;
    if (look.hangs_m) {
      const x = Math.max(-0.95, Math.min(0.95, own.shift / look.hangs_m)) * look.hangs_m;
      actor.moved = [x * scale, -(look.hangs_m - Math.sqrt(look.hangs_m ** 2 - x * x)) * scale];
    } else if (!actor.isTool && own.shift) actor.moved = actor.look.moves === "right" ? [own.shift * scale, 0] : [0, -own.shift * scale];
    if (!actor.isTool && !own.over && own.count > 0 && !LONG.has(actor.drawing) && !FLAT.has(actor.drawing) && actor.drawing !== "net") {
      // Known at its ports only: all of it moves as the first.
      actor.moved[1] -= (own.field?.[0] ?? 0) * actor.magnified;
    }
    const way = look.rides ? this.placeOf(look.rides) : 0;
    if (look.rides) actor.rolled = way / (actor.size[0] / 2);
    if (!actor.isTool) return;
    const gone = own.positions[0] ?? 0;
    if (actor.body.type === "mass" && actor.on) {
      const isFirst = actor.contact.ends[0].body === actor.name;
      const gap = Math.max(0, isFirst ? -gone : gone);
      const reach = actor.waits || 0.05;
      const shown = isCalm() && !look.rides ? reach : reach * (1 - Math.exp(-gap / reach));
      actor.moved = [actor.aside ? -actor.aside * scale * Math.exp(-gap / 0.01) : 0, -shown * scale];
      const to = this.how.strikers.get(actor.on.name)?.struckAt?.get(actor.name);
      if (to) {
        const [[hx, hy], [tx, ty]] = [this.view.to(actor.contactAt), this.pixel(actor.on, to)];
        actor.moved = [actor.moved[0] + tx - hx, actor.moved[1] + ty - hy];
      }
    } else if (actor.body.type === "guided") this.lead(actor, gone, scale);
    if (!look.rides) return;
    // Over all of what it rolls on, wherever that is touched; at the end of its way it comes in again at the other side.
    const reach = 0.42 * (actor.on?.size[0] ?? 0.4);
    const middle = (actor.on?.at[0] ?? actor.at[0]) - actor.at[0];
    actor.moved[0] += (middle + ((((way / (2 * reach)) % 1) + 1) % 1) * 2 * reach - reach) * scale;
  }

  /** How far a body has gone, drawn or not, m. */
  placeOf(name) {
    const number = this.info.bodies.findIndex((body) => body.name === name);
    return this.motion.bodies[number]?.positions[0] ?? this.motion.hidden[number] ?? 0;
  }

  // What a hand leads: to and fro, or round a rim.
  lead(actor, gone, scale) {
    const target = actor.on;
    const isUp = this.how.isLifted(actor.name);
    const lift = isUp ? 0.018 * scale + 6 : 0;
    if (actor.moves === "round" && target?.rim) {
      const { cx, cy, rx, ry } = target.rim;
      const turn = gone / (target.size[0] / 2) + Math.PI / 3;
      const [hx, hy] = this.view.to([actor.at[0], actor.at[1] - actor.size[1] / 2]);
      actor.moved = [cx + rx * Math.cos(turn) - hx, cy + ry * Math.sin(turn) - hy - lift];
      return;
    }
    if (actor.drawing === "hinge") {
      actor.rolled = 40 * gone;
      return;
    }
    const reach = actor.drawing === "bow" ? 0.3 * actor.size[0] : 0.4 * (target && !LONG.has(target.drawing) ? target.size[0] : 0.3);
    if (actor.slid !== undefined) {
      const [[hx, hy], [tx, ty]] = [this.view.to(actor.contactAt), this.pixel(target, [actor.slid, 0.5])];
      actor.along = [tx - hx, ty - hy];
    }
    const along = fold(gone, reach) * scale;
    const by = { right: [along, 0], left: [-along, 0], up: [0, -along], down: [0, along] }[actor.moves] ?? [along, 0];
    actor.moved = [by[0] + (actor.along?.[0] ?? 0), by[1] + (actor.along?.[1] ?? 0) - lift];
  }

  /** Another scene text with the same things on the stage: everything stays where it is. */
  renew(info, how) {
    Object.assign(this, { info, how });
    for (const actor of this.actors) actor.body = info.bodies[actor.number];
    const { lit } = this.motion;
    this.motion = Object.assign(new Motion(this.layout, this.engine.names, info.bodies.length), { lit });
    this.isNew = true;
  }

  /** What must be alike for two scenes to have one stage. */
  static form(info) {
    return JSON.stringify([info.bodies.map(({ name, type, shape, file, material, look, ports, anywhere }) => [name, type, shape, file, material, look, ports, anywhere]), info.contacts]);
  }

  draw() {
    if (!this.canvas.isConnected || !this.canvas.clientWidth) return;
    const { pen } = fit(this.canvas);
    this.aim();
    this.taken = [];
    pen.lineJoin = "round";
    for (const actor of this.actors) this.pose(actor);
    for (const actor of this.actors) this.put(pen, actor);
    this.loudest = this.arrows.reduce((most, { force }, i) => (this.layout.contacts[i].type !== "friction" && Math.abs(force) > Math.abs(this.arrows[most]?.force ?? 0) ? i : most), -1);
    this.layout.contacts.forEach((contact, i) => this.arrow(pen, contact, this.arrows[i], i === this.loudest));
    this.marks(pen);
    this.words(pen);
  }

  put(pen, actor) {
    const { view: { scale } } = this;
    const at = (s, t) => this.pixel(actor, [s, t]);
    const [[x0, y0], [x1, y1]] = [at(0, 0), at(1, 1)];
    const paint = sheen(pen, [x0, y0], [x1, y1], actor.sheen);
    const { look: { hangs_m: hangs } } = actor;
    if (hangs) threads(pen, at(0.5, 0.5), this.view.to([actor.at[0], actor.at[1] + hangs]), actor.size[0] * scale);
    const isPointed = this.pointed?.has(actor.name) || this.motion.lit?.body === actor.number;
    if (isPointed || (!actor.isTool && actor.glow > 0.35) || (actor === this.selected && this.canvas.matches(":focus-visible"))) this.halo(pen, x0, y0, x1, y1, isPointed ? 1 : actor.isTool ? 0 : actor.glow, actor === this.selected);
    const drawn = { ...actor, at, paint, bend: (s) => this.bend(actor, s), surface: (to) => this.surface(to, actor, [x0, y0, x1, y1]), magnified: actor.magnified, scale };
    if (actor.drawing === "door") drawn.hinged = this.actors.some(({ on, touches, drawing }) => on === actor && drawing === "hinge" && touches?.[0] > 0.5) || (actor.look.place_m ?? actor.at)[0] > 0 ? "right" : "left";
    DRAWINGS[actor.drawing]?.(pen, drawn);
    [actor.rim, actor.faces] = [drawn.rim, drawn.faces];
    if (actor === this.selected && actor.spots?.length > 1 && !actor.isTool) this.ports(pen, actor, at);
  }

  halo(pen, x0, y0, x1, y1, level, isSelected) {
    const [cx, cy, rx, ry] = [(x0 + x1) / 2, (y0 + y1) / 2, Math.abs(x1 - x0) / 2 + 26, Math.abs(y1 - y0) / 2 + 26];
    pen.save();
    pen.translate(cx, cy);
    pen.scale(rx, ry);
    const glow = pen.createRadialGradient(0, 0, 0.3, 0, 0, 1);
    glow.addColorStop(0, colour("--accent"));
    glow.addColorStop(1, "transparent");
    pen.globalAlpha = 0.35 * level ** 2;
    pen.fillStyle = glow;
    pen.beginPath();
    pen.arc(0, 0, 1, 0, 7);
    pen.fill();
    pen.restore();
    if (!isSelected || !this.canvas.matches(":focus-visible")) return;
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.roundRect(Math.min(x0, x1) - 6, Math.min(y0, y1) - 6, Math.abs(x1 - x0) + 12, Math.abs(y1 - y0) + 12, 8);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Pixels by which a long thing is bent at a place along it. */
  bend(actor, s) {
    const { over, field, points } = actor.motion;
    if (!field?.length) return 0;
    if (over && points === ALONG) {
      const at = s * (ALONG - 1);
      const k = Math.min(ALONG - 2, Math.floor(at));
      return (field[k] + (at - k) * (field[k + 1] - field[k])) * actor.magnified;
    }
    // Known at its ports only: it yields there, and less the farther away.
    let [sum, weight] = [0, 0];
    actor.spots.forEach(([u], i) => {
      const near = Math.exp(-(((s - u) / 0.28) ** 2));
      sum += near * near * (field[i] ?? 0);
      weight += near;
    });
    return weight > 0 ? (sum / weight) * actor.magnified : 0;
  }

  // Up and down of a flat thing in two colours, and the lines where sand would stay.
  surface(pen, actor, [x0, y0, x1, y1]) {
    const { over, field, points, strongest, reach } = actor.motion;
    if (!field?.length || reach === 0) return;
    const [w, h] = [x1 - x0, y1 - y0];
    const isShown = reach * actor.magnified > 0.6;
    if (!over || points !== GRID * GRID) {
      if (!isShown) return;
      actor.spots.forEach((spot, i) => {
        const [x, y] = this.pixel(actor, spot);
        const r = Math.min(26, Math.abs(field[i] ?? 0) * actor.magnified);
        pen.beginPath();
        pen.arc(x, y, 2 + r, 0, 7);
        pen.fillStyle = colour(field[i] > 0 ? "--accent" : "--second");
        pen.globalAlpha = 0.5;
        pen.fill();
        pen.globalAlpha = 1;
      });
      return;
    }
    pen.save();
    pen.beginPath();
    if (actor.drawing === "disc" || actor.drawing === "drum") pen.ellipse((x0 + x1) / 2, (y0 + y1) / 2, w / 2, h / 2, 0, 0, 7);
    else pen.rect(x0, y0, w, h);
    pen.clip();
    if (isShown) {
      actor.tile ??= Object.assign(document.createElement("canvas"), { width: GRID, height: GRID });
      const tile = actor.tile.getContext("2d");
      actor.pixels ??= tile.createImageData(GRID, GRID);
      const { data } = actor.pixels;
      const [up, down] = [[255, 120, 30], [30, 110, 220]];
      for (let i = 0; i < field.length; i += 1) {
        const part = field[i] / reach;
        const tone = part > 0 ? up : down;
        data[4 * i] = tone[0];
        data[4 * i + 1] = tone[1];
        data[4 * i + 2] = tone[2];
        data[4 * i + 3] = Math.min(235, 330 * Math.abs(part));
      }
      tile.putImageData(actor.pixels, 0, 0);
      // Values stand at the middle of a tile's pixels; the drawing's edge is half a pixel in.
      const [dw, dh] = [w / (GRID - 1), h / (GRID - 1)];
      pen.drawImage(actor.tile, x0 - dw / 2, y0 - dh / 2, w + dw, h + dh);
    }
    const lit = this.motion.lit?.body === actor.number ? this.motion.lit.mode : strongest;
    const sand = (isShown || this.motion.lit?.body === actor.number) && lit >= 0 ? actor.motion.chladni(lit) : null;
    if (sand) {
      pen.beginPath();
      for (const [ax, ay, bx, by] of sand) {
        pen.moveTo(x0 + ax * w, y0 + ay * h);
        pen.lineTo(x0 + bx * w, y0 + by * h);
      }
      pen.lineWidth = 4.5;
      pen.strokeStyle = "#3a2f1c";
      pen.stroke();
      pen.lineWidth = 2.5;
      pen.strokeStyle = "#f7ecd0";
      pen.setLineDash([2.5, 2]);
      pen.stroke();
    }
    pen.restore();
  }

  ports(pen, actor, at) {
    if (actor.spots.length > 16) return;
    for (const spot of actor.spots) {
      const [x, y] = at(...spot);
      pen.beginPath();
      pen.arc(x, y, 3, 0, 7);
      pen.fillStyle = colour("--text");
      pen.fill();
      pen.lineWidth = 1.5;
      pen.strokeStyle = colour("--back");
      pen.stroke();
    }
  }

  /** Where a contact is, in pixels, and where it pushes. */
  where(contact) {
    const [a, b] = contact.ends.map(({ body }) => this.layout.byName.get(body));
    const tool = a?.isTool ? a : b?.isTool ? b : null;
    const thing = tool === a ? b : a;
    if (tool && thing) {
      const end = contact.ends.find(({ body }) => body === thing.name);
      const index = Math.max(0, thing.body.ports.findIndex(({ name }) => name === end.port));
      if (tool.moves === "round" && thing.rim) return { at: this.pixel(tool, [0.5, 1]), way: [1, 0] };
      if (contact.type === "friction" && tool.drawing !== "bow") return { at: this.pixel(tool, [0.5, tool.look.place_m ? 0.5 : 1]), way: [1, 0] };
      const struck = this.how.strikers.get(thing.name)?.struckAt?.get(tool.name);
      const at = tool.look.rides ? [this.pixel(tool, [0.5, 1])[0], this.pixel(thing, [0.5, 0])[1]] : this.pixel(thing, struck ?? thing.spots[index] ?? [0.5, 0.5]);
      return { at, way: contact.type === "friction" ? [1, 0] : [0, 1] };
    }
    if (!a || !b) return null;
    const [[ax, ay], [bx, by]] = [this.pixel(a, [0.5, 0.5]), this.pixel(b, [0.5, 0.5])];
    const far = Math.hypot(bx - ax, by - ay) || 1;
    return { at: [(ax + bx) / 2, (ay + by) / 2], way: [(bx - ax) / far, (by - ay) / far] };
  }

  // A force as an arrow: each tenfold of it so much longer. What rubs is blue while it holds and orange while it slides.
  arrow(pen, contact, { force, slid }, isLoudest) {
    const size = Math.abs(force);
    const isFriction = contact.type === "friction";
    const where = size > 1e-3 || this.pointed?.has(contact.name) ? this.where(contact) : null;
    if (!where) return;
    const { at: [x, y], way } = where;
    const tone = colour(isFriction ? (slid > 0.5 ? "--accent" : "--second") : "--third");
    if (isFriction) {
      // The part of the time that it slides, as a part of a ring.
      pen.lineWidth = 4;
      pen.beginPath();
      pen.arc(x, y, 11, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * (1 - slid));
      pen.strokeStyle = colour("--second");
      pen.stroke();
      pen.beginPath();
      pen.arc(x, y, 11, -Math.PI / 2 + 2 * Math.PI * (1 - slid), 1.5 * Math.PI);
      pen.strokeStyle = colour("--accent");
      pen.stroke();
    }
    if (size <= 1e-3) return;
    const long = Math.min(16 + 15 * Math.log10(1 + size / 1e-2), 0.11 * this.view.w);
    const turn = isFriction ? -Math.sign(force) : 1;
    const [dx, dy] = way.map((part) => part * turn);
    const from = isFriction ? [x, y] : [x - dx * long, y - dy * long];
    const to = isFriction ? [x + dx * long, y + dy * long] : [x, y];
    for (const [wide, ink] of [[7, colour("--back")], [3.5, tone]]) {
      pen.lineWidth = wide;
      pen.strokeStyle = pen.fillStyle = ink;
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(to[0] - 7 * dx, to[1] - 7 * dy);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(to[0], to[1]);
      pen.lineTo(to[0] - 12 * dx - 6 * dy, to[1] - 12 * dy + 6 * dx);
      pen.lineTo(to[0] - 12 * dx + 6 * dy, to[1] - 12 * dy - 6 * dx);
      pen.fill();
    }
    if (!isFriction && !isLoudest) return;
    const words = isFriction ? `${si(size, "N")}, ${slid > 0.5 ? "slides" : slid > 0.05 ? "sticks and slips" : "holds"}` : si(size, "N");
    this.say(pen, words, isFriction ? x + 18 : from[0] + 10, isFriction ? y + 28 : Math.max(30, Math.abs(way[1]) > 0.5 ? from[1] + 4 : y - 14));
  }

  /** Rings where something was struck, whoever did it. */
  marks(pen) {
    const now = performance.now();
    for (const striker of this.how.strikers.values()) {
      striker.marks = striker.marks.filter((mark) => now - mark.at < 500);
      const actor = this.layout.byName.get(striker.body.name);
      if (!actor) continue;
      for (const mark of striker.marks) {
        const age = (now - mark.at) / 500;
        const [x, y] = this.pixel(actor, mark.point);
        pen.globalAlpha = 1 - age;
        pen.strokeStyle = colour("--accent");
        pen.lineWidth = 3;
        pen.beginPath();
        pen.arc(x, y, isCalm() ? 16 : 6 + 34 * age * Math.min(2, mark.strength), 0, 7);
        pen.stroke();
        pen.globalAlpha = 1;
      }
      if (actor !== this.selected || !this.canvas.matches(":focus-visible")) continue;
      const [x, y] = this.pixel(actor, striker.cursor);
      pen.strokeStyle = colour("--accent");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x - 8, y);
      pen.lineTo(x + 8, y);
      pen.moveTo(x, y - 8);
      pen.lineTo(x, y + 8);
      pen.stroke();
    }
  }

  /** Words where there is room for them, and none on another. */
  say(pen, text, x, y, align = "left") {
    pen.font = "12px system-ui, sans-serif";
    const long = pen.measureText(text).width;
    let left = align === "center" ? x - long / 2 : align === "right" ? x - long : x;
    left = Math.max(4, Math.min(this.view.w - long - 6, left));
    const isFree = (top) => top > 12 && top < this.view.h - 3 && this.taken.every(([a, b, c, d]) => left + long + 3 <= a || left - 3 >= c || top + 4 <= b || top - 12 >= d);
    const top = [y, y - 16, y + 16, y - 32, y + 32].find(isFree);
    if (top === undefined) return;
    this.taken.push([left - 3, top - 12, left + long + 3, top + 4]);
    label(pen, text, left, top);
  }

  words(pen) {
    const { h, w } = this.view;
    this.say(pen, this.motion.words, 8, h - 8);
    if (!this.wasPlayed) this.say(pen, this.hint, w - 8, h - 8, "right");
    const named = [this.hands.over, ...(this.pointed ? this.actors.filter(({ name }) => this.pointed.has(name)) : []), this.canvas.matches(":focus-visible") ? this.selected : null];
    for (const actor of new Set(named.filter(Boolean))) {
      const [x, y] = this.pixel(actor, RIMMED.has(actor.drawing) || !LONG.has(actor.drawing) ? [0.5, 1] : [0.5, 0.5]);
      this.say(pen, actor.name, x, y + 18, "center");
    }
  }

  get hint() {
    const { rubs, strikers } = this.how;
    const led = this.actors.find(({ name }) => rubs.has(name));
    if (led) return `drag the ${led.name.replace(/[-_]/g, " ")}`;
    if (this.actors.some(({ look }) => look.hangs_m)) return "pull one aside and let go";
    const struck = this.actors.filter(({ name }) => strikers.has(name));
    if (struck.length > 2) return "strike them, or glide across";
    return struck.some(({ body }) => body.anywhere) ? "strike it anywhere" : struck.length ? "strike it" : "";
  }
}
