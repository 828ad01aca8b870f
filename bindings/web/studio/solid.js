// SPDX-License-Identifier: MIT OR Apache-2.0
// Solids whose modes were computed from their surface: seen from a little above and aside, with every place of the surface moved as the modes say.
import { colour } from "./canvas.js";

/** Turned about the upright and tilted towards the eye by so much, radians. */
const TURNED = 0.45;
const TILTED = 0.5;
/** A solid lower than this part of its length lies on its side. */
const FLAT = 0.35;
/** Its longer side in the picture, m: as it is, but no less and no more. */
const SIDE_M = [0.16, 0.5];
/** Numbers of modes over a surface that are asked for at most; above, it is drawn without them. */
const MOST = 4e6;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a, b) => a.map((x, k) => x - b[k]);
const mix = (a, x, b, y) => a.map((part, k) => x * part + y * b[k]);
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

export const isSolid = ({ type, vertices_m: places, triangles }) => type === "mesh" && places?.length > 0 && triangles?.length > 0;

const views = new WeakMap();

/** How a solid is seen: `ways` of the picture (right, up, to the eye), and every vertex as fractions of it, with its depth and normal. */
export function viewOf(body) {
  if (views.has(body)) return views.get(body);
  const { vertices_m: places, triangles } = body;
  const sides = [0, 1, 2].map((axis) => Math.max(...places.map((v) => v[axis])) - Math.min(...places.map((v) => v[axis])));
  const axes = [0, 1, 2].sort((a, b) => sides[b] - sides[a]);
  // What is not flat stands as it was drawn: z upwards.
  const [along, high] = sides[2] > FLAT * sides[axes[0]] ? [sides[0] >= sides[1] ? 0 : 1, 2] : axes;
  const axis = (k) => [0, 1, 2].map((i) => (i === k ? 1 : 0));
  const [right, up] = [axis(along), axis(high)];
  const eye = cross(right, up);
  const [aside, towards] = [mix(right, Math.cos(TURNED), eye, Math.sin(TURNED)), mix(eye, Math.cos(TURNED), right, -Math.sin(TURNED))];
  const ways = [aside, mix(up, Math.cos(TILTED), towards, -Math.sin(TILTED)), mix(towards, Math.cos(TILTED), up, Math.sin(TILTED))];
  const flat = places.map((v) => ways.map((way) => dot(way, v)));
  const [low, top] = [Math.min, Math.max].map((most) => [0, 1].map((k) => most(...flat.map((v) => v[k]))));
  const size = minus(top, low).map((side) => side || 1e-9);
  const normals = places.map(() => [0, 0, 0]);
  for (const [a, b, c] of triangles) {
    const normal = cross(minus(places[b], places[a]), minus(places[c], places[a]));
    for (const corner of [a, b, c]) normals[corner] = mix(normals[corner], 1, normal, 1);
  }
  const seen = normals.map((normal) => ways.map((way) => dot(way, unit(normal))));
  const point = (place) => [(dot(ways[0], place) - low[0]) / size[0], (top[1] - dot(ways[1], place)) / size[1]];
  const view = { ways, size, seen, point, points: places.map(point), depths: flat.map((v) => v[2]) };
  views.set(body, view);
  return view;
}

/** Width and height in the picture, m. */
export function sizeOf(body) {
  const { size } = viewOf(body);
  const long = Math.max(...size);
  const factor = Math.min(SIDE_M[1], Math.max(SIDE_M[0], long)) / long;
  return size.map((side) => side * factor);
}

/** The vertex on the near side that is nearest to a point of the picture. */
export function nearest(body, [s, t]) {
  const { points, seen, size } = viewOf(body);
  const away = (i) => Math.hypot((points[i][0] - s) * size[0], (points[i][1] - t) * size[1]) + (seen[i][2] > 0 ? 0 : size[0] + size[1]);
  return points.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
}

/** What every mode does at every vertex to the right, upwards and to the eye, modes innermost; null if that is too much. */
export function shapesOver({ body, number }, names, count) {
  const { ways } = viewOf(body);
  const places = body.vertices_m.flatMap((place) => ways.flatMap((way) => [...place, ...way]));
  if ((places.length / 6) * count > MOST) return null;
  try {
    return names.shapes(number, 6, places);
  } catch {
    return null; // its ports are known
  }
}

/** The parts of a colour #rrggbb. */
const parts = (text) => (/^#[0-9a-f]{6}$/i.test(text) ? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : [140, 148, 156]);
const [OUT, IN] = [[255, 120, 30], [30, 110, 220]];
/** Where light comes from: left, above and before it. */
const LIGHT = unit([-0.5, 0.7, 0.6]);

/** Its faces from back to front, orange where they move outwards and blue where they move inwards. */
export function draw(pen, actor) {
  const { body, at, motion, magnified, sheen } = actor;
  const { points, depths, seen } = viewOf(body);
  const isKnown = motion?.over && motion.field?.length === 3 * points.length;
  const field = isKnown ? motion.field : null;
  const isShown = isKnown && motion.reach * magnified > 0.6;
  const corners = points.map((point, i) => {
    const [x, y] = at(...point);
    return field ? [x + field[3 * i] * magnified, y - field[3 * i + 1] * magnified] : [x, y];
  });
  const [dark, light] = sheen.map(parts);
  const faces = body.triangles.map((face) => ({ face, depth: face.reduce((sum, i) => sum + depths[i], 0) }));
  faces.sort((a, b) => a.depth - b.depth);
  pen.lineWidth = 0.8;
  actor.faces = 0;
  for (const { face } of faces) {
    const [[ax, ay], [bx, by], [cx, cy]] = face.map((i) => corners[i]);
    // Counter-clockwise from outside, and pixels count downwards.
    if ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax) >= 0) continue;
    const normal = unit(face.reduce((sum, i) => mix(sum, 1, seen[i], 1), [0, 0, 0]));
    const lit = 0.15 + 0.85 * Math.max(0, dot(normal, LIGHT));
    const moved = isShown ? face.reduce((sum, i) => sum + dot(seen[i], field.subarray(3 * i, 3 * i + 3)), 0) / (3 * motion.reach) : 0;
    const tone = moved > 0 ? OUT : IN;
    const part = Math.min(0.9, 1.6 * Math.abs(moved));
    pen.fillStyle = pen.strokeStyle = `rgb(${dark.map((x, k) => Math.round((1 - part) * (x + lit * (light[k] - x)) + part * tone[k])).join()})`;
    pen.beginPath();
    pen.moveTo(ax, ay);
    pen.lineTo(bx, by);
    pen.lineTo(cx, cy);
    pen.closePath();
    pen.fill();
    pen.stroke();
    actor.faces += 1;
  }
  if (actor.faces) return;
  // All of it is turned away: an outline at least.
  pen.strokeStyle = colour("--edge");
  pen.beginPath();
  corners.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}
