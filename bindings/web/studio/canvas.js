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

/** A colour of the style sheet. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
