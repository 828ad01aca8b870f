// SPDX-License-Identifier: MIT OR Apache-2.0
// What a scene is about, in a square: its bodies as the stage draws them; where nothing stands there, the thing that it is about, the
// ground that is walked on, or what its processes do.
import { colour } from "./canvas.js";
import { DRAWINGS, sheen, threads } from "./drawings.js";
import { sheenOf } from "./materials.js";
import { layOut, spotAt } from "./layout.js";
import { lookOf, strew } from "./walk.js";

/** Units of a picture's side; lines are as wide as on a stage of this size. */
const SIDE = 300;
const MARGIN = 14;
/** How far up a tool waits, of how far it does on the stage. */
const RAISED = 0.6;

const [DEEP, WATER, PALE] = ["#2f6f9e", "#5f9fc8", "#a9d6ee"];
const [STEEL, LIGHT, WOOD, DARK, GLASS, WHITE] = ["#8c949c", "#dfe5ea", "#b08248", "#6d4a2a", "#cfe6f0", "#f7f4ec"];
const [GREEN, GOLD, RED, STONE] = ["#7f9f52", "#ecc969", "#c9503c", "#a09a92"];
const round = (x, y, rx, ry = rx) => `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0Z`;
const rounds = (...all) => all.map((one) => round(...one)).join("");
const RAIN = [PALE, "M14 4l-6 20M38 10l-6 20M62 2l-6 20M86 8l-6 20M26 34l-5 16M52 32l-5 16M76 30l-5 16", 4];
const TUMBLER = (drink, top) => [[GLASS, "M24 12H76L69 92H31Z"], [drink, `M${24 + top / 11} ${top}H${76 - top / 11}L66 89H34Z`]];

