// SPDX-License-Identifier: MIT OR Apache-2.0
// Where everything stands on the stage, how large and as what it is drawn: as the scene's `look` tables say, and where they say
// nothing by type, shape, material, name and contacts. Metres, y upwards.
import { isSolid, nearest, sizeOf, viewOf } from "./solid.js";
import { isSeen } from "./surfaces.js";

/** Drawings that are long, and are touched along their length. */
export const LONG = new Set(["bar", "string", "tube", "table", "ground"]);
/** Drawings that are flat, seen from above. */
export const FLAT = new Set(["plate", "disc", "drum", "door"]);
const ROUND = new Set(["disc", "drum"]);
/** Drawings with a rim that is seen. */
export const RIMMED = new Set(["glass", "bowl", "cup", "bell"]);

const BY_SHAPE = {
  string: "string", bar: "bar", tube: "tube", "rectangular-membrane": "plate", "rectangular-plate": "plate", cylinder: "tube",
  "circular-membrane": "drum", "circular-plate": "disc", bowl: "bowl", bell: "bell", box: "box", "rounded-box": "box", sphere: "ball",
};
const BY_TYPE = { string: "string", vessel: "cup" };
const BY_NAME = [
  [/^triangle/, "triangle"], [/anvil/, "anvil"], [/jingle|sleigh/, "disc"], [/bell/, "bell"], [/glass|goblet/, "glass"], [/bowl|dish|pan\b/, "bowl"], [/cup|\bcan\b|canister|jug|bottle|pot/, "cup"], [/drum|skin|head/, "drum"],
  [/gong|disc|coin|saucer|lid|cymbal/, "disc"], [/door/, "door"], [/plate|sheet|pane|roof|deck|slab|paving/, "plate"], [/table|board|desk/, "table"],
  [/floor|ground|rail|road/, "ground"], [/wheel/, "wheel"], [/block/, "block"], [/bar|key|tine|rod|^[a-g]\d?$/, "bar"], [/string|wire/, "string"], [/chimney|gap/, "tube"],
];
const TOOLS = [
  [/hammer/, "hammer"], [/mallet|beater|clapper|stick/, "mallet"], [/bow/, "bow"], [/hinge/, "hinge"], [/finger|thumb|index|middle|ring|nail/, "finger"], [/hand|palm|fist|knuckle/, "hand"], [/foot|shoe|sole|skate/, "shoe"],
  [/ball|marble|stone|pebble|first|second/, "ball"], [/tip|felt|soft|padded|bare/, "mallet"], [/point|needle|stylus|chalk|spoon|key|nail/, "point"],
];
/** Width and height that a drawing has if nobody says, m. */
const SIZES = {
  ball: [0.05, 0.05], bar: [0.3, 0.045], plate: [0.34, 0.24], disc: [0.28, 0.28], drum: [0.3, 0.3], bell: [0.24, 0.26], bowl: [0.26, 0.14], glass: [0.14, 0.26],
  cup: [0.18, 0.22], box: [0.26, 0.18], string: [0.5, 0.03], tube: [0.4, 0.06], net: [0.32, 0.32], bow: [0.46, 0.03], finger: [0.035, 0.1], hand: [0.08, 0.1],
  mallet: [0.03, 0.11], hammer: [0.036, 0.1], point: [0.02, 0.12], door: [0.2, 0.34], hinge: [0.03, 0.06], table: [0.5, 0.12], ground: [0.6, 0.1], wheel: [0.24, 0.24],
  triangle: [0.26, 0.23], anvil: [0.36, 0.19], shoe: [0.16, 0.08], block: [0.16, 0.09], nothing: [0, 0],
};
/** How far above what it strikes a tool waits, m. */
const WAITS_M = 0.05;
/** Between what one part of a scene brings and what another does, m. */
const APART_M = 0.1;

const isTool = ({ type }) => type === "mass" || type === "guided" || type === "wall";
const wordFor = (rows, text) => rows.find(([word]) => word.test(text))?.[1];

/** As what a body is drawn. */
function drawingOf(body, isHeld) {
  if (body.look?.drawing) return body.look.drawing;
  if (isSolid(body)) return "solid";
  const name = body.name.slice(body.name.lastIndexOf("/") + 1);
  if (isTool(body)) return wordFor(TOOLS, name) ?? (body.type === "wall" ? "block" : body.type === "guided" ? "hand" : isHeld ? "hammer" : "ball");
  if (body.type === "network") return "net";
  return BY_SHAPE[body.shape] ?? wordFor(BY_NAME, name) ?? BY_TYPE[body.type] ?? wordFor(BY_NAME, body.words ?? "") ?? "block";
}

