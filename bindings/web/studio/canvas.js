// SPDX-License-Identifier: MIT OR Apache-2.0
// Canvases in the pixels of the screen and the colours of the page.

/** Clears a canvas, at the screen's resolution; the pen, and width and height in the page's pixels. */
export function fit(canvas) {
  const scale = devicePixelRatio || 1;
  const { clientWidth: w, clientHeight: h } = canvas;
  if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, w, h);
  return { pen, w, h };
}

const known = new Map();
globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", () => known.clear());

/** A colour of the style sheet; asked for once, since asking may lay out the page anew. */
export function colour(name) {
  if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return known.get(name);
}

/** Words on a picture, legible on whatever is behind them. */
export function label(pen, text, x, y) {
  pen.font = "12px system-ui, sans-serif";
  pen.lineWidth = 3;
  pen.lineJoin = "round";
  pen.strokeStyle = colour("--back");
  pen.strokeText(text, x, y);
  pen.fillStyle = colour("--text");
  pen.fillText(text, x, y);
}

/** True for people who asked their system for less motion: things may fade, but not fly. */
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether it is time for another picture of what goes on, so many ms after the last: for people who want less motion, four a second. */
export const isDue = (ms) => ms >= 250 || !isCalm();

/** A level line across a picture, with words above it. */
export function levelLine(pen, text, w, y) {
  pen.strokeStyle = colour("--line");
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(0, y);
  pen.lineTo(w, y);
  pen.stroke();
  label(pen, text, 6, y - 5);
}

/** A picture that is drawn when something of it is new. */
export class Picture {
  isNew = false;

  light() {
    if (!this.isNew) return;
    this.isNew = false;
    this.draw();
  }
}

/** A ground seen from above: `view.x` and `view.y`, m, are in the middle of the picture, y upwards; `scale` is in pixels a metre. */
export class FromAbove extends Picture {
  toPixels(x, y) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return [w / 2 + (x - this.view.x) * this.scale, h / 2 - (y - this.view.y) * this.scale];
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const [dx, dy] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
    return [this.view.x + dx / this.scale, this.view.y - dy / this.scale];
  }
}
