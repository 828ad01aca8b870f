// SPDX-License-Identifier: MIT OR Apache-2.0
// How an object looks, and which place on it a point of the picture is. Everything is in the unit square; a figure
// draws itself, and `place` turns a point into the coordinates that the engine's shape takes (fractions).

const clamp01 = (x) => Math.min(1, Math.max(0, x));

const rectangle = (top, bottom) => ({
  path(p, box) {
    p.rect(box(0.04, top)[0], box(0.04, top)[1], box(0.96, bottom)[0] - box(0.04, top)[0],
      box(0.96, bottom)[1] - box(0.04, top)[1]);
  },
  place: ([x, y]) => [clamp01((x - 0.04) / 0.92), clamp01((y - top) / (bottom - top))],
  point: ([u = 0.5, v = 0.5]) => [0.04 + 0.92 * u, top + (bottom - top) * v],
});

const along = (figure) => ({
  ...figure,
  place: (at) => [figure.place(at)[0]],
  point: ([u = 0.5]) => figure.point([u, 0.5]),
});

const disc = {
  path(p, box, size) {
    const [x, y] = box(0.5, 0.5);
    p.arc(x, y, 0.44 * size, 0, 2 * Math.PI);
  },
  isRound: true,
  place([x, y]) {
    const [dx, dy] = [(x - 0.5) / 0.44, (y - 0.5) / 0.44];
    const turn = Math.atan2(dy, dx) / (2 * Math.PI);
    return [clamp01(Math.hypot(dx, dy)), turn < 0 ? turn + 1 : turn];
  },
  point: ([r = 0, turn = 0]) => [
    0.5 + 0.44 * r * Math.cos(2 * Math.PI * turn),
    0.5 + 0.44 * r * Math.sin(2 * Math.PI * turn),
  ],
};

// A bowl from above: the rim outside, the foot in the middle.
const bowl = {
  ...disc,
  path(p, box, size) {
    disc.path(p, box, size);
    const [x, y] = box(0.5, 0.5);
    p.moveTo(x + 0.1 * size, y);
    p.arc(x, y, 0.1 * size, 0, 2 * Math.PI);
  },
};

const bell = {
  path(p, box) {
    p.moveTo(...box(0.44, 0.08));
    p.bezierCurveTo(...box(0.3, 0.1), ...box(0.34, 0.6), ...box(0.12, 0.92));
    p.lineTo(...box(0.88, 0.92));
    p.bezierCurveTo(...box(0.66, 0.6), ...box(0.7, 0.1), ...box(0.56, 0.08));
    p.closePath();
  },
  isRound: true,
  place: ([x, y]) => [clamp01((y - 0.08) / 0.84), clamp01(0.25 + (0.5 * (x - 0.5)) / 0.76)],
  point: ([height = 1, turn = 0.25]) => [0.5 + ((((turn + 0.25) % 1) - 0.5) * 0.76 * (0.35 + 0.65 * height)) / 0.5, 0.08 + 0.84 * height],
};

const box3 = {
  path(p, box) {
    const front = [[0.1, 0.3], [0.7, 0.3], [0.7, 0.9], [0.1, 0.9]];
    p.moveTo(...box(...front[0]));
    for (const corner of [...front.slice(1), front[0]]) p.lineTo(...box(...corner));
    p.lineTo(...box(0.3, 0.1));
    p.lineTo(...box(0.9, 0.1));
    p.lineTo(...box(0.7, 0.3));
    p.moveTo(...box(0.9, 0.1));
    p.lineTo(...box(0.9, 0.7));
    p.lineTo(...box(0.7, 0.9));
  },
  place: ([x, y]) => [clamp01((x - 0.1) / 0.6), clamp01((y - 0.3) / 0.6), 0],
  point: ([u = 0.5, v = 0.5, w = 0]) => [0.1 + 0.6 * u + 0.2 * w, 0.3 + 0.6 * v - 0.2 * w],
};

const sphere = { ...disc, place: (at) => [disc.place(at)[0], 0.5, disc.place(at)[1]], point: ([r = 0, , a = 0]) => disc.point([r, a]) };

const line = {
  ...along(rectangle(0.47, 0.53)),
  path(p, box) {
    p.rect(box(0.02, 0.4)[0], box(0.02, 0.4)[1], box(0.04, 0.6)[0] - box(0.02, 0.4)[0], box(0.04, 0.6)[1] - box(0.02, 0.4)[1]);
    p.moveTo(...box(0.04, 0.5));
    p.lineTo(...box(0.96, 0.5));
    p.rect(box(0.96, 0.4)[0], box(0.96, 0.4)[1], box(0.98, 0.6)[0] - box(0.96, 0.4)[0], box(0.98, 0.6)[1] - box(0.96, 0.4)[1]);
  },
};

const slab = rectangle(0.12, 0.88);
const FIGURES = {
  string: line, bar: along(rectangle(0.36, 0.64)), tube: along(rectangle(0.38, 0.62)),
  "rectangular-membrane": slab, "rectangular-plate": slab,
  "circular-membrane": disc, "circular-plate": disc,
  bowl, bell, box: box3, "rounded-box": box3, sphere,
};

/** The figure of a body: by its shape, its type, or a plain slab with its ports spread over it. */
export function figureOf(body) {
  const known = FIGURES[body.shape ?? body.type];
  if (known) return known;
  const plain = rectangle(0.22, 0.78);
  const count = body.ports.length;
  const rows = count > 12 ? Math.round(Math.sqrt(count / 2)) : 1;
  const columns = Math.ceil(count / rows);
  const at = (i) => [((i % columns) + 1) / (columns + 1), (Math.floor(i / columns) + 1) / (rows + 1)];
  return { ...plain, point: (_, i) => plain.point(at(i)), hidesNames: count > 12 };
}