/** Where a port is on a body, as fractions along and across it; those that know no place are spread. */
export function spots(actor) {
  const { body, drawing } = actor;
  const count = body.ports.length;
  const spread = (i) => {
    if (body.type === "network") {
      const side = Math.round(Math.sqrt(count));
      return side * side === count ? [(i % side + 0.5) / side, (Math.floor(i / side) + 0.5) / side] : [(i + 0.5) / count, 0.5];
    }
    if (count === 1) return RIMMED.has(drawing) ? [drawing === "bell" ? 0.1 : 0.03, drawing === "bell" ? 0.9 : 0.06] : [0.5, 0.5];
    const named = { end: 0.02, tip: 0.98, middle: 0.5, centre: 0.5, center: 0.5, quarter: 0.25, left: 0.15, right: 0.85, edge: 0.05 }[body.ports[i].name];
    if (RIMMED.has(drawing)) return [0.05 + (0.9 * i) / (count - 1), drawing === "bell" ? 0.9 - 0.25 * i : 0.06];
    if (count > 12) {
      const rows = Math.round(Math.sqrt(count / 2));
      const columns = Math.ceil(count / rows);
      return [((i % columns) + 1) / (columns + 1), (Math.floor(i / columns) + 1) / (rows + 1)];
    }
    return [named ?? (i + 1) / (count + 1), 0.5];
  };
  // What is seen from the side is touched on top.
  const top = drawing === "table" || drawing === "ground";
  return body.ports.map(({ place }, i) => (place ? pointOf(actor, place) : spread(i))).map(([s, t]) => (top ? [s, 0] : [s, t]));
}

/** Fractions along and across a drawing of a place on a shape; and back. */
export function pointOf({ drawing, body }, place) {
  if (drawing === "solid") return viewOf(body).point(place);
  if (ROUND.has(drawing)) return [0.5 + 0.5 * place[0] * Math.cos(2 * Math.PI * (place[1] ?? 0)), 0.5 + 0.5 * place[0] * Math.sin(2 * Math.PI * (place[1] ?? 0))];
  if (RIMMED.has(drawing)) {
    const [height, turn = 0] = place;
    return [0.5 + 0.48 * Math.cos(2 * Math.PI * turn) * (0.4 + 0.6 * height), drawing === "bell" ? 0.1 + 0.82 * height : 0.94 - 0.88 * height];
  }
  if (drawing === "ball") return [0.5 + 0.5 * place[0] * Math.cos(2 * Math.PI * (place[2] ?? 0)), 0.5 + 0.5 * place[0] * Math.sin(2 * Math.PI * (place[2] ?? 0))];
  return [place[0] ?? 0.5, place[1] ?? 0.5];
}

const clamp01 = (x) => Math.min(1, Math.max(0, x));

export function placeOf({ drawing, body }, [s, t]) {
  if (drawing === "solid") return body.vertices_m[nearest(body, [s, t])];
  if (LONG.has(drawing)) return [clamp01(s)];
  if (ROUND.has(drawing)) {
    const [dx, dy] = [2 * s - 1, 2 * t - 1];
    const turn = Math.atan2(dy, dx) / (2 * Math.PI);
    return [clamp01(Math.hypot(dx, dy)), turn < 0 ? turn + 1 : turn];
  }
  if (RIMMED.has(drawing)) {
    const height = clamp01(drawing === "bell" ? (t - 0.1) / 0.82 : (0.94 - t) / 0.88);
    return [height, Math.acos(Math.min(1, Math.max(-1, (s - 0.5) / (0.48 * (0.4 + 0.6 * height))))) / (2 * Math.PI)];
  }
  if (drawing === "ball") return [clamp01(Math.hypot(2 * s - 1, 2 * t - 1)), 0.5, (Math.atan2(2 * t - 1, 2 * s - 1) / (2 * Math.PI) + 1) % 1];
  if (body.shape === "box" || body.shape === "rounded-box") return [clamp01(s), clamp01(t), 0];
  return [clamp01(s), clamp01(t)];
}

