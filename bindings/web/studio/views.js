// SPDX-License-Identifier: MIT OR Apache-2.0
// Seeing: waveform, spectrogram, force loops, energy, modes. Each view draws itself from the ring or the status; all can
// be frozen and zoomed. Drawing never touches the audio side.
import { colour, fit, label } from "./canvas.js";
import { Spectrum } from "./fft.js";
import { RING_FRAMES } from "./ring.js";
import { isCopy, isSeen } from "./surfaces.js";

/** A number with three digits and an SI prefix. */
export function si(value, unit) {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return `0 ${unit}`;
  const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G"];
  const step = Math.min(3, Math.max(-4, Math.floor(Math.log10(Math.abs(value)) / 3)));
  return `${(value / 10 ** (3 * step)).toPrecision(3)} ${prefixes[step + 4]}${unit}`;
}

function words(pen, text, x, y, align = "left") {
  pen.textAlign = align;
  label(pen, text, x, y);
  pen.textAlign = "left";
}

/** The longest of these words that has room. */
function wordsThatFit(pen, choices, x, y, room, align) {
  pen.font = "12px system-ui, sans-serif";
  words(pen, choices.find((text) => pen.measureText(text).width <= room) ?? choices.at(-1), x, y, align);
}

/** The output over time, held at a rising edge. */
export class Scope {
  static title = "Waveform";
  zoom = 1;

  draw(canvas, { ring, rate, end, isFrozen }) {
    const { pen, w, h } = fit(canvas);
    const frames = Math.round(Math.min(65536, Math.max(64, (0.02 * rate) / this.zoom)));
    const seen = ring.column(0, 2 * frames, end);
    let from = frames;
    for (let i = frames; i > 1; i -= 1) {
      if (seen[i - 1] < 0 && seen[i] >= 0) {
        from = i;
        break;
      }
    }
    let peak = 1e-9;
    for (const x of seen) peak = Math.max(peak, Math.abs(x));
    if (!isFrozen) this.peak = Math.max(peak, 0.98 * (this.peak ?? peak));
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(0, h / 2);
    pen.lineTo(w, h / 2);
    pen.stroke();
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let i = 0; i < frames; i += 1) {
      const y = h / 2 - (0.46 * h * seen[from + i - 1]) / this.peak;
      if (i === 0) pen.moveTo(0, y);
      else pen.lineTo((i / (frames - 1)) * w, y);
    }
    pen.stroke();
    words(pen, `${si(frames / rate, "s")} wide, ±${this.peak.toPrecision(2)}`, 6, 14);
  }
}

const HOP = 512;
const LOWEST_HZ = 40;

/** The output's spectrum over time, 40 Hz to half the rate. */
export class Spectrogram {
  static title = "Spectrogram";
  zoom = 1;
  spectrum = new Spectrum(2048);
  picture = document.createElement("canvas");
  done = 0;

  /** Frequency at a height, 0 to 1, Hz. */
  static frequency(up, rate) {
    return LOWEST_HZ * (rate / 2 / LOWEST_HZ) ** up;
  }

