// SPDX-License-Identifier: MIT OR Apache-2.0
// How things are drawn. A drawing gets a pen, the actor, `at(s, t)` (pixels of a place, s along and t across it, both 0 to 1), the light and
// dark of its material, and `bend(s)`: pixels by which it is bent there.
import { colour } from "./canvas.js";
import { RIM } from "./motion.js";
import { draw as solid } from "./solid.js";

const TURN = 2 * Math.PI;

function polygon(pen, points) {
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
}

/** Fills and outlines the path that has been begun. */
function body(pen, { paint }) {
  pen.fillStyle = paint;
  pen.fill();
  pen.lineWidth = 1.25;
  pen.strokeStyle = colour("--edge");
  pen.stroke();
}

/** How light lies on something between two of its corners. */
export function sheen(pen, [x0, y0], [x1, y1], [dark, light]) {
  const paint = pen.createLinearGradient(x0, y0, x0 + 0.4 * (x1 - x0) + 20, y1);
  [[0, light], [0.45, dark], [0.62, light], [1, dark]].forEach(([part, tone]) => paint.addColorStop(part, tone));
  return paint;
}

/** Two threads from where something hangs, `wide` pixels wide, to where it is. */
export function threads(pen, [x, y], [hx, hy], wide) {
  pen.beginPath();
  pen.moveTo(hx - 5, hy);
  pen.lineTo(x, y);
  pen.lineTo(hx + 5, hy);
  pen.lineWidth = 1.25;
  pen.strokeStyle = colour("--muted");
  pen.stroke();
  pen.fillStyle = colour("--line");
  pen.fillRect(hx - 0.7 * wide, hy - 5, 1.4 * wide, 5);
}

/** A long thing that bends across itself. */
function ribbon(pen, { at, bend, ends = [0, 1], sides = [0, 1], pieces = 32 }) {
  const [[ox, oy], [px, py], [qx, qy]] = [at(0, 0), at(1, 0), at(0, 1)];
  const long = Math.hypot(px - ox, py - oy) || 1;
  const [nx, ny] = [-(py - oy) / long, (px - ox) / long];
  const sign = Math.sign(nx * (qx - ox) + ny * (qy - oy)) || 1; // bent upwards is towards t = 0
  const edge = (t) => Array.from({ length: pieces + 1 }, (_, i) => {
    const s = ends[0] + ((ends[1] - ends[0]) * i) / pieces;
    const [[x, y], by] = [at(s, t), bend(s)];
    return [x - sign * nx * by, y - sign * ny * by];
  });
  polygon(pen, [...edge(sides[0]), ...edge(sides[1]).reverse()]);
}

/** A rim seen from a little above, deformed by what the modes say round it. */
function rim(pen, cx, cy, rx, ry, field, scale) {
  const count = field ?? null ? field.length : 0;
  const points = Array.from({ length: RIM }, (_, i) => {
    const angle = (TURN * i) / RIM;
    const out = count === RIM ? field[i] * scale : 0;
    return [cx + (rx + out) * Math.cos(angle), cy + (ry + out * (ry / rx)) * Math.sin(angle)];
  });
  polygon(pen, points);
  return points;
}

const span = ({ at }) => {
  const [[x0, y0], [x1, y1]] = [at(0, 0), at(1, 1)];
  return { x0, y0, x1, y1, w: x1 - x0, h: y1 - y0, cx: (x0 + x1) / 2, cy: (y0 + y1) / 2 };
};

const rounded = (pen, x, y, w, h, r) => {
  pen.beginPath();
  pen.roundRect(x, y, w, h, Math.max(0, Math.min(r, Math.abs(w) / 2, Math.abs(h) / 2)));
};

function profile(pen, { x0, y0, w, h }, curve) {
  pen.beginPath();
  curve(pen, (u, v) => [x0 + u * w, y0 + v * h]);
}

/** Vessels: their wall, and the rim that sings. */
function vessel(draw) {
  return (pen, actor) => {
    const box = span(actor);
    const { high = 0.12, wide = 1, low = false } = draw.rim;
    const [rx, ry] = [0.5 * box.w * wide, 0.5 * box.h * high];
    const cy = low ? box.y1 - ry : box.y0 + ry;
    profile(pen, box, draw.wall);
    body(pen, actor);
    rim(pen, box.cx, cy, rx, ry, actor.motion?.over ? actor.motion.field : null, actor.magnified);
    pen.fillStyle = colour("--shade");
    pen.fill();
    pen.lineWidth = 2;
    pen.strokeStyle = actor.glow > 0.25 ? colour("--accent") : colour("--edge");
    pen.stroke();
    actor.rim = { cx: box.cx, cy, rx, ry };
  };
}