/** Everything on the stage, those in front last. Null if there is nothing to see. */
export function layOut(info) {
  const bodies = info.bodies.filter(isSeen);
  const contacts = info.contacts.filter(isSeen).map((contact) => ({
    ...contact, number: info.contacts.indexOf(contact), ends: contact.between.map((text) => ({ body: text.split(".")[0], port: text.split(".")[1] })),
  }));
  const actors = bodies.map((body) => ({ name: body.name, body, number: info.bodies.indexOf(body), look: body.look ?? {}, isTool: isTool(body) }));
  const byName = new Map(actors.map((actor) => [actor.name, actor]));
  for (const actor of actors) if (!actor.isTool) actor.drawing = drawingOf(actor.body, false);
  // A tool belongs to the first thing that it touches and that is seen.
  for (const contact of contacts) {
    const [a, b] = contact.ends.map((end) => byName.get(end.body));
    if (!a || !b) continue;
    for (const [tool, thing, end] of [[a, b, contact.ends[1]], [b, a, contact.ends[0]]]) {
      if (tool.isTool && !thing.isTool && !tool.on && thing.drawing !== "nothing") Object.assign(tool, { on: thing, port: end.port, contact });
      if (tool.isTool && !thing.isTool && contact.type === "friction") thing.isRubbed = true;
    }
  }
  for (const actor of actors) {
    actor.drawing ??= drawingOf(actor.body, Boolean(actor.on));
  }
  // Every part of a scene is laid out as it would be by itself.
  const parts = new Map();
  for (const actor of actors) {
    const part = actor.name.slice(0, actor.name.lastIndexOf("/") + 1);
    parts.set(part, [...(parts.get(part) ?? []), actor]);
  }
  for (const own of parts.values()) {
    const things = own.filter(({ isTool: is, drawing }) => !is && drawing !== "nothing");
    place(things, info);
    for (const actor of things) actor.spots = spots(actor);
    placeTools(own.filter(({ isTool: is }) => is), things);
    for (const actor of own) actor.spots ??= spots(actor);
  }
  const isDrawn = ({ drawing, at }) => drawing !== "nothing" && at;
  const seen = actors.filter(isDrawn);
  if (!seen.length) return null;
  sideBySide([...parts.values()].map((own) => own.filter(isDrawn)).filter(({ length }) => length));
  // Grounds lie behind, tools in front.
  const rank = ({ drawing, isTool: is }) => (drawing === "table" || drawing === "ground" ? 0 : is ? 2 : 1);
  seen.sort((a, b) => rank(a) - rank(b));
  return { actors: seen, byName: new Map(seen.map((actor) => [actor.name, actor])), contacts: contacts.filter(({ ends }) => ends.every(({ body }) => byName.has(body))), box: boxAround(seen) };
}

/** Groups of actors in rows, none over another. */
function sideBySide(groups) {
  if (groups.length < 2) return;
  const columns = groups.length <= 3 ? groups.length : Math.ceil(Math.sqrt(1.6 * groups.length));
  let top = 0;
  for (let from = 0; from < groups.length; from += columns) {
    const row = groups.slice(from, from + columns).map((own) => ({ own, box: boxAround(own) }));
    const width = row.reduce((sum, { box }) => sum + box[2] - box[0] + APART_M, -APART_M);
    const height = Math.max(...row.map(({ box }) => box[3] - box[1]));
    let left = -width / 2;
    for (const { own, box } of row) {
      // What is lower than its neighbours stands on the same ground.
      const [dx, dy] = [left - box[0], top - height - box[1]];
      for (const actor of own) for (const spot of [actor.at, actor.contactAt]) if (spot) [spot[0], spot[1]] = [spot[0] + dx, spot[1] + dy];
      left += box[2] - box[0] + APART_M;
    }
    top -= height + APART_M;
  }
}

/** Long bars and strings of one scene are as long as their pitch says. */
function lengthFor(actor, info) {
  const hz = info.paths.find(({ path }) => path === `${actor.name}/freq_hz`)?.value ?? actor.body.modes.find(({ freq_hz }) => freq_hz > 20)?.freq_hz;
  return hz ? 1 / Math.sqrt(hz) : null;
}

