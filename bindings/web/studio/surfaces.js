// SPDX-License-Identifier: MIT OR Apache-2.0
// What you play: what can be struck where it is touched, and pads on which speed and force of what rubs are two axes. Made from
// what the scene holds, so a new scene needs no new code.
import { colour, fit, label } from "./canvas.js";

/** Metres of hand travel across a rub pad. */
const PAD_M = 0.4;

const site = (text) => {
  const [body, port] = text.split(".");
  return { body, port };
};

/** A voice's copy of something written in the scene (`bar~2`, `bar~2.tip/force_n`): played by notes, not shown. */
export const isCopy = (name) => /^[^./]*~\d+(?:[./]|$)/.test(name);

/** Neither a copy nor the ground under somebody who walks: that is drawn and played from above. */
export const isSeen = ({ name, trodden }) => !trodden && !isCopy(name);

/** Finds what can be struck and what can be rubbed. */
export function findSurfaces(info) {
  const bodies = new Map(info.bodies.map((body) => [body.name, body]));
  const has = new Set(info.paths.map((p) => p.path));
  const strikes = new Map();
  const rubs = new Map();
  for (const contact of info.contacts.filter(isSeen)) {
    const ends = contact.between.map((text) => ({ ...site(text), text }));
    const kinds = ends.map((end) => bodies.get(end.body).type);
    if (contact.type === "impact") {
      const hammer = kinds[0] === "mass" ? 0 : kinds[1] === "mass" ? 1 : -1;
      const target = hammer < 0 ? -1 : 1 - hammer;
      if (target >= 0 && !["mass", "wall", "guided"].includes(kinds[target])) {
        const name = ends[target].body;
        if (!strikes.has(name)) strikes.set(name, { body: bodies.get(name), hammers: [], free: [] });
        strikes.get(name).hammers.push({ contact: contact.name, mass: ends[hammer].body, site: ends[target].text, sign: hammer === 0 ? 1 : -1 });
      }
    } else if (contact.type === "friction") {
      const hand = kinds[0] === "guided" || kinds[0] === "mass" ? 0 : 1;
      const name = ends[hand].body;
      const drive = kinds[hand] === "guided" ? `${name}/velocity_m_s` : `${name}/force_n`;
      if (!has.has(drive)) continue;
      if (!rubs.has(name)) rubs.set(name, { name, drive, isGuided: kinds[hand] === "guided", presses: [], contacts: [], on: ends[1 - hand] });
      const rub = rubs.get(name);
      rub.contacts.push(contact.name);
      if (has.has(`${contact.name}/normal_force_n`)) rub.presses.push(`${contact.name}/normal_force_n`);
    }
  }
  for (const body of info.bodies) {
    const isSilentPartner = ["mass", "wall", "guided"].includes(body.type) || strikes.has(body.name) || !isSeen(body);
    if (!isSilentPartner) strikes.set(body.name, { body, hammers: [], free: [] });
  }
  // Where nothing touches a body by the scene, a hand may.
  const used = new Set(info.contacts.flatMap(({ between }) => between));
  for (const [name, strike] of strikes) strike.free = strike.body.ports.map((_, i) => i).filter((i) => !used.has(`${name}.${strike.body.ports[i].name}`));
  return { strikes: [...strikes.values()], rubs: [...rubs.values()] };
}

/** Range a player would use: that of a named control on the path if there is one. */
export function playRange(info, path, fallback) {
  const control = info.controls.find((c) => [c.path].flat().includes(path));
  return control ? control.range : fallback;
}

/** A canvas that is played, with words for those who do not see it. */
export function canvasOf(label, help) {
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", `${label}. ${help}`);
  canvas.title = help;
  return canvas;
}

/** An object that is struck where it is touched. `how()` gives speed and impulse at hand; `figure` knows its places. */
export class Striker {
  constructor({ body, hammers, free }, engine, how, figure) {
    Object.assign(this, { body, hammers, free, engine, how, figure });
    this.marks = [];
    /** Where each hammer has struck it, as a point of its drawing. */
    this.struckAt = new Map();
    this.cursor = body.ports.length ? figure.point(body.ports[0].place ?? [], 0) : [0.5, 0.5];
  }