  draw(canvas, { ring, rate, end, frequencies }) {
    const { pen, h } = fit(canvas);
    const scale = devicePixelRatio || 1;
    const [pw, ph] = [canvas.width, canvas.height];
    const step = Math.max(1, Math.round(scale * this.zoom));
    const paint = this.picture.getContext("2d");
    const isNew = this.picture.width !== pw || this.picture.height !== ph || this.step !== step || end < this.done || end - this.done > 64 * HOP;
    if (isNew) {
      Object.assign(this.picture, { width: pw, height: ph });
      paint.fillStyle = "#000004";
      paint.fillRect(0, 0, pw, ph);
      // As much of the past as fits and is still there.
      const columns = Math.min(Math.ceil(pw / step), RING_FRAMES / HOP - 8);
      this.done = Math.max(0, HOP * (Math.floor(end / HOP) - columns));
      this.step = step;
    }
    const low = LOWEST_HZ;
    const ratio = rate / 2 / low;
    while (this.done + HOP <= end) {
      this.done += HOP;
      const power = this.spectrum.of(ring.column(0, 2048, this.done));
      paint.drawImage(this.picture, -step, 0);
      const image = paint.createImageData(step, ph);
      for (let y = 0; y < ph; y += 1) {
        const hz = low * ratio ** (1 - y / ph);
        const bin = Math.min(1022, (hz / rate) * 2048);
        const k = Math.floor(bin);
        const level = 10 * Math.log10(power[k] + (bin - k) * (power[k + 1] - power[k]) + 1e-12);
        const [r, g, b] = heat((level + 100) / 95);
        for (let x = 0; x < step; x += 1) image.data.set([r, g, b, 255], 4 * (y * step + x));
      }
      paint.putImageData(image, pw - step, 0);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.picture, 0, 0);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    if (this.lit) {
      // The mode that is explained.
      const y = h * (1 - Math.log(frequencies(this.lit.body)[this.lit.mode] / low) / Math.log(ratio));
      pen.strokeStyle = "#7fe0ff";
      pen.lineWidth = 1.5;
      pen.setLineDash([6, 4]);
      pen.beginPath();
      pen.moveTo(0, y);
      pen.lineTo(canvas.clientWidth, y);
      pen.stroke();
      pen.setLineDash([]);
    }
    for (const hz of [100, 1000, 10000]) {
      const y = h * (1 - Math.log(hz / low) / Math.log(ratio));
      pen.fillStyle = "#ffffff";
      pen.font = "11px system-ui, sans-serif";
      pen.textAlign = "left";
      pen.fillText(si(hz, "Hz"), 6, y + 4);
      pen.fillRect(0, y, 4, 1);
    }
  }
}

// Black over purple and orange to white, monotone in lightness.
const HEAT = [[0, 0, 4], [40, 11, 84], [101, 21, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21], [250, 193, 39], [252, 255, 200]];
/** Red, green and blue of a level, 0 to 1. */
export function heat(level) {
  const at = Math.min(1, Math.max(0, level)) * (HEAT.length - 1);
  const k = Math.min(HEAT.length - 2, Math.floor(at));
  return HEAT[k].map((x, c) => x + (at - k) * (HEAT[k + 1][c] - x));
}

/** A phase portrait of two signals of a contact. */
class Loop {
  zoom = 1;

  loop(canvas, { ring, rate, end, engine, isFrozen }, [xName, xUnit, xs], [yName, yUnit, ySignal], frames) {
    const { pen, w, h } = fit(canvas);
    const columns = xs.map(([signal]) => engine.column(signal));
    const yColumn = engine.column(ySignal);
    if (yColumn < 0 || columns.some((c) => c < 0)) {
      return;
    }
    const count = Math.round(Math.min(32768, frames / this.zoom));
    const y = ring.column(yColumn, count, end);
    const x = new Float32Array(count);
    columns.forEach((c, i) => ring.column(c, count, end).forEach((value, k) => (x[k] += xs[i][1] * value)));
    this.tidy?.(x, y);
    const bounds = (values) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
    const hold = (now, before) => {
      if (!before) return now;
      return [Math.min(now[0], 0.99 * before[0]), Math.max(now[1], 0.99 * before[1])];
    };
    if (!isFrozen || !this.x) [this.x, this.y] = [hold(bounds(x), this.x), hold(bounds(y), this.y)];
    const put = (v, [a, b], from, to) => (b - a < 1e-30 ? (from + to) / 2 : from + ((v - a) / (b - a)) * (to - from));
    const px = (v) => put(v, this.x, 10, w - 10);
    const py = (v) => put(v, this.y, h - 18, 20);
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px(0), 0);
    pen.lineTo(px(0), h);
    pen.moveTo(0, py(0));
    pen.lineTo(w, py(0));
    pen.stroke();
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 1.3;
    pen.beginPath();
    for (let i = 0; i < count; i += 1) {
      if (i === 0) pen.moveTo(px(x[0]), py(y[0]));
      else pen.lineTo(px(x[i]), py(y[i]));
    }
    pen.stroke();
    pen.fillStyle = colour("--accent");
    pen.beginPath();
    pen.arc(px(x[count - 1]), py(y[count - 1]), 4, 0, 7);
    pen.fill();
    wordsThatFit(pen, [`${yName} to ${si(this.y[1], yUnit)}, last ${si(count / rate, "s")}`, `${yName} to ${si(this.y[1], yUnit)}`, si(this.y[1], yUnit)], 6, 14, w - 12);
    wordsThatFit(pen, [`${xName} ${si(this.x[0], xUnit)} to ${si(this.x[1], xUnit)}`, `to ${si(this.x[1], xUnit)}`], w - 6, h - 5, w - 12, "right");
  }
}

