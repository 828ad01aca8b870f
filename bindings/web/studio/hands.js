// SPDX-License-Identifier: MIT OR Apache-2.0
// Hands on the stage: any number of pointers, and the keyboard. What is touched is struck, what rubs is drawn along, what hangs is pulled aside;
// a pointer that stays damps what it lies on, one that glides strikes what it comes to.

/** Metres of hand travel across the stage. */
const STAGE_M = 0.4;
/** A hand that lies still for so long damps, ms. */
const RESTS_MS = 350;
/** How much shorter a thing rings under a hand. */
const DAMPED = 0.06;
/** A hand that has not moved for so long lies still, ms. */
const STILL_MS = 120;
/** Pixels that a hand may tremble. */
const TREMBLE = 6;
/** How far aside a key pulls what hangs, of the length of its threads, and by how much an arrow changes that. */
const [ASIDE, ASIDE_STEP] = [0.3, 0.06];
/** Across and up: how fast a hand begins, of the fastest. */
const BEGINS = 0.4;
/** Where on a string it can be bowed. */
const onString = (place) => Math.min(0.9, Math.max(0.03, place));

export class Hands {
  constructor(stage) {
    this.stage = stage;
    this.fingers = new Map();
    /** Paths that hands damp: by how many, and what each was before. */
    this.damped = new Map();
    this.over = null;
    const on = (type, act) => stage.canvas.addEventListener(type, act);
    on("pointerdown", (event) => {
      event.preventDefault();
      stage.canvas.focus({ preventScroll: true });
      stage.canvas.setPointerCapture(event.pointerId);
      this.down(event);
    });
    on("pointermove", (event) => this.move(event));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) on(type, (event) => this.lift(event.pointerId));
    on("pointerleave", () => this.hover(null));
    on("keydown", (event) => this.key(event));
    on("keyup", (event) => event.key === " " && this.lift("keys"));
    on("blur", () => {
      this.lift("keys");
      stage.isNew = true;
    });
    on("focus", () => stage.select(stage.selected));
  }

  at({ clientX, clientY }) {
    const box = this.stage.canvas.getBoundingClientRect();
    this.stage.aim();
    return [clientX - box.left, clientY - box.top];
  }

  isPlayed = ({ name, look }) => this.stage.how.rubs.has(name) || this.stage.how.strikers.has(name) || Boolean(look.hangs_m);

  down(event) {
    const { stage } = this;
    const [x, y] = this.at(event);
    const { rubs, strikers } = stage.how;
    // What rubs lies on what it rubs: it comes first.
    const found = stage.find(x, y, ({ name }) => rubs.has(name), 14) ?? stage.find(x, y, (actor) => this.isPlayed(actor) || (actor.isTool && actor.on));
    if (!found) return;
    stage.wasPlayed = true;
    const { actor, point } = found;
    const strength = (event.pointerType === "mouse" || !event.pressure ? 1 : 0.4 + 1.2 * event.pressure) * (event.shiftKey ? 3 : 1);
    const finger = { x, y, x0: x, y0: y, now: event.timeStamp, speed: 0, strength, actor };
    this.fingers.set(event.pointerId, finger);
    stage.select(actor);
    stage.how.chosen(actor.on ?? actor);
    if (rubs.has(actor.name)) {
      finger.rub = rubs.get(actor.name);
      this.rub(finger, event);
    } else if (actor.look.hangs_m) finger.pulls = actor;
    else if (strikers.has(actor.name)) {
      strikers.get(actor.name).strike(point.map((part) => Math.min(1, Math.max(0, part))), strength);
      this.rest(finger);
    } else if (actor.isTool && actor.on && strikers.has(actor.on.name)) {
      strikers.get(actor.on.name).strikeWith(actor.name, strength);
      finger.tool = actor;
    }
  }

  move(event) {
    const { stage } = this;
    const finger = this.fingers.get(event.pointerId);
    const [x, y] = this.at(event);
    if (!finger) return this.hover(stage.find(x, y, (actor) => this.isPlayed(actor), 10)?.actor ?? null);
    const spent = event.timeStamp - finger.now;
    const [dx, dy] = [x - finger.x, y - finger.y];
    finger.strength = event.pointerType === "mouse" || !event.pressure ? finger.strength : 0.4 + 1.2 * event.pressure;
    if (finger.rub) {
      if (spent > 0) finger.speed += 0.35 * ((this.along(finger, dx, dy) * STAGE_M * 1000) / (stage.view.w * spent) - finger.speed);
      Object.assign(finger, { x, y, now: event.timeStamp });
      return this.rub(finger, event);
    }
    Object.assign(finger, { x, y, now: event.timeStamp });
    if (finger.pulls) return this.pull(finger);
    if (Math.hypot(x - finger.x0, y - finger.y0) > TREMBLE) this.wake(finger);
    const found = stage.find(x, y, ({ name }) => stage.how.strikers.has(name), 0);
    if (found && found.actor !== finger.actor && !finger.tool) {
      finger.actor = found.actor;
      stage.select(found.actor);
      stage.how.strikers.get(found.actor.name).strike(found.point, finger.strength);
      this.rest(finger);
    } else if (!found) finger.actor = null;
    return undefined;
  }

  hover(actor) {
    if (this.over === actor) return;
    this.over = actor;
    this.stage.isNew = true;
    this.stage.canvas.style.setProperty("cursor", actor ? (this.stage.how.rubs.has(actor.name) || actor.look.hangs_m ? "grab" : "crosshair") : "default");
  }

  /** Pixels of a movement along the way that a tool is led. */
  along(finger, dx, dy) {
    const { actor } = finger;
    if (actor.moves === "round" && actor.on?.rim) {
      const { cx, cy, rx, ry } = actor.on.rim;
      const [ux, uy] = [(finger.x - cx) / rx, (finger.y - cy) / ry];
      const far = Math.hypot(ux, uy) || 1;
      return (-uy / far) * dx + (ux / far) * dy * (rx / ry);
    }
    return { right: dx, left: -dx, up: -dy, down: dy }[actor.moves] ?? dx;
  }

  rub(finger, event) {
    const { how, view } = this.stage;
    const { rub } = finger;
    const pressure = event.pointerType === "pen" && event.pressure ? event.pressure : how.press();
    const most = Math.max(...rub.along.map(Math.abs));
    const at = [finger.x / view.w, 1 - finger.y / view.h];
    this.shift(finger);
    clearTimeout(finger.timer);
    if (how.mode() === "rub") {
      rub.play(finger.speed / most, pressure, at, "stage");
      // A hand that lies still rubs no more.
      finger.timer = setTimeout(() => {
        finger.speed = 0;
        if (rub.isDown) rub.play(0, pressure, at, "stage");
      }, STILL_MS);
    } else rub.play(BEGINS + (3 * (finger.x - finger.x0)) / view.w, event.pointerType === "pen" ? pressure : Math.min(1, Math.max(0, how.press() + (2 * (finger.y0 - finger.y)) / view.h)), at, "stage");
  }

  // A bow may be drawn over another place of its string.
  shift({ actor, x, y }) {
    const { stage } = this;
    const target = actor.on;
    if (actor.drawing !== "bow" || !target?.body.anywhere || stage.how.mode() !== "rub") return;
    const place = onString(stage.pointAt(target, x, y)[0]);
    this.slide(actor, place);
  }

  slide(actor, place) {
    const target = actor.on;
    const before = actor.slid ?? actor.touches[0];
    if (Math.abs(place - before) < 0.012) return;
    actor.slid = before + Math.max(-0.03, Math.min(0.03, place - before));
    this.stage.engine.touch(actor.contact.between.find((site) => site.startsWith(`${target.name}.`)) ?? target.name, [actor.slid]);
  }

  /** Pixels that the threads of what hangs are long. */
  reach(actor) {
    return this.stage.aim().scale * actor.look.hangs_m;
  }

  /** A hanging thing is held where the hand is: by the force that holds it there. */
  pull({ pulls: actor, x, x0 }) {
    const { stage } = this;
    const [mode] = actor.body.modes;
    const mass = stage.how.massOf(actor.name) ?? 0.03;
    const aside = Math.max(-0.9, Math.min(0.9, (x - x0) / this.reach(actor))) * actor.look.hangs_m;
    stage.engine.set(`${actor.name}/force_n`, mass * (2 * Math.PI * (mode?.freq_hz ?? 1)) ** 2 * aside);
  }

  // A hand that stays where it struck damps.
  rest(finger) {
    this.wake(finger);
    const { stage } = this;
    const { name } = finger.actor;
    const path = ["decay_scale", "q"].map((key) => `${name}/${key}`).find((one) => stage.how.value(one) !== undefined);
    if (!path) return;
    finger.timer = setTimeout(() => {
      finger.damps = path;
      const damped = this.damped.get(path) ?? { hands: 0, before: stage.how.value(path) };
      this.damped.set(path, { ...damped, hands: damped.hands + 1 });
      if (damped.hands === 0) stage.engine.set(path, Math.max(path.endsWith("/q") ? 10 : 1e-3, damped.before * DAMPED));
    }, RESTS_MS);
  }

  // The last hand that is lifted lets it ring.
  wake(finger) {
    clearTimeout(finger.timer);
    const { damps: path } = finger;
    delete finger.damps;
    const damped = this.damped.get(path);
    if (!damped) return;
    if (damped.hands > 1) {
      this.damped.set(path, { ...damped, hands: damped.hands - 1 });
      return;
    }
    this.damped.delete(path);
    this.stage.engine.set(path, damped.before);
  }

  lift(id) {
    const finger = this.fingers.get(id);
    if (!finger) return;
    this.fingers.delete(id);
    const { stage } = this;
    this.wake(finger);
    if (finger.rub && ![...this.fingers.values()].some(({ rub }) => rub === finger.rub)) finger.rub.rest("stage");
    if (finger.pulls) {
      stage.engine.set(`${finger.pulls.name}/force_n`, 0);
      if (Math.abs(finger.x - finger.x0) <= TREMBLE) stage.how.strikers.get(finger.pulls.name)?.strike([0.5, 0.5], finger.strength);
    }
    stage.isNew = true;
  }

  key(event) {
    const { stage } = this;
    const { rubs, strikers } = stage.how;
    const actor = stage.selected;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const strength = event.shiftKey ? 3 : 1;
    const held = this.fingers.get("keys");
    const way = ways[event.key];
    if (way && event.altKey && actor.drawing === "bow" && actor.on?.body.anywhere) {
      this.slide(actor, onString((actor.slid ?? actor.touches[0]) + 0.03 * (way[0] + way[1])));
    } else if (way && held?.rub) {
      // What is held is drawn faster and slower, pressed harder and less.
      held.across = Math.max(-1, Math.min(1, held.across + 0.08 * way[0]));
      held.down = Math.max(0, Math.min(1, held.down + 0.05 * way[1]));
      held.rub.play(held.across, held.down, [0.5 + held.across / 2, held.down], "stage");
    } else if (way && held?.pulls) {
      held.x += ASIDE_STEP * way[0] * this.reach(held.pulls);
      this.pull(held);
    } else if (way && event.altKey && strikers.has(actor.name)) {
      const striker = strikers.get(actor.name);
      striker.cursor = striker.cursor.map((part, i) => Math.min(1, Math.max(0, part + 0.04 * (i ? -way[1] : way[0]))));
    } else if (way) this.step(way);
    else if (event.key === "Home" || event.key === "End") stage.select(stage.actors.at(event.key === "Home" ? 0 : -1));
    else if (event.key === " " && rubs.has(actor.name)) {
      if (!held) {
        const finger = { rub: rubs.get(actor.name), across: 0.5, down: stage.how.press(), actor };
        this.fingers.set("keys", finger);
        finger.rub.play(finger.across, finger.down, [0.75, finger.down], "stage");
      }
    } else if (event.key === " " && actor.look.hangs_m) {
      if (!held) {
        const finger = { pulls: actor, x0: 0, x: ASIDE * this.reach(actor), strength, actor };
        this.fingers.set("keys", finger);
        this.pull(finger);
      }
    } else if (event.key === " " && held) {
      event.preventDefault(); // it is still held
      return;
    } else if (event.key === "Enter" || event.key === " ") {
      const thing = strikers.get(actor.name) ?? strikers.get(actor.on?.name);
      if (!thing) return;
      stage.how.chosen(actor.on ?? actor);
      if (!strikers.has(actor.name)) thing.strikeWith(actor.name, strength);
      else thing.strike(thing.cursor, strength);
      // A key that stays down is a hand that stays.
      if (event.key === " " && strikers.has(actor.name)) {
        const finger = { actor, strength };
        this.fingers.set("keys", finger);
        this.rest(finger);
      }
    } else if (event.key === "Escape" && stage.motion.lit) stage.how.explain(null);
    else return;
    stage.wasPlayed ||= event.key === "Enter" || event.key === " ";
    stage.isNew = true;
    event.preventDefault();
  }

  /** Goes to the nearest actor that way; where there is none, to the next or the last. */
  step([dx, dy]) {
    const { stage } = this;
    const from = stage.selected;
    const far = (actor) => {
      const [x, y] = [actor.at[0] - from.at[0], actor.at[1] - from.at[1]];
      const ahead = x * dx + y * dy;
      const beside = Math.abs(x * dy) + Math.abs(y * dx);
      return ahead > 1e-6 ? ahead + 2.5 * beside : Infinity;
    };
    const others = stage.actors.filter((actor) => actor !== from && (this.isPlayed(actor) || actor.on));
    if (!others.length) return;
    const best = others.reduce((a, b) => (far(b) < far(a) ? b : a));
    if (Number.isFinite(far(best))) stage.select(best);
    else {
      const all = stage.actors.filter((actor) => actor === from || others.includes(actor));
      stage.select(all.at((all.indexOf(from) + (dx + dy > 0 ? 1 : -1)) % all.length));
    }
  }
}