const legs = (pen, actor, count) => {
  const { x0, y0, w, h } = span(actor);
  pen.fillStyle = actor.sheen[0];
  for (let i = 0; i < count; i += 1) pen.fillRect(x0 + (0.04 + (0.88 * i) / (count - 1)) * w, y0 + 0.3 * h, 0.04 * w, 0.7 * h);
};

export const DRAWINGS = {
  solid,
  bar(pen, actor) {
    ribbon(pen, actor);
    body(pen, actor);
  },
  tube(pen, actor) {
    ribbon(pen, actor);
    body(pen, actor);
    const [[x, y], [px, py]] = [actor.at(1, 0), actor.at(1, 1)];
    pen.beginPath();
    const isUpright = Math.abs(px - x) > Math.abs(py - y);
    const half = Math.hypot(px - x, py - y) / 2;
    pen.ellipse((x + px) / 2, (y + py) / 2, isUpright ? half : 0.4 * half, isUpright ? 0.4 * half : half, 0, 0, TURN);
    pen.fillStyle = colour("--shade");
    pen.fill();
    pen.stroke();
  },
  string(pen, actor) {
    const { at, bend } = actor;
    const [[x0, y0], [x1, y1]] = [at(0, 0.5), at(1, 0.5)];
    const isUpright = Math.abs(y1 - y0) > Math.abs(x1 - x0);
    pen.fillStyle = actor.sheen[0];
    for (const [x, y] of [[x0, y0], [x1, y1]]) {
      rounded(pen, x - (isUpright ? 14 : 4), y - (isUpright ? 4 : 14), isUpright ? 28 : 8, isUpright ? 8 : 28, 3);
      pen.fill();
    }
    pen.beginPath();
    for (let i = 0; i <= 64; i += 1) {
      const [[x, y], by] = [at(i / 64, 0.5), bend(i / 64)];
      pen.lineTo(isUpright ? x + by : x, isUpright ? y : y - by);
    }
    pen.lineWidth = 5;
    pen.strokeStyle = colour("--edge");
    pen.stroke();
    pen.lineWidth = 2.6;
    pen.strokeStyle = actor.glow > 0.25 ? colour("--accent") : actor.sheen[1];
    pen.stroke();
  },
  table(pen, actor) {
    legs(pen, actor, 2);
    ribbon(pen, { ...actor, sides: [0, 0.34] });
    body(pen, actor);
  },
  ground(pen, actor) {
    ribbon(pen, { ...actor, sides: [0, 0.45] });
    body(pen, actor);
    const { x0, y0, w, h } = span(actor);
    pen.beginPath();
    for (let i = 0; i < 16; i += 1) {
      pen.moveTo(x0 + ((i + 0.6) / 16) * w, y0 + 0.5 * h);
      pen.lineTo(x0 + ((i + 0.1) / 16) * w, y0 + h);
    }
    pen.strokeStyle = colour("--edge");
    pen.lineWidth = 1;
    pen.stroke();
  },
  plate(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    rounded(pen, x0, y0, w, h, 4);
    body(pen, actor);
    actor.surface?.(pen);
  },
  disc(pen, actor) {
    const { cx, cy, w, h } = span(actor);
    pen.beginPath();
    pen.ellipse(cx, cy, w / 2, h / 2, 0, 0, TURN);
    body(pen, actor);
    actor.surface?.(pen);
  },
  drum(pen, actor) {
    DRAWINGS.disc(pen, actor);
    const { cx, cy, w, h } = span(actor);
    pen.beginPath();
    pen.ellipse(cx, cy, w / 2 + 5, h / 2 + 5, 0, 0, TURN);
    pen.lineWidth = 9;
    pen.strokeStyle = "#7b5730";
    pen.stroke();
    pen.lineWidth = 1.25;
    pen.strokeStyle = colour("--edge");
    pen.stroke();
  },
  door(pen, actor) {
    DRAWINGS.plate(pen, actor);
    const { x0, y0, w, h } = span(actor);
    pen.lineWidth = 1.5;
    for (const [v, tall] of [[0.08, 0.36], [0.54, 0.38]]) {
      for (const u of [0.12, 0.56]) {
        rounded(pen, x0 + u * w, y0 + v * h, 0.32 * w, tall * h, 3);
        pen.strokeStyle = actor.sheen[0];
        pen.stroke();
      }
    }
    // Hinges on one side, the handle on the other.
    const isLeft = actor.hinged !== "right";
    pen.fillStyle = "#8c949c";
    for (const v of [0.1, 0.8]) {
      rounded(pen, isLeft ? x0 - 5 : x0 + w - 5, y0 + v * h, 10, 0.1 * h, 3);
      pen.fill();
      pen.stroke();
    }
    pen.beginPath();
    pen.arc(isLeft ? x0 + 0.93 * w : x0 + 0.07 * w, y0 + 0.52 * h, Math.max(3, 0.03 * h), 0, TURN);
    pen.fillStyle = "#ecc969";
    pen.fill();
    pen.stroke();
  },
  bell: vessel({
    rim: { high: 0.14, wide: 0.96, low: true },
    wall(pen, p) {
      pen.moveTo(...p(0.44, 0.02));
      pen.bezierCurveTo(...p(0.26, 0.04), ...p(0.32, 0.6), ...p(0.02, 0.93));
      pen.bezierCurveTo(...p(0.2, 1.01), ...p(0.8, 1.01), ...p(0.98, 0.93));
      pen.bezierCurveTo(...p(0.68, 0.6), ...p(0.74, 0.04), ...p(0.56, 0.02));
      pen.closePath();
    },
  }),
  bowl: vessel({
    rim: { high: 0.26 },
    wall(pen, p) {
      pen.moveTo(...p(0, 0.13));
      pen.bezierCurveTo(...p(0.03, 0.75), ...p(0.25, 1), ...p(0.5, 1));
      pen.bezierCurveTo(...p(0.75, 1), ...p(0.97, 0.75), ...p(1, 0.13));
      pen.closePath();
    },
  }),
  cup: vessel({
    rim: { high: 0.16 },
    wall(pen, p) {
      pen.moveTo(...p(0, 0.08));
      pen.lineTo(...p(0.12, 0.94));
      pen.bezierCurveTo(...p(0.3, 1.01), ...p(0.7, 1.01), ...p(0.88, 0.94));
      pen.lineTo(...p(1, 0.08));
      pen.closePath();
    },
  }),
  glass: vessel({
    rim: { high: 0.12, wide: 0.84 },
    wall(pen, p) {
      pen.moveTo(...p(0.08, 0.06));
      pen.bezierCurveTo(...p(-0.06, 0.42), ...p(0.2, 0.56), ...p(0.46, 0.6));
      pen.lineTo(...p(0.46, 0.88));
      pen.bezierCurveTo(...p(0.4, 0.93), ...p(0.18, 0.93), ...p(0.14, 0.98));
      pen.lineTo(...p(0.86, 0.98));
      pen.bezierCurveTo(...p(0.82, 0.93), ...p(0.6, 0.93), ...p(0.54, 0.88));
      pen.lineTo(...p(0.54, 0.6));
      pen.bezierCurveTo(...p(0.8, 0.56), ...p(1.06, 0.42), ...p(0.92, 0.06));
      pen.closePath();
    },
  }),
  box(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    const [dx, dy] = [0.22 * w, -0.28 * h];
    for (const points of [[[x0, y0], [x0 + dx, y0 + dy], [x0 + w + dx, y0 + dy], [x0 + w, y0]], [[x0 + w, y0], [x0 + w + dx, y0 + dy], [x0 + w + dx, y0 + h + dy], [x0 + w, y0 + h]]]) {
      polygon(pen, points);
      pen.fillStyle = actor.sheen[0];
      pen.fill();
      pen.lineWidth = 1.25;
      pen.strokeStyle = colour("--edge");
      pen.stroke();
    }
    DRAWINGS.plate(pen, actor);
  },
  block(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    rounded(pen, x0, y0, w, h, 8);
    body(pen, actor);
    actor.surface?.(pen);
  },
  ball(pen, actor) {
    const { cx, cy, w } = span(actor);
    const r = Math.max(5, w / 2);
    const shine = pen.createRadialGradient(cx - 0.35 * r, cy - 0.4 * r, 0.1 * r, cx, cy, 1.05 * r);
    shine.addColorStop(0, "#ffffff");
    shine.addColorStop(0.3, actor.sheen[1]);
    shine.addColorStop(1, actor.sheen[0]);
    pen.beginPath();
    pen.arc(cx, cy, r, 0, TURN);
    pen.fillStyle = shine;
    pen.fill();
    pen.lineWidth = 1.25;
    pen.strokeStyle = colour("--edge");
    pen.stroke();
    if (actor.rolled === undefined) return;
    // A mark that turns shows that it rolls.
    pen.beginPath();
    pen.arc(cx + 0.6 * r * Math.cos(actor.rolled), cy + 0.6 * r * Math.sin(actor.rolled), Math.max(2, 0.16 * r), 0, TURN);
    pen.fillStyle = colour("--edge");
    pen.fill();
  },
  /** A rod bent in three, open at a corner. */
  triangle(pen, actor) {
    const { x0, x1, y0, y1, cx, w } = span(actor);
    pen.beginPath();
    [[x0 + 0.14 * w, y1], [x1, y1], [cx, y0], [x0, y1 - 0.02 * w]].forEach(([x, y]) => pen.lineTo(x, y));
    for (const [wide, ink] of [[0.075 * w, colour("--edge")], [0.06 * w, actor.paint]]) {
      pen.lineWidth = Math.max(4, wide);
      pen.strokeStyle = ink;
      pen.stroke();
    }
  },
  anvil(pen, actor) {
    profile(pen, span(actor), (path, p) => {
      path.moveTo(...p(0, 0.06));
      [[0.3, 0], [1, 0], [1, 0.3], [0.76, 0.42], [0.66, 0.7], [0.84, 0.82], [0.84, 1], [0.24, 1], [0.24, 0.82], [0.42, 0.7], [0.36, 0.42]].forEach((at) => path.lineTo(...p(...at)));
      path.quadraticCurveTo(...p(0.1, 0.36), ...p(0, 0.06));
    });
    body(pen, actor);
  },
  wheel(pen, actor) {
    const { cx, cy, w } = span(actor);
    for (const part of [1, 0.78, 0.2]) {
      pen.beginPath();
      pen.arc(cx, cy, (part * w) / 2, 0, TURN);
      body(pen, { paint: part === 0.78 ? colour("--back") : actor.paint });
    }
    pen.beginPath();
    for (let i = 0; i < 6; i += 1) {
      const angle = (TURN * i) / 6 + (actor.rolled ?? 0);
      pen.moveTo(cx + 0.1 * w * Math.cos(angle), cy + 0.1 * w * Math.sin(angle));
      pen.lineTo(cx + 0.39 * w * Math.cos(angle), cy + 0.39 * w * Math.sin(angle));
    }
    pen.lineWidth = Math.max(2, 0.04 * w);
    pen.strokeStyle = actor.sheen[0];
    pen.stroke();
  },
  net(pen, actor) {
    const { motion, magnified, spots, at } = actor;
    const side = Math.round(Math.sqrt(spots.length));
    const isSquare = side * side === spots.length && side > 2;
    const points = spots.map((spot, i) => {
      const [x, y] = at(...spot);
      return [x, y - (motion?.field?.[i] ?? 0) * magnified];
    });
    pen.beginPath();
    points.forEach(([x, y], i) => {
      for (const j of isSquare ? [(i + 1) % side ? i + 1 : -1, i + side] : [i + 1]) {
        if (j < 0 || j >= points.length) continue;
        pen.moveTo(x, y);
        pen.lineTo(...points[j]);
      }
    });
    pen.lineWidth = 1.5;
    pen.strokeStyle = colour("--line");
    pen.stroke();
    pen.fillStyle = actor.sheen[0];
    pen.strokeStyle = colour("--edge");
    const [a, b] = [at(0, 0), at(1, 1)];
    const r = Math.max(3, Math.min(9, (0.28 * Math.abs(b[0] - a[0])) / (isSquare ? side : points.length)));
    for (const [x, y] of points) {
      pen.beginPath();
      pen.arc(x, y, r, 0, TURN);
      pen.fill();
      pen.stroke();
    }
  },
  bow(pen, actor) {
    const { x0, x1, cy, w } = span(actor);
    pen.beginPath();
    pen.moveTo(x0, cy - 0.012 * w);
    pen.bezierCurveTo(x0 + 0.3 * w, cy - 0.06 * w, x1 - 0.3 * w, cy - 0.06 * w, x1 - 0.02 * w, cy - 0.028 * w);
    pen.lineWidth = Math.max(4, 0.012 * w);
    pen.lineCap = "round";
    pen.strokeStyle = "#7b3f22";
    pen.stroke();
    rounded(pen, x1 - 0.09 * w, cy - 0.03 * w, 0.06 * w, 0.034 * w, 2);
    pen.fillStyle = "#2b2530";
    pen.fill();
    pen.beginPath();
    pen.moveTo(x0, cy - 0.008 * w);
    pen.lineTo(x0, cy + 1);
    pen.lineTo(x1 - 0.06 * w, cy + 1);
    pen.lineWidth = Math.max(2, 0.006 * w);
    pen.strokeStyle = colour("--hair");
    pen.stroke();
    pen.lineCap = "butt";
  },
  finger(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    rounded(pen, x0, y0, w, h, w / 2);
    body(pen, { paint: "#dfae8d" });
    rounded(pen, x0 + 0.24 * w, y0 + h - 0.34 * h, 0.52 * w, 0.24 * h, 0.24 * w);
    pen.fillStyle = "#f3d3bd";
    pen.fill();
  },
  hand(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    rounded(pen, x0 + 0.14 * w, y0, 0.72 * w, 0.7 * h, 0.2 * w);
    body(pen, { paint: "#dfae8d" });
    for (let i = 0; i < 4; i += 1) {
      rounded(pen, x0 + (i * w) / 4, y0 + 0.5 * h, w / 4, 0.5 * h, w / 8);
      body(pen, { paint: "#e8bd9e" });
    }
  },
  mallet(pen, actor) {
    const { cx, y0, y1, w } = span(actor);
    pen.beginPath();
    pen.moveTo(cx, y1 - w / 2);
    pen.lineTo(cx + 0.55 * (y1 - y0), y0);
    pen.lineWidth = Math.max(3, 0.16 * w);
    pen.strokeStyle = "#a98850";
    pen.stroke();
    pen.beginPath();
    pen.arc(cx, y1 - w / 2, w / 2, 0, TURN);
    body(pen, actor);
  },
  hammer(pen, actor) {
    const { cx, y0, y1, w, h } = span(actor);
    pen.beginPath();
    pen.moveTo(cx, y1 - 0.3 * h);
    pen.lineTo(cx + 0.5 * h, y0);
    pen.lineWidth = Math.max(3, 0.14 * w);
    pen.strokeStyle = "#a98850";
    pen.stroke();
    rounded(pen, cx - w / 2, y1 - 0.42 * h, w, 0.42 * h, 4);
    body(pen, actor);
  },
  point(pen, actor) {
    const { x0, x1, y0, y1, cx, h } = span(actor);
    polygon(pen, [[x0, y0], [x1, y0], [x1, y1 - 0.25 * h], [cx, y1], [x0, y1 - 0.25 * h]]);
    body(pen, actor);
  },
  hinge(pen, actor) {
    const { x0, y0, w, h } = span(actor);
    rounded(pen, x0, y0, w, h, 3);
    body(pen, { paint: "#8c949c" });
    pen.beginPath();
    // The pin turns.
    const turn = actor.rolled ?? 0;
    for (const v of [0.25, 0.5, 0.75]) {
      pen.moveTo(x0, y0 + v * h);
      pen.lineTo(x0 + w, y0 + v * h);
    }
    pen.moveTo(x0 + w * (0.5 + 0.4 * Math.sin(turn)), y0);
    pen.lineTo(x0 + w * (0.5 + 0.4 * Math.sin(turn)), y0 + h);
    pen.stroke();
  },
  shoe(pen, actor) {
    profile(pen, span(actor), (path, p) => {
      path.moveTo(...p(0.02, 0.05));
      path.lineTo(...p(0.4, 0.02));
      path.bezierCurveTo(...p(0.5, 0.4), ...p(0.7, 0.5), ...p(0.92, 0.6));
      path.bezierCurveTo(...p(1, 0.66), ...p(1, 0.9), ...p(0.98, 1));
      path.lineTo(...p(0.02, 1));
      path.closePath();
    });
    body(pen, { paint: "#6b4a36" });
  },
};