/** Penetration and force of an impact: closed by what the contact loses. */
export class ImpactLoop extends Loop {
  static title = "Impact loop";
  static contacts = ({ contacts }) => {
    const room = contacts.some((c) => c.type === "friction" && isSeen(c)) ? 2 : 4; // two signals each, of the ring's eight
    return contacts.filter((c) => c.type === "impact" && isSeen(c)).slice(0, room).map((c) => c.name);
  };
  static wants = (info) => ImpactLoop.contacts(info).flatMap((name) => [`${name}.compression`, `${name}.force`]);

  // Of several contacts the one that touched last.
  draw(canvas, at) {
    const names = ImpactLoop.contacts(at.engine.info);
    if (this.info !== at.engine.info) Object.assign(this, { info: at.engine.info, seen: 0, looked: at.end - 4096, name: names[0], x: undefined, y: undefined });
    if (!at.isFrozen) {
      // Since the last picture, however long ago that is: no blow is missed by a page that is late. What was not watched yet is of others.
      const since = Math.max(this.looked ?? 0, at.engine.watchedFrom ?? 0);
      const frames = Math.min(RING_FRAMES / 2, Math.max(0, at.end - since));
      if (frames) for (const name of names) this.lookFor(at, name, frames);
      this.looked = at.end;
    }
    at = { ...at, end: this.seen ? Math.min(at.end, this.seen) : at.end };
    this.loop(canvas, at, ["penetration", "m", [[`${this.name}.compression`, 1]]], [`${this.name}: force`, "N", `${this.name}.force`], 0.01 * at.rate);
  }

  // Only what touches is part of the loop: a hammer far away would shrink it to a point.
  tidy(x, y) {
    for (let i = 0; i < x.length; i += 1) if (y[i] === 0) x[i] = Math.max(0, x[i]);
  }

  // Impacts are short: keep the last one in view.
  lookFor({ ring, engine, end }, name, frames) {
    const column = engine.column(`${name}.force`);
    if (column < 0) return;
    const seen = ring.column(column, frames, end);
    const last = seen.findLastIndex((force) => force > 0);
    const at = end - (seen.length - 1 - last) + 64;
    if (last < 0 || at <= this.seen) return;
    if (name !== this.name) this.x = this.y = undefined;
    Object.assign(this, { seen: at, name });
  }
}

/** The velocity of a site; a body with one port has no name for it. */
const velocityOf = ({ signals }, site) => [`${site}.velocity`, `${site.replace(/\.[^./]*$/, "")}.velocity`].find((name) => signals.includes(name));

/** Sliding velocity and force of a friction contact. */
export class FrictionLoop extends Loop {
  static title = "Friction loop";
  static contacts = (info) => {
    const room = info.contacts.some((c) => c.type === "impact" && isSeen(c)) ? 1 : 2; // three signals each, of the ring's eight
    return info.contacts.filter((c) => c.type === "friction" && isSeen(c)).slice(0, room)
      .map((c) => ({ name: c.name, signals: [...c.between.map((site) => velocityOf(info, site)), `${c.name}.force`] }));
  };
  static wants = (info) => [...new Set(FrictionLoop.contacts(info).flatMap(({ signals }) => signals))];

  // Of several contacts the one that rubs hardest now; it stays in view until another does.
  draw(canvas, at) {
    const all = FrictionLoop.contacts(at.engine.info);
    if (this.info !== at.engine.info) Object.assign(this, { info: at.engine.info, rub: all[0], x: undefined, y: undefined });
    if (!this.rub) return; // a scene that does not rub, for a moment before this view is gone
    const strength = ({ signals }) => {
      const column = at.engine.column(signals[2]);
      return column < 0 ? 0 : at.ring.column(column, 512, at.end).reduce((most, force) => Math.max(most, Math.abs(force)), 0);
    };
    if (!at.isFrozen && all.length > 1) {
      const hardest = all.reduce((best, one) => (strength(one) > 1.5 * strength(best) ? one : best), this.rub);
      if (hardest.name !== this.rub.name) Object.assign(this, { rub: hardest, x: undefined, y: undefined });
    }
    const { name, signals: [a, b, force] } = this.rub;
    this.loop(canvas, at, ["sliding", "m/s", [[a, 1], [b, -1]]], [`${name}: force`, "N", force], 0.03 * at.rate);
  }
}

