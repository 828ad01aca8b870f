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

const rim = {
  ...disc,
  path(p, box, size) {
    disc.path(p, box, size);
    const [x, y] = box(0.5, 0.5);
    p.moveTo(x + 0.36 * size, y);
    p.arc(x, y, 0.36 * size, 0, 2 * Math.PI);
  },
  place: (at) => [disc.place(at)[1]],
  point: ([turn = 0]) => disc.point([1, turn]),
};

const bell = {
  path(p, box) {
    p.moveTo(...box(0.44, 0.08));
    p.bezierCurveTo(...box(0.3, 0.1), ...box(0.34, 0.6), ...box(0.12, 0.92));
    p.lineTo(...box(0.88, 0.92));
    p.bezierCurveTo(...box(0.66, 0.6), ...box(0.7, 0.1), ...box(0.56, 0.08));
    p.closePath();
  },
  place: ([x]) => [clamp01((x - 0.12) / 0.76)],
  point: ([u = 0.5]) => [0.12 + 0.76 * u, 0.9],
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

const FIGURES = {
  string: line, bar: along(rectangle(0.36, 0.64)), tube: along(rectangle(0.38, 0.62)),
  "rectangular-membrane": rectangle(0.12, 0.88), "rectangular-plate": rectangle(0.12, 0.88), plate: rectangle(0.12, 0.88), membrane: rectangle(0.12, 0.88),
  "circular-membrane": disc, "circular-plate": disc, drum: disc, disc,
  wineglass: rim, bowl: rim, bell, box: box3, cavity: box3, sphere,
};

/** The figure of a body: by its shape, its type, or a plain slab with its ports spread along it. */
export function figureOf(body) {
  const known = FIGURES[body.shape ?? body.type];
  if (known) return known;
  const slab = rectangle(0.22, 0.78);
  const count = body.ports.length;
  const at = (i) => [(i + 1) / (count + 1), 0.5];
  return { ...slab, ofPorts: true, point: (_, i) => slab.point(at(i)), place: (p) => slab.place(p) };
}