/** Pictures in hundredths of the square, by a scene's title: fills, and lines that are so wide. */
const THINGS = [
  [/board breaks/, [[WOOD, "M3 38L46 26 41 38 50 45 43 58 3 62Z"], [WOOD, "M97 38L57 26 52 40 61 47 53 58 97 62Z"], [DARK, "M10 50H36M64 50H92M48 66l-4 8M56 64l6 8", 3]]],
  [/plate breaks/, [[WHITE, "M47 46L10 42A38 38 0 0 1 44 10Z"], [WHITE, "M56 44L54 8A38 38 0 0 1 92 40Z"], [WHITE, "M57 55L92 54A38 38 0 0 1 62 90Z"], [WHITE, "M46 57L54 92A38 38 0 0 1 10 58Z"]]],
  [/cup breaks/, [[RED, "M20 14H48L44 34 54 50 42 66 50 92H32Z"], [RED, "M54 12H82L72 90H56L50 66 60 50 52 34Z"], [WHITE, "M20 14H48M54 12H82", 5]]],
  [/glass shatters/, [[GLASS, "M24 8L45 12 40 26 51 34 44 48Q26 42 24 8Z"], [GLASS, "M77 10L59 6 54 22 63 32 56 49Q76 42 77 10Z"], [GLASS, "M47 55H54L53 82 72 90H28L47 82Z"], [GLASS, "M12 58l9 6-12 5ZM84 60l8 10-13-2Z"]]],
  [/brick/, [[WATER, round(50, 76, 46, 17)], ["#b0533a", "M28 30L66 20 76 48 38 59Z"], [PALE, "M20 66L10 46M80 64L92 44M50 74V90", 5]]],
  [/brook/, [[GREEN, "M0 0H100V100H0Z"], [WATER, "M38 0Q74 28 40 54 18 76 44 100H62Q38 78 60 54 90 28 56 0Z"], [STONE, rounds([34, 62, 8, 6], [66, 40, 7, 5], [56, 84, 8, 5])]]],
  [/stream$/, [[GREEN, "M0 0H100V100H0Z"], [WATER, "M0 24Q40 20 54 44 66 70 100 70V92Q52 96 36 66 26 46 0 48Z"], [WHITE, "M10 35q14-4 22 4M46 60q6 12 18 16M76 80h14", 3]]],
  [/river/, [[GREEN, "M0 0H100V100H0Z"], [DEEP, "M0 26Q50 12 100 30V84Q50 66 0 82Z"], [PALE, "M10 42q10-6 20 0t20 0M44 58q10-6 20 0t20 0M12 68q8-5 16 0", 3]]],
  [/fire/, [["#7b5730", "M12 76L84 90 86 82 14 68ZM88 74L18 92 14 84 84 66Z"], ["#e8641b", "M50 6Q80 40 69 62 64 78 50 78 33 78 29 60 27 44 40 34 43 20 50 6Z"], ["#f7c948", "M51 36Q63 54 59 66 54 75 48 75 37 70 42 56 48 48 51 36Z"]]],
  [/\bcan\b/, [[STEEL, "M28 16H72L65 38 77 52 63 66 71 86A21 6 0 0 1 29 86L37 64 24 52 35 36Z"], [LIGHT, round(50, 16, 22, 7)], [LIGHT, "M38 42l20 6M40 70l18-8", 3]]],
  [/chain, let/, [[STEEL, `${round(50, 14, 7, 13)}${round(52, 36, 4, 11)}${round(50, 57, 7, 13)}${round(34, 80, 15, 7)}${round(62, 82, 15, 7)}${round(48, 88, 13, 5)}`, 5], [DARK, "M6 94H94", 4]]],
  [/coins/, [[GOLD, round(34, 82, 26, 9)], [GOLD, round(36, 74, 26, 9)], [GOLD, round(66, 86, 24, 8)], [GOLD, round(60, 30, 9, 24)], [GOLD, round(24, 34, 20, 14)]]],
  [/crisps/, [[RED, "M20 10L28 16 36 10 44 16 52 10 60 16 68 10 76 16 80 10 86 92 74 86 62 92 50 86 38 92 26 86 14 92Z"], [GOLD, round(50, 52, 20, 15)], ["#a13d2d", "M26 28l12 8M74 30l-10 8M24 76l12-6M78 74l-12-4", 3]]],
  [/basin/, [[LIGHT, "M4 24H96Q92 66 60 72V94H40V72Q8 66 4 24Z"], [WATER, "M11 34H89Q82 60 56 65L50 84 44 65Q18 60 11 34Z"], [WHITE, "M32 44q18-8 36 0M40 53q10-5 20 0", 3]]],
  [/tap$/, [[STEEL, "M6 24H58Q80 24 80 44V52H62V46Q62 40 56 40H6Z"], [STEEL, "M32 8H50V24H32Z"], [WATER, "M71 58Q84 78 71 86 58 78 71 58Z"]]],
  [/fizzy/, [...TUMBLER(PALE, 26), [WHITE, rounds([42, 74, 4], [54, 62, 5], [46, 48, 4], [60, 80, 3], [58, 40, 4], [38, 60, 3], [50, 32, 3])]]],
  [/bottle/, [["#a9d3b0", "M42 12H58V32Q75 40 75 54V94H25V54Q25 40 42 32Z"], [WATER, "M29 62H71V90H29Z"], [WATER, "M47 0H53V62H47Z"]]],
  [/funnel/, [[STEEL, "M8 18H92L58 56V94H42V56Z"], [WATER, "M22 30H78L56 55H44Z"], [WATER, "M48 94h4v6h-4Z"]]],
  [/glass is filled/, [...TUMBLER(WATER, 52), [WATER, "M46 0H54V54H46Z"]]],
  [/jug/, [["#c98f62", "M28 24H68L72 94H22Z"], ["#c98f62", "M70 36Q94 40 88 60 84 72 71 70", 7], [WATER, "M18 20H68L66 30H30L24 72Q12 74 13 60Z"]]],
  [/canister/, [["#5f8a63", "M14 26H86V94H14Z"], ["#5f8a63", "M60 12H78V26H60Z"], [WATER, "M21 58Q36 38 52 56T79 50V88H21Z"], [WHITE, "M26 58Q38 46 50 58", 3]]],
  [/boil/, [[STEEL, "M14 46H86V82Q86 92 76 92H24Q14 92 14 82Z"], [STEEL, "M2 54H14M86 54H98", 7], [PALE, round(50, 46, 36, 7)], [STONE, "M34 34q-8-8 0-16t0-14M52 34q-8-8 0-16t0-14M70 34q-8-8 0-16t0-14", 4]]],
  [/straw/, [...TUMBLER("#e0a35c", 40), [RED, "M46 84L60 10 80 4", 7], [WHITE, rounds([44, 70, 4], [56, 58, 3], [52, 80, 4])]]],
  [/rain on a pond/, [RAIN, [WATER, "M0 56H100V100H0Z"], [WHITE, `${round(30, 72, 18, 6)}${round(30, 72, 8, 3)}${round(72, 84, 18, 6)}${round(72, 84, 8, 3)}`, 3]]],
  [/rain on a street/, [RAIN, ["#77777c", "M30 56H70L98 100H2Z"], [WHITE, "M50 60V68M50 74V84M50 90V100", 4]]],
  [/tin roof/, [RAIN, [STEEL, "M2 66L50 50 98 66V76L50 60 2 76Z"], [WOOD, "M14 76L50 64 86 76V98H14Z"], [DARK, "M42 98V80H58V98", 3]]],
  [/rain stick/, [["#c49a63", "M8 80L76 8 92 22 24 94Z"], [DARK, "M18 68l16 16M34 52l16 16M50 36l16 16M66 20l16 16", 3], [GOLD, rounds([80, 60, 3], [70, 72, 3], [86, 76, 3], [60, 86, 3], [78, 88, 3])]]],
  [/rain/, [RAIN, [WATER, round(50, 82, 44, 12)], [WHITE, `${round(40, 80, 14, 4)}${round(66, 86, 10, 3)}`, 3]]],
  [/pond/, [[WATER, "M0 40H100V100H0Z"], [WHITE, `${round(50, 68, 40, 17)}${round(50, 68, 24, 10)}${round(50, 68, 10, 4)}`, 3], [STONE, round(50, 22, 13, 10)], [PALE, "M40 58L34 42M60 58L66 42", 4]]],
  [/tank/, [[GLASS, "M8 12H92V94H8Z"], [WATER, "M12 46Q30 36 48 46T88 42V90H12Z"], [WHITE, rounds([40, 70, 4], [60, 62, 3], [66, 78, 4])], [WATER, "M64 0H70V44H64Z"]]],
  [/waterfall/, [[STONE, "M0 14H30V100H0ZM70 14H100V100H70Z"], [PALE, "M28 10H72V80H28Z"], [WHITE, "M36 16V74M46 12V80M56 16V76M65 12V70", 3], [WATER, round(50, 86, 46, 12)], [WHITE, rounds([34, 80, 8, 5], [52, 83, 9, 5], [68, 80, 7, 5])]]],
  [/waves/, [[DEEP, "M0 62Q18 14 60 22 90 30 84 56 74 38 58 46 44 60 66 74H100V100H0Z"], [WHITE, "M14 54Q28 24 60 24 84 30 84 54M10 84q10-6 20 0t20 0 20 0 20 0", 4]]],
  [/maraca/, [[WOOD, "M38 54L58 90 50 94 32 58ZM66 50L84 86 76 92 58 54Z"], [RED, round(28, 34, 20, 25)], [GOLD, round(64, 30, 20, 25)], [WHITE, "M10 36H46M46 30H82", 4]]],
  [/paper/, [[WHITE, "M10 8H46L40 20 50 30 40 44 50 56 40 70 48 92H10Z"], [WHITE, "M60 12H92V96H58L50 74 60 60 50 48 60 34 50 24Z"], [STONE, "M18 24H32M18 38H34M18 52H32M68 30H84M68 46H84M68 62H84", 3]]],
  [/popcorn/, [[RED, "M18 46H82L72 94H28Z"], [WHITE, "M34 46L40 94H48L46 46ZM56 46L54 94H62L68 46Z"], ["#fbf0cf", rounds([26, 40, 10], [42, 34, 12], [60, 36, 11], [76, 40, 9], [52, 24, 9], [36, 20, 7], [70, 14, 7])]]],
  [/gravel, poured/, [[STEEL, "M4 84H96V92H4Z"], [STONE, "M20 84Q34 60 50 54 66 60 80 84Z"], [STONE, rounds([50, 10, 6, 5], [44, 24, 5, 4], [56, 30, 6, 5], [48, 42, 6, 5], [86, 78, 5], [14, 79, 5, 4])]]],
  [/\bice\b/, [["#bcd9ea", "M4 44L30 14 74 18 96 46 78 86 28 90Z"], [WHITE, "M48 18L44 46 20 60M44 46L66 54 90 48M66 54L62 86M44 46L36 88", 3]]],
];

