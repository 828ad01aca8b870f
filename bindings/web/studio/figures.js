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

// A glass from the side: cup, stem, foot.
const glass = {
  path(p, box) {
    p.moveTo(...box(0.3, 0.06));
    p.bezierCurveTo(...box(0.22, 0.4), ...box(0.3, 0.56), ...box(0.475, 0.6));
    p.lineTo(...box(0.475, 0.86));
    p.bezierCurveTo(...box(0.42, 0.9), ...box(0.34, 0.9), ...box(0.3, 0.94));
    p.lineTo(...box(0.7, 0.94));
    p.bezierCurveTo(...box(0.66, 0.9), ...box(0.58, 0.9), ...box(0.525, 0.86));
    p.lineTo(...box(0.525, 0.6));
    p.bezierCurveTo(...box(0.7, 0.56), ...box(0.78, 0.4), ...box(0.7, 0.06));
    p.closePath();
  },
  isRound: true,
};

const slab = rectangle(0.12, 0.88);
const FIGURES = {
  string: line, bar: along(rectangle(0.36, 0.64)), tube: along(rectangle(0.38, 0.62)),
  "rectangular-membrane": slab, "rectangular-plate": slab, cylinder: slab,
  "circular-membrane": disc, "circular-plate": disc,
  bowl, bell, box: box3, "rounded-box": box3, sphere,
};

// A list of modes has no shape of its own, but its name may tell.
const NAMES = [
  [/bell/, bell, [0.3, 0.86, 0.7, 0.86]], [/glass|wine|goblet|cup/, glass, [0.32, 0.14, 0.68, 0.14]],
  [/bowl|gong|dish|saucer|disc|coin|drum|skin|lid|wheel|cymbal/, disc, [0.2, 0.5, 0.8, 0.5]],
  [/bar|key|tine|rod|tube|rail|spoon|^[a-g]\d?$/, rectangle(0.36, 0.64)],
];

/** The figure of a body: by its shape, its type, its name, or a plain slab; ports without a place are spread over it. */
export function figureOf(body) {
  const known = FIGURES[body.shape ?? body.type];
  if (known) return known;
  const [, figure, line] = NAMES.find(([word]) => word.test(body.name)) ?? [null, rectangle(0.22, 0.78)];
  const count = body.ports.length;
  const rows = count > 12 && !line ? Math.round(Math.sqrt(count / 2)) : 1;
  const columns = Math.ceil(count / rows);
  const at = (i) => [((i % columns) + 1) / (columns + 1), (Math.floor(i / columns) + 1) / (rows + 1)];
  const [x0, y0, x1, y1] = line ?? [];
  const point = line ? (i) => [x0 + at(i)[0] * (x1 - x0), y0 + at(i)[0] * (y1 - y0)] : (i) => figure.point(at(i));
  return { ...figure, place: () => [], point: (_, i) => point(i), hidesNames: count > 12 };
}

/** Colours of what bodies are made of: dark and light end of their sheen. */
const MATERIALS = {
  steel: ["#6f7d8c", "#c9d3dd"], aluminium: ["#8c949c", "#dfe5ea"], brass: ["#9c7420", "#ecc969"], bronze: ["#7d5424", "#d09c58"],
  glass: ["#4f8f99", "#b9e2e6"], crystal: ["#5d93ad", "#c8e6f4"], ice: ["#6d9fc4", "#d6ecfa"],
  marble: ["#86807c", "#e4dfda"], granite: ["#6b6664", "#b3aca8"], slate: ["#4d5660", "#8f9aa6"], ceramic: ["#a3968c", "#efe6dd"],
  rubber: ["#3f3a3f", "#7d757d"], acrylic: ["#7a6fae", "#cfc7f2"], mylar: ["#97917f", "#e6e0cd"], skin: ["#a5835f", "#e5c9a5"],
  copper: ["#8e4a2b", "#e09a72"], terracotta: ["#8f4e34", "#d08e6b"], abs: ["#5b6572", "#a9b4c2"], pine: ["#a98850", "#ecd29c"],
  chalk: ["#bdb9b0", "#faf8f3"], blackboard: ["#22332b", "#44614f"], oak: ["#7b5730", "#c49a63"], maple: ["#9c7443", "#e0bb85"], spruce: ["#a4824f", "#e6c892"], rosewood: ["#552a22", "#9a5a48"],
};

/** Where no material is written, a name together with the title may tell, else a name or the title. */
const TOGETHER = [[/^chalk\b/, "chalk"], [/^board\b.*blackboard/, "blackboard"]];
const WORDS = [
  [/steel|glockenspiel|kalimba|thumb piano|wire|spoon|coin|tine/, "steel"], [/bronze|gong|bell|bowl/, "bronze"], [/brass/, "brass"], [/glass|window/, "glass"],
  [/cradle|\bballs?\b/, "steel"], [/\btin\b|\bcan\b|alumin/, "aluminium"], [/marimba|wood|door|board|oak|table|floor/, "oak"], [/jingle|tambourine|sheet|\bpan\b|pipe|deck|chain/, "steel"], [/chimney|gap/, "terracotta"], [/shuffl|ground|concrete|paving/, "granite"], [/rubber|mat\b/, "rubber"], [/drum|skin|timpani/, "skin"],
  [/stone|slate|litho|chalk/, "slate"], [/marble/, "marble"], [/saucer|cup|plate that breaks|plate breaks/, "ceramic"], [/string|wheel|rail|brake/, "steel"], [/ice/, "ice"],
];