function place(things, info) {
  const size = (actor) => [...(actor.look.size_m ?? (actor.drawing === "solid" ? sizeOf(actor.body) : SIZES[actor.drawing]))];
  const free = things.filter(({ look }) => !look.place_m);
  for (const actor of things) {
    actor.size = size(actor);
    // A bow goes across: the string stands upright.
    if (!actor.look.size_m && actor.drawing === "string" && actor.isRubbed) actor.size.reverse();
    actor.at = actor.look.place_m ? [...actor.look.place_m] : null;
  }
  if (!free.length) return;
  // Bars lie side by side, the longest on the left, strings above one another, everything else in rows.
  const isAll = (word) => free.length > 1 && free.every(({ drawing }) => drawing === word);
  const below = Math.min(0, ...things.filter(({ at }) => at).map(({ at, size: [, h] }) => at[1] - h / 2 - 0.08));
  if (isAll("bar") || isAll("tube")) {
    const long = free.map((actor) => lengthFor(actor, info));
    const most = Math.max(...long.map((l) => l ?? 0)) || 1;
    free.forEach((actor, i) => {
      if (!actor.look.size_m) actor.size = [0.042, 0.3 * (long[i] ? long[i] / most : 1)];
      actor.at = [(i - (free.length - 1) / 2) * 0.062, below];
    });
  } else if (isAll("string")) free.forEach((actor, i) => (actor.at = [0, below - i * 0.1]));
  else {
    const columns = free.length <= 3 ? free.length : Math.ceil(Math.sqrt(1.6 * free.length));
    const [wide, tall] = [0, 1].map((k) => Math.max(...free.map((actor) => actor.size[k])) + 0.06);
    free.forEach((actor, i) => {
      const inRow = Math.min(columns, free.length - Math.floor(i / columns) * columns);
      actor.at = [((i % columns) - (inRow - 1) / 2) * wide, below - Math.floor(i / columns) * tall];
    });
  }
}

/** Middle of a spot of an actor, m. */
export function spotAt(actor, [s, t]) {
  const { at: [x, y], size: [w, h] } = actor;
  const isUpright = LONG.has(actor.drawing) && h > w;
  return isUpright ? [x + (t - 0.5) * w, y + (s - 0.5) * h] : [x + (s - 0.5) * w, y + (0.5 - t) * h];
}

function placeTools(tools, things) {
  const taken = new Map();
  for (const tool of tools) {
    tool.size = [...(tool.look.size_m ?? SIZES[tool.drawing])];
    const target = tool.on;
    tool.moves = tool.look.moves ?? (tool.contact?.type === "friction" ? (target && RIMMED.has(target.drawing) ? "round" : "right") : "down");
    if (tool.drawing === "nothing") continue;
    if (target?.spots) {
      const index = Math.max(0, target.body.ports.findIndex(({ name }) => name === tool.port));
      tool.touches = target.spots[index] ?? [0.5, 0.5];
      const here = spotAt(target, tool.touches);
      tool.contactAt = here;
      // Those that wait above the same spot stand beside each other.
      const key = here.map((x) => x.toFixed(2)).join();
      const beside = taken.get(key) ?? 0;
      taken.set(key, beside + 1);
      const rubs = tool.contact.type === "friction";
      tool.waits = rubs ? 0 : WAITS_M * Math.max(1, target.size[1] > 0.2 ? 1 : 0.8);
      const up = tool.drawing === "bow" ? 0 : tool.size[1] / 2;
      tool.at ??= tool.look.place_m ? [...tool.look.place_m] : [here[0] + beside * (tool.size[0] + 0.03), here[1] + up];
      tool.aside = tool.look.place_m ? 0 : beside * (tool.size[0] + 0.03);
    } else {
      tool.waits = 0;
      const right = things.length ? Math.max(...things.map(({ at, size }) => at[0] + size[0] / 2)) : 0;
      tool.at = tool.look.place_m ? [...tool.look.place_m] : [right + 0.08, 0.05];
    }
  }
}

/** How far to the right the handle of a tool goes, as a part of its height: as drawings.js has it. */
const HANDLES = { mallet: 0.55, hammer: 0.5 };

function boxAround(actors) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { at: [x, y], size: [w, h], waits = 0, aside = 0, look, drawing } of actors) {
    const side = w / 2 + (drawing === "bow" ? 0.12 * w : 0.45 * (look.hangs_m ?? 0)); // what goes to and fro needs room
    box[0] = Math.min(box[0], x - aside - side); // when it strikes it comes to where it waits beside
    box[1] = Math.min(box[1], y - h / 2);
    box[2] = Math.max(box[2], x + side, x + (HANDLES[drawing] ?? 0) * h);
    box[3] = Math.max(box[3], y + h / 2 + waits + (look.hangs_m ?? 0));
  }
  return box;
}