/** What a kind of process does, where its scene's title names nothing of these. */
const KINDS = [
  [/^(bubbles|drip|splash|puddle|patter)$/, [[WATER, "M50 4Q82 46 50 56 18 46 50 4Z"], [PALE, `${round(50, 80, 42, 12)}`], [WHITE, `${round(50, 80, 24, 7)}`, 3]]],
  [/^rain$/, THINGS.find(([word]) => word.test("rain"))[1]],
  [/^ice$/, THINGS.find(([word]) => word.test("ice"))[1]],
  [/^break$/, [[STEEL, "M8 20L46 8 52 40 30 52Z"], [LIGHT, "M56 12L92 30 78 58 58 42Z"], [STEEL, "M34 58L54 48 76 64 60 92Z"], [LIGHT, "M10 46L26 58 30 86 12 78Z"]]],
  [/^(scatter|particles|burst)$/, [[STONE, "M6 88Q30 50 50 44 70 50 94 88Z"], [LIGHT, rounds([34, 76, 6, 5], [54, 62, 7, 5], [68, 78, 6, 5], [48, 80, 5, 4])], [STONE, rounds([50, 12, 6, 5], [40, 26, 5, 4], [60, 30, 5, 4])]]],
  [/./, [["#cfc6b4", "M12 30L36 10 50 26 74 8 92 42 80 62 90 84 52 80 28 94 24 66 8 54Z"], ["#8f8676", "M36 10L42 40 12 30M42 40L74 8M42 40L62 54 92 42M62 54L52 80M42 40L24 66", 3]]],
];