/** Energy held by every body and law. */
export class Energies {
  static title = "Energy";
  static wants = (info) => [...info.bodies, ...info.contacts].filter(isSeen).map(({ name }) => name);
  zoom = 1;

  draw(canvas, { engine, status }) {
    const { pen, w, h } = fit(canvas);
    if (!status) return;
    // Copies count with what they are copies of.
    const sums = new Map();
    [...engine.info.bodies, ...engine.info.contacts].forEach(({ name }, i) => {
      const written = isCopy(name) ? name.split("~")[0] : name;
      sums.set(written, (sums.get(written) ?? 0) + (status.energies[i] ?? 0));
    });
    const bodies = new Set(engine.info.bodies.map(({ name }) => name));
    let rows = [...sums].filter(([name, energy]) => energy > 0 || bodies.has(name));
    const most = Math.max(1, Math.floor(h / 18));
    if (rows.length > most) rows = rows.sort(([, a], [, b]) => b - a).slice(0, most);
    const tall = Math.min(26, h / Math.max(1, rows.length));
    rows.forEach(([name, energy], i) => {
      // 120 dB from a picojoule to a joule.
      const part = energy > 0 ? Math.min(1, Math.max(0, 1 + (Math.log10(energy) * this.zoom) / 12)) : 0;
      pen.fillStyle = colour("--body");
      pen.fillRect(0, i * tall + 2, part * w, tall - 4);
      const amount = si(energy, "J");
      pen.font = "12px system-ui, sans-serif";
      const room = w - 24 - pen.measureText(amount).width;
      let shown = name;
      while (shown.length > 2 && pen.measureText(shown).width > room) shown = `${shown.slice(0, -2)}\u2026`;
      words(pen, shown, 6, (i + 0.5) * tall + 4);
      words(pen, amount, w - 6, (i + 0.5) * tall + 4, "right");
    });
  }
}

/** The modes of the body last touched, along the frequency axis, lit by their energy. */
export class Modes {
  static title = "Modes";
  static wants = (info) => info.bodies.filter((body) => body.modes.length && isSeen(body)).map((body) => body.name);
  zoom = 1;

  /** Frequency at a part of the width, in pixels, Hz. */
  static frequency(across, rate, w) {
    return 20 * (rate / 2 / 20) ** ((across * w - 6) / (w - 12));
  }

  draw(canvas, { engine, status, isFrozen, frequencies }) {
    const { pen, w, h } = fit(canvas);
    const body = status && engine.info.bodies[status.body];
    if (!body?.modes?.length) {
      words(pen, body ? `${body.name} has no list of modes` : "touch a body", 6, 14);
      return;
    }
    const [low, high] = [20, engine.rate / 2];
    const most = Math.max(1e-15, ...status.modes);
    if (!isFrozen) this.most = Math.max(most, 0.97 * (this.most ?? 0));
    const x = (hz) => (Math.log(Math.max(hz, low) / low) / Math.log(high / low)) * (w - 12) + 6;
    const [rails, lit] = [new Path2D(), new Path2D()];
    const now = frequencies(status.body);
    now.forEach((hz, i) => {
      const part = Math.min(1, Math.max(0, 1 + (10 * Math.log10((status.modes[i] ?? 0) / this.most + 1e-30) * this.zoom) / 80));
      const at = x(hz);
      rails.moveTo(at, 20);
      rails.lineTo(at, h - 18);
      lit.moveTo(at, h - 18);
      lit.lineTo(at, h - 18 - part * (h - 40));
    });
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.stroke(rails);
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = body.modes.length > 80 ? 2 : 4;
    pen.stroke(lit);
    if (this.lit?.body === status.body) {
      pen.strokeStyle = colour("--second");
      pen.lineWidth = 3;
      pen.strokeRect(x(now[this.lit.mode]) - 5, 18, 10, h - 34);
    }
    wordsThatFit(pen, [`${body.name}: ${body.modes.length} modes, top ${si(this.most, "J")}`, `${body.modes.length} modes, top ${si(this.most, "J")}`, `${body.modes.length} modes`], 6, 14, w - 12);
    for (const hz of [100, 1000, 10000]) words(pen, si(hz, "Hz"), x(hz), h - 5, "center");
  }
}

export const VIEWS = [Scope, Spectrogram, ImpactLoop, FrictionLoop, Energies, Modes];