  /** Strikes at a point of the drawing, `strength` times as fast as asked. */
  strike(point, strength = 1) {
    const { speed, impulse, mass } = this.how();
    const hammer = this.hammers.find((h) => h.mass === mass) ?? this.hammers[0];
    const nearest = this.nearestPort(point);
    this.wasStruck = true;
    // A click beside it strikes its edge; what has places only at its ports is struck there, and shows it.
    if (this.body.anywhere) point = this.figure.point(this.inside(this.figure.place(point)), 0);
    else if (this.body.ports.length) point = this.figure.point(this.body.ports[nearest].place ?? [], nearest);
    this.cursor = point;
    if (this.body.anywhere && (hammer || this.body.ports.length)) {
      const site = hammer?.site ?? `${this.body.name}.${this.body.ports[this.free[0] ?? nearest].name}`;
      this.engine.touch(site, this.inside(this.figure.place(point)));
      if (hammer) this.fling(hammer, speed * strength, point);
      else this.engine.send({ hit: site, impulse_n_s: impulse * strength });
    } else {
      const name = this.body.ports.length > 1 ? `${this.body.name}.${this.body.ports[nearest].name}` : this.body.name;
      const here = this.hammers.filter((h) => h.site === name || this.body.ports.length === 1);
      const by = here.find((h) => h.mass === mass) ?? here[0];
      if (by) this.fling(by, speed * strength, point);
      else this.engine.send({ hit: name, impulse_n_s: impulse * strength });
    }
    this.flash(point, strength);
  }

  // The ends of a string do not move: it is touched beside them.
  inside(place) {
    return this.body.type === "string" ? [Math.min(0.98, Math.max(0.02, place[0]))] : place;
  }

  fling(hammer, speed, point) {
    this.struckAt.set(hammer.mass, point);
    this.engine.send({ strike: hammer.mass, velocity_m_s: hammer.sign * speed });
  }

  /** Strikes with one hammer, where it last struck. */
  strikeWith(mass, strength = 1) {
    const hammer = this.hammers.find((h) => h.mass === mass);
    if (!hammer) return;
    const index = Math.max(0, this.body.ports.findIndex(({ name }) => hammer.site === `${this.body.name}.${name}`));
    const point = this.struckAt.get(mass) ?? this.figure.point(this.body.ports[index]?.place ?? [], index);
    this.fling(hammer, this.how().speed * strength, point);
    this.flash(point, strength);
  }

  /** Shows a strike, wherever it came from. */
  flash(point = this.cursor, strength = 1) {
    this.marks.push({ point, at: performance.now(), strength });
  }

  nearestPort([x, y]) {
    const distance = (port, i) => {
      const [px, py] = this.figure.point(port.place ?? [], i);
      return (px - x) ** 2 + (py - y) ** 2;
    };
    const all = this.body.ports.map(distance);
    return all.indexOf(Math.min(...all));
  }
}