/** Dark and light end of a body's sheen, by its material or by words about it; null: the page's own colour. */
export function sheenOf(body, words = body.name) {
  const find = (rows, text) => rows.find(([word]) => word.test(text))?.[1];
  const told = find(TOGETHER, words) ?? find(WORDS, body.name) ?? find(WORDS, words);
  return MATERIALS[body.material ?? told] ?? null;
}

/** Pictures of what has no body: drops, a sole, a crumpled sheet. Fractions of the square, one closed line after the other. */
const SIGNS = [
  [/^\[walk\.|type = "(footstep|tread)"/m, ["#8d6a4b", "#d3b08b"], [[0.4, 0.08, 0.62, 0.12, 0.66, 0.4, 0.56, 0.56, 0.4, 0.54, 0.32, 0.3], [0.42, 0.64, 0.56, 0.64, 0.58, 0.82, 0.5, 0.92, 0.42, 0.84]]],
  [/type = "(bubbles|rain|drip|splash|puddle|vessel)"/, ["#2f6f9e", "#a9d6ee"], [[0.5, 0.08, 0.68, 0.42, 0.6, 0.6, 0.5, 0.64, 0.4, 0.6, 0.32, 0.42], [0.08, 0.78, 0.28, 0.7, 0.5, 0.78, 0.72, 0.7, 0.92, 0.78, 0.92, 0.9, 0.08, 0.9]]],
  [/type = "ice"/, ["#6d9fc4", "#d6ecfa"], [[0.06, 0.4, 0.5, 0.16, 0.94, 0.4, 0.5, 0.9]]],
  [/^\[process\./m, ["#7d7469", "#d8cdbc"], [[0.12, 0.3, 0.36, 0.12, 0.5, 0.28, 0.74, 0.1, 0.9, 0.44, 0.78, 0.62, 0.88, 0.84, 0.52, 0.78, 0.3, 0.92, 0.26, 0.64, 0.08, 0.56]]],
];

/** The tables `[body.NAME]` of a text, as far as a picture needs them. */
function bodiesIn(text) {
  return [...text.matchAll(/^\[body\.([^\].]+)\]([^[]*)/gm)].map(([, name, keys]) => {
    const word = (key) => new RegExp(`^${key} = "([^"]*)"`, "m").exec(keys)?.[1];
    return { name, type: word("type"), shape: word("shape"), material: word("material"), ports: [] };
  });
}

/** Draws what a scene is about into a square: its bodies that sound, or a sign of what happens in it. */
export function thumbnail(canvas, text) {
  const title = /^title = "(.*)"/m.exec(text)?.[1] ?? "";
  const pen = canvas.getContext("2d");
  const size = canvas.width;
  const sheen = ([dark, light]) => {
    const shine = pen.createLinearGradient(0, 0, size, size);
    [light, dark, light, dark].forEach((colour, i) => shine.addColorStop(i / 3, colour));
    return shine;
  };
  const sign = SIGNS.find(([word]) => word.test(text));
  const bodies = bodiesIn(text).filter(({ type }) => type && !["mass", "wall", "guided"].includes(type)).slice(0, 8);
  pen.lineWidth = 2;
  pen.strokeStyle = "#808080cc";
  if (sign || !bodies.length) {
    const [, colours, lines] = sign ?? [null, ["#7a7a8a", "#c9c9d6"], [[0.2, 0.2, 0.8, 0.2, 0.8, 0.8, 0.2, 0.8]]];
    for (const line of lines) {
      const path = new Path2D();
      for (let i = 0; i < line.length; i += 2) path.lineTo(line[i] * size, line[i + 1] * size);
      path.closePath();
      pen.fillStyle = sheen(colours);
      pen.fill(path);
      pen.stroke(path);
    }
    return;
  }
  bodies.forEach((body, i) => {
    const words = `${body.name} ${title}`;
    const figure = figureOf({ ...body, name: words });
    const path = new Path2D();
    // Several lie beside each other: round ones in rows, long ones as slats that grow shorter.
    const columns = figure.isRound ? Math.ceil(Math.sqrt(bodies.length)) : 1;
    const rows = Math.ceil(bodies.length / columns);
    const [wide, tall] = [size / columns, size / rows];
    const [x0, y0] = [(i % columns) * wide, Math.floor(i / columns) * tall];
    const side = Math.min(wide, tall);
    const short = figure.isRound ? 1 : 1 - (0.4 * i) / bodies.length;
    figure.path(path, (x, y) => (figure.isRound
      ? [x0 + wide / 2 + (x - 0.5) * side, y0 + tall / 2 + (y - 0.5) * side]
      : [x0 + wide * (0.5 + (x - 0.5) * short), y0 + tall * (bodies.length > 1 ? 0.5 + 1.4 * (y - 0.5) : y)]), side);
    pen.fillStyle = sheen(sheenOf(body, words) ?? ["#9c7443", "#ecc48b"]);
    pen.fill(path, "evenodd");
    pen.stroke(path);
  });
}
