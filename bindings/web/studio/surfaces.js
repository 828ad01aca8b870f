// SPDX-License-Identifier: MIT OR Apache-2.0
// What you play: objects to strike where you touch them, pads to rub and bow. Made from what the scene holds, so a new
// scene needs no new code.
import { colour, fit, isCalm, label } from "./canvas.js";
import { figureOf, sheenOf } from "./figures.js";

/** Metres of hand travel across a rub pad. */
const PAD_M = 0.4;

const site = (text) => {
  const [body, port] = text.split(".");
  return { body, port };
};

/** A voice's copy of something written in the scene (`bar~2`, `bar~2.tip/force_n`): played by notes, not shown. */
export const isCopy = (name) => /^[^./]*~\d+(?:[./]|$)/.test(name);

/** Finds what can be struck and what can be rubbed. */
export function findSurfaces(info) {
  const bodies = new Map(info.bodies.map((body) => [body.name, body]));
  const has = new Set(info.paths.map((p) => p.path));
  const strikes = new Map();
  const rubs = new Map();
  for (const contact of info.contacts.filter(({ name }) => !isCopy(name))) {
    const ends = contact.between.map((text) => ({ ...site(text), text }));
    const kinds = ends.map((end) => bodies.get(end.body).type);
    if (contact.type === "impact") {
      const hammer = kinds[0] === "mass" ? 0 : kinds[1] === "mass" ? 1 : -1;
      const target = hammer < 0 ? -1 : 1 - hammer;
      if (target >= 0 && !["mass", "wall", "guided"].includes(kinds[target])) {
        const name = ends[target].body;
        if (!strikes.has(name)) strikes.set(name, { body: bodies.get(name), hammers: [] });
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
    const isSilentPartner = ["mass", "wall", "guided"].includes(body.type) || strikes.has(body.name) || isCopy(body.name);
    if (!isSilentPartner) strikes.set(body.name, { body, hammers: [] });
  }
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

/** An object that is struck where it is touched. `how()` gives speed and impulse at hand. */
export class StrikeSurface {
  constructor({ body, hammers }, engine, how) {
    Object.assign(this, { body, hammers, engine, how });
    this.figure = figureOf(body);
    this.sheen = sheenOf(body, body.words);
    this.marks = [];
    this.cursor = body.ports.length ? this.figure.point(body.ports[0].place ?? [], 0) : [0.5, 0.5];
    this.glow = 0;
    const help = "Click or touch to strike; arrow keys move the point, Enter or Space strikes, Shift is harder.";
    this.canvas = canvasOf(`Strike ${body.name}`, help);
    this.canvas.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.canvas.focus({ preventScroll: true });
      const box = this.canvas.getBoundingClientRect();
      const pressure = event.pointerType === "mouse" || !event.pressure ? 1 : 0.4 + 1.2 * event.pressure;
      this.strike(this.fromPixels(event.clientX - box.left, event.clientY - box.top), pressure * (event.shiftKey ? 3 : 1));
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  get size() {
    return Math.min(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  // Long things fill the width, round ones stay round.
  toPixels([x, y]) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!this.figure.isRound) return [x * w, y * h];
    return [w / 2 + (x - 0.5) * this.size, h / 2 + (y - 0.5) * this.size];
  }

  fromPixels(px, py) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!this.figure.isRound) return [px / w, py / h];
    return [0.5 + (px - w / 2) / this.size, 0.5 + (py - h / 2) / this.size];
  }

  key(event) {
    const step = 0.02;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) {
      this.cursor = this.cursor.map((x, i) => Math.min(1, Math.max(0, x + moves[event.key][i])));
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") this.strike(this.cursor, event.shiftKey ? 3 : 1);
    else return;
    event.preventDefault();
  }

  /** Strikes at a point of the picture, `strength` times as fast as asked. */
  strike(point, strength = 1) {
    const { speed, impulse, mass } = this.how();
    const hammer = this.hammers.find((h) => h.mass === mass) ?? this.hammers[0];
    const nearest = this.nearestPort(point);
    this.wasStruck = true;
    // A click beside it strikes its edge; what has places only at its ports is struck there, and shows it.
    if (this.body.anywhere) point = this.figure.point(this.figure.place(point), 0);
    else if (this.body.ports.length) point = this.figure.point(this.body.ports[nearest].place ?? [], nearest);
    this.cursor = point;
    if (hammer && this.body.anywhere) {
      this.engine.touch(hammer.site, this.figure.place(point));
      this.engine.send({ strike: hammer.mass, velocity_m_s: hammer.sign * speed * strength });
    } else {
      const name = this.body.ports.length > 1 ? `${this.body.name}.${this.body.ports[nearest].name}` : this.body.name;
      const here = this.hammers.filter((h) => h.site === name || this.body.ports.length === 1);
      const by = here.find((h) => h.mass === mass) ?? here[0];
      if (by) this.engine.send({ strike: by.mass, velocity_m_s: by.sign * speed * strength });
      else this.engine.send({ hit: name, impulse_n_s: impulse * strength });
    }
    this.flash(point, strength);
  }

  /** Shows a strike, wherever it came from. */
  flash(point = this.cursor, strength = 1) {
    this.marks.push({ point, at: performance.now(), strength });
    this.draw();
  }

  nearestPort([x, y]) {
    const distance = (port, i) => {
      const [px, py] = this.figure.point(port.place ?? [], i);
      return (px - x) ** 2 + (py - y) ** 2;
    };
    const all = this.body.ports.map(distance);
    return all.indexOf(Math.min(...all));
  }

  /** How strongly it sounds, 0 to 1, lights it up. */
  light(level) {
    if (Math.abs(level - this.glow) > 0.012 || this.marks.length) {
      this.glow = level;
      this.draw();
    }
  }

  draw() {
    const { pen } = fit(this.canvas);
    const path = new Path2D();
    this.figure.path(path, (x, y) => this.toPixels([x, y]), this.size);
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    const [dark, light] = this.sheen ?? [colour("--body"), colour("--body-light")];
    const shine = pen.createLinearGradient(0.2 * wide, 0, 0.6 * wide, tall);
    shine.addColorStop(0, light);
    shine.addColorStop(0.45, dark);
    shine.addColorStop(0.6, light);
    shine.addColorStop(1, dark);
    // A halo of strokes: a shadow's blur would cost ten times as much.
    pen.strokeStyle = colour("--accent");
    pen.globalAlpha = 0.16 * this.glow ** 2;
    for (const wide of this.glow > 0.2 ? [6, 14, 24, 36] : []) {
      pen.lineWidth = wide;
      pen.stroke(path);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = colour("--back");
    pen.fill(path, "evenodd");
    pen.globalAlpha = 0.55 + 0.45 * this.glow;
    pen.fillStyle = shine;
    pen.fill(path, "evenodd");
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    pen.strokeStyle = colour("--line");
    pen.stroke(path);
    pen.fillStyle = colour("--text");
    pen.font = "12px system-ui, sans-serif";
    const nearest = this.body.anywhere ? -1 : this.nearestPort(this.cursor);
    const names = [];
    this.body.ports.forEach((port, i) => {
      const [x, y] = this.toPixels(this.figure.point(port.place ?? [], i));
      pen.fillStyle = colour("--text");
      pen.beginPath();
      pen.arc(x, y, 3.5, 0, 7);
      pen.fill();
      pen.lineWidth = 2;
      pen.strokeStyle = i === nearest ? colour("--accent") : colour("--back");
      pen.beginPath();
      pen.arc(x, y, i === nearest ? 9 : 4.5, 0, 7);
      pen.stroke();
      // Names take turns above and below, so that neighbours do not cover each other.
      if (this.body.ports.length > 1 && !this.figure.hidesNames) names.push([port.name, x, i % 2 ? y + 20 : y - 10]);
    });
    // Whole, in the picture, and none on another: one that finds no room is left out.
    const taken = this.wasStruck ? [] : [[wide / 2 - 70, tall - 26, wide / 2 + 70, tall]];
    for (const [name, x, y] of names) {
      const long = pen.measureText(name).width;
      const left = Math.max(2, Math.min(wide - long - 4, x + 8));
      const box = (top) => [left - 3, top - 12, left + long + 3, top + 4];
      const isFree = ([a, b, c, d]) => b >= 0 && d <= tall && taken.every(([e, f, g, h]) => c <= e || a >= g || d <= f || b >= h);
      const top = [y, y - 16, y + 16, y + 30, y - 30].find((at) => isFree(box(at)));
      if (top === undefined) continue;
      taken.push(box(top));
      label(pen, name, left, top);
    }
    if (!this.wasStruck) {
      pen.textAlign = "center";
      label(pen, this.body.anywhere ? "strike it anywhere" : "strike it", wide / 2, tall - 12);
      pen.textAlign = "left";
    }
    const now = performance.now();
    this.marks = this.marks.filter((mark) => now - mark.at < 500);
    for (const mark of this.marks) {
      const age = (now - mark.at) / 500;
      const [x, y] = this.toPixels(mark.point);
      pen.globalAlpha = 1 - age;
      pen.strokeStyle = colour("--accent");
      pen.lineWidth = 3;
      pen.beginPath();
      pen.arc(x, y, isCalm() ? 16 : 6 + 40 * age * Math.min(2, mark.strength), 0, 7);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    if (nearest >= 0) return;
    const [x, y] = this.toPixels(this.cursor);
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x - 7, y);
    pen.lineTo(x + 7, y);
    pen.moveTo(x, y - 7);
    pen.lineTo(x, y + 7);
    pen.stroke();
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
    clearTimeout(this.rest);
    // A finger that lies still rubs no more.
    if (this.mode() === "rub") this.rest = setTimeout(() => this.fingers.size && this.play(0, pressure, [x, y]), 80);
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
    clearTimeout(this.rest);
    for (const path of this.rub.presses) this.engine.set(path, 0);
    this.engine.set(this.rub.drive, 0);
    this.isDown = false;
    this.draw();
  }

  light() {}

  draw() {
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