/** A pad: across is how fast (or how hard pushed), up is how hard pressed. */
export class RubSurface {
  constructor(rub, info, engine, mode) {
    Object.assign(this, { rub, engine, mode });
    this.along = playRange(info, rub.drive, rub.isGuided ? [-0.5, 0.5] : [-5, 5]);
    if (this.along[0] >= 0) this.along = [-this.along[1], this.along[1]];
    this.press = rub.presses.map((path) => playRange(info, path, [0, 3]));
    this.at = null;
    this.fingers = new Map();
    this.held = new Set();
    const what = rub.isGuided ? "speed" : "push";
    const help = `Drag: sideways is ${what}, up is pressure. Arrow keys move the hand, it stays while you hold Space.`;
    this.canvas = canvasOf(`Rub with ${rub.name}`, help);
    const on = (type, act) => this.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      this.move(event);
    });
    on("pointermove", (event) => {
      if (this.fingers.has(event.pointerId)) this.move(event);
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, (event) => this.lift(event.pointerId));
    on("keydown", (event) => this.key(event));
    on("keyup", (event) => {
      if (event.key === " ") this.lift("keys");
    });
    on("blur", () => this.lift("keys"));
  }

  move(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = 1 - (event.clientY - box.top) / box.height;
    const before = this.fingers.get(event.pointerId);
    const now = event.timeStamp;
    const finger = { x, y, now, speed: before?.speed ?? 0 };
    if (before && now > before.now) {
      const speed = ((x - before.x) * PAD_M * 1000) / (now - before.now);
      finger.speed = before.speed + 0.35 * (speed - before.speed);
    }
    this.fingers.set(event.pointerId, finger);
    const pressure = event.pointerType === "pen" && event.pressure ? event.pressure : y;
    if (this.mode() === "rub") this.play(finger.speed / Math.max(...this.along.map(Math.abs)), pressure, [x, y]);
    else this.play(2 * x - 1, pressure, [x, y]);
    clearTimeout(this.pause);
    // A finger that lies still rubs no more.
    if (this.mode() === "rub") this.pause = setTimeout(() => this.fingers.size && this.play(0, pressure, [x, y]), 80);
  }

  key(event) {
    const at = this.at ?? [0.5, 0.3];
    const moves = { ArrowLeft: [-0.04, 0], ArrowRight: [0.04, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] };
    if (moves[event.key]) this.at = at.map((x, i) => Math.min(1, Math.max(0, x + moves[event.key][i])));
    else if (event.key !== " ") return;
    event.preventDefault();
    if (event.key === " ") this.fingers.set("keys", {});
    this.at ??= [0.75, 0.3];
    if (this.fingers.has("keys")) this.play(2 * this.at[0] - 1, this.at[1], this.at);
    else this.draw();
  }

  /** `across` -1 to 1, `down` 0 to 1. */
  play(across, down, at) {
    const [low, high] = this.along;
    const u = Math.min(1, Math.max(-1, across));
    this.engine.set(this.rub.drive, u >= 0 ? u * high : -u * low);
    const p = Math.min(1, Math.max(0, down));
    this.rub.presses.forEach((path, i) => this.engine.set(path, this.press[i][0] + p * (this.press[i][1] - this.press[i][0])));
    this.at = at;
    this.isDown = true;
    this.draw();
  }

  lift(finger) {
    if (!this.fingers.delete(finger) || this.fingers.size) return;
    clearTimeout(this.pause);
    this.rest();
  }

  /** The hand is taken away. */
  rest() {
    for (const path of this.rub.presses) this.engine.set(path, 0);
    this.engine.set(this.rub.drive, 0);
    this.isDown = false;
    this.draw();
  }

  light() {}

  draw() {
    if (!this.canvas.clientWidth) return;
    const { pen, w, h } = fit(this.canvas);
    // Brighter where it is rubbed harder and faster, as the sound is.
    const ground = pen.createLinearGradient(0, h, 0, 0);
    ground.addColorStop(0, colour("--back"));
    ground.addColorStop(1, colour("--body"));
    pen.globalAlpha = 0.45;
    pen.fillStyle = ground;
    pen.fillRect(0, 0, w, h);
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.beginPath();
    for (const part of [0.25, 0.5, 0.75]) {
      pen.moveTo(part * w, 0);
      pen.lineTo(part * w, h);
      pen.moveTo(0, part * h);
      pen.lineTo(w, part * h);
    }
    pen.globalAlpha = 0.3;
    pen.stroke();
    pen.globalAlpha = 1;
    const unit = this.rub.isGuided ? "m/s" : "N";
    label(pen, `${this.along[0].toPrecision(2)} ${unit}`, 8, h - 8);
    pen.textAlign = "right";
    label(pen, `${this.along[1].toPrecision(2)} ${unit}`, w - 8, h - 8);
    pen.textAlign = "center";
    const across = this.rub.isGuided ? "\u2190 speed \u2192" : "\u2190 push \u2192";
    // Between the two ends where there is room, else above them.
    const ends = this.along.map((end) => pen.measureText(`${end.toPrecision(2)} ${unit}`).width);
    label(pen, across, w / 2, w > 2 * Math.max(...ends) + pen.measureText(across).width + 40 ? h - 8 : h - 26);
    if (this.press.length) label(pen, `pressure \u2191 ${this.press[0][1].toPrecision(2)} N`, w / 2, 18);
    if (!this.at) label(pen, "hold and drag", w / 2, h / 2);
    pen.textAlign = "left";
    if (!this.at) return;
    const [x, y] = [this.at[0] * w, (1 - this.at[1]) * h];
    pen.fillStyle = pen.strokeStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 8 + 14 * this.at[1], 0, 7);
    if (this.isDown) pen.fill();
    else pen.stroke();
  }
}