const SOLE = "M-6 -20Q6 -24 8 -8 9 2 4 6L-4 6Q-10 -6 -6 -20ZM-4 10H4Q7 22 0 24 -7 22 -4 10Z";
const PAW = `${round(0, 4, 7, 6)}${rounds([-8, -6, 3, 4], [-3, -10, 3, 4], [3, -10, 3, 4], [8, -6, 3, 4])}`;

/** Prints on a ground: how large, where, turned by how many degrees. */
function printsOf(words) {
  if (/\bdog\b/.test(words)) return { mark: PAW, at: [[26, 82], [42, 64], [30, 44], [46, 26], [64, 84], [80, 66], [68, 46], [84, 28]].map((at) => [...at, 0, 0.8]) };
  if (/two people/.test(words)) return { mark: SOLE, at: [[16, 74], [32, 56], [16, 26], [66, 78], [84, 50], [66, 24]].map((at) => [...at, 0, 0.8]) };
  if (/\brun\b/.test(words)) return { mark: SOLE, at: [[30, 82, 12, 0.9], [64, 50, 12, 0.9], [42, 18, 12, 0.9]] };
  if (/shuffl/.test(words)) return { mark: `${SOLE}M-7 26H7V50H-7Z`, at: [[32, 60, 0, 0.9], [68, 34, 0, 0.9]] };
  if (/\bwalk\b|steps|staircase/.test(words)) return { mark: SOLE, at: [[34, 80, 0, 0.8], [62, 54, 0, 0.8], [36, 26, 0, 0.8]] };
  if (/two feet/.test(words)) return { mark: SOLE, at: [[30, 52, -8, 1.6], [70, 48, 8, 1.6]] };
  return { mark: SOLE, at: [[50, 50, 14, 1.9]] };
}

/** A ground from above, and who was there; `names` are its grounds. */
function ground(pen, words, names) {
  names.forEach((name, i) => {
    const [[, paint, kind], from, to] = [lookOf(name), (100 * i) / names.length, (100 * (i + 1)) / names.length];
    pen.save();
    pen.beginPath();
    pen.rect(0, from, 100, to - from);
    pen.clip();
    pen.fillStyle = paint;
    pen.fill();
    // Two metres of it, or more where it is fine.
    const metres = /fine|sand|deep/.test(name) ? 5 : 2.4;
    pen.lineWidth = 1.2;
    strew(pen, kind, [0, 0, metres, metres], (x, y) => [(100 * x) / metres, 100 - (100 * y) / metres], 100 / SIDE);
    pen.restore();
  });
  const lines = [[/grat/, "M0 12H100M0 37H100M0 62H100M0 87H100M12 0V100M37 0V100M62 0V100M87 0V100"], [/creak/, "M0 46L40 50 52 44 100 50M20 20L60 24"], [/stair/, "M0 20H100M0 40H100M0 60H100M0 80H100"], [/thin ice/, "M0 30L34 40 60 20 100 34M34 40L44 74 20 100M44 74L100 80"]].find(([word]) => word.test(words));
  if (lines) {
    pen.lineWidth = 3;
    pen.strokeStyle = "#3a2f1c99";
    pen.stroke(new Path2D(lines[1]));
  }
  const { mark, at } = printsOf(words);
  for (const [x, y, turn, large] of at) {
    pen.save();
    pen.translate(x, y);
    pen.rotate((turn * Math.PI) / 180);
    pen.scale(large, large);
    pen.fillStyle = /deep/.test(words) ? "#2b2118e0" : "#2b2118a0";
    pen.fill(new Path2D(mark));
    pen.restore();
  }
}

function picture(pen, parts) {
  pen.lineCap = pen.lineJoin = "round";
  for (const [paint, line, wide] of parts) {
    const path = new Path2D(line);
    pen.lineWidth = wide ?? 1.2;
    pen.strokeStyle = wide ? paint : colour("--edge");
    pen.fillStyle = paint;
    if (!wide) pen.fill(path);
    pen.stroke(path);
  }
}

/** Everything on the stage as it stands before anybody plays, tools a little above what they strike. */
function stand(pen, { actors, box: [x0, y0, x1, y1] }) {
  const scale = Math.min((SIDE - 2 * MARGIN) / (x1 - x0 || 1), (SIDE - 2 * MARGIN) / (y1 - y0 || 1));
  const to = ([x, y]) => [SIDE / 2 + (x - (x0 + x1) / 2) * scale, SIDE / 2 - (y - (y0 + y1) / 2) * scale];
  for (const actor of actors) {
    const { body, look, drawing, waits = 0 } = actor;
    const at = (s, t) => {
      const [px, py] = to(spotAt(actor, [s, t]));
      return [px, py - RAISED * waits * scale];
    };
    const tones = sheenOf(body, body.words) ?? [colour("--body"), colour("--body-light")];
    if (look.hangs_m) threads(pen, at(0.5, 0.5), to([actor.at[0], actor.at[1] + look.hangs_m]), actor.size[0] * scale);
    const hinged = actors.some(({ on, touches, drawing: is }) => on === actor && is === "hinge" && touches?.[0] > 0.5) || actor.at[0] > 0 ? "right" : "left";
    DRAWINGS[drawing]?.(pen, { ...actor, at, paint: sheen(pen, at(0, 0), at(1, 1), tones), sheen: tones, bend: () => 0, magnified: 0, scale, glow: 0, hinged });
  }
}

/** Draws what a scene is about into a canvas, by what the engine says of it. */
export function thumbnail(canvas, info) {
  const pen = canvas.getContext("2d");
  pen.setTransform(canvas.width / 100, 0, 0, canvas.height / 100, 0, 0);
  pen.clearRect(0, 0, 100, 100);
  const words = info.title.toLowerCase().replace(/ with .*? underfoot/, " underfoot");
  const grounds = [...new Set(info.walks.flatMap((walk) => walk.grounds.map(({ name }) => name)))];
  const kinds = info.processes.map(({ type }) => type);
  if (info.walks.length || /underfoot|\bsteps\b/.test(words) || kinds.includes("tread")) return ground(pen, words, grounds.length > 1 ? grounds : [`${words} ${grounds}`]);
  if (/sounds? as/.test(words) && kinds.length) return ground(pen, words, words.split(/ (?:that|made to) sounds? as /));
  const thing = kinds.length ? THINGS.find(([word]) => word.test(words)) : null;
  if (thing) return picture(pen, thing[1]);
  for (const body of info.bodies) body.words = `${body.name} ${info.title}`;
  const layout = layOut(info);
  if (!layout) return picture(pen, (KINDS.find(([word]) => kinds.some((kind) => word.test(kind))) ?? KINDS.at(-1))[1]);
  pen.setTransform(canvas.width / SIDE, 0, 0, canvas.height / SIDE, 0, 0);
  pen.lineJoin = "round";
  return stand(pen, layout);
}
