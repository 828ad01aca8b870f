// SPDX-License-Identifier: MIT OR Apache-2.0
// Values written into a scene's text: the number at its key is exchanged and everything else stays, to the byte. What has no
// key in the text (a force, something inside a part, something that a drive moves) is set by an event at the start.

const FAMILIES = new Set(["body", "contact", "signal", "process", "walk", "output"]);
const NUMBER = /^[-+]?(?:\d[\d_]*(?:\.[\d_]+)?(?:[eE][-+]?\d+)?|inf|nan)/;

/** A number as it is written: six digits are more than anybody hears. */
export function written(value) {
  const text = String(Number(value.toPrecision(6)));
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Names of a key with dots, or of a table. */
const partsOf = (dotted) => [...dotted.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s.]+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);

/** Length of what stands before a comment, and how many brackets it leaves open. */
function before(line) {
  let [quote, depth] = [null, 0];
  for (let i = 0; i < line.length; i += 1) {
    const c = line[i];
    if (quote) {
      if (c === "\\" && quote === '"') i += 1;
      else if (c === quote) quote = null;
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "#") return { end: i, depth };
    else if (c === "[" || c === "{") depth += 1;
    else if (c === "]" || c === "}") depth -= 1;
  }
  return { end: line.length, depth };
}

/** Every `key = value` of a TOML text: its names from the top, and where key and value stand; and every table. */
export function keysOf(text) {
  const [keys, tables] = [[], []];
  let [table, at, open, triple] = [[], 0, 0, null];
  for (const line of text.split("\n")) {
    const start = at;
    at += line.length + 1;
    if (triple) {
      const closes = line.indexOf(triple);
      if (closes >= 0) {
        keys.at(-1).to = start + closes + triple.length;
        triple = null;
      }
      if (tables.length) tables.at(-1).last = at;
      continue;
    }
    const { end, depth } = before(line);
    if (open > 0) {
      open += depth;
      if (open <= 0) keys.at(-1).to = start + line.slice(0, end).trimEnd().length;
      if (tables.length) tables.at(-1).last = at;
      continue;
    }
    const head = /^\s*\[(\[?)([^\]]+)\]/.exec(line);
    if (head) {
      table = partsOf(head[2]);
      tables.push({ names: table, isList: head[1] === "[", from: start, last: at });
      continue;
    }
    const found = /^(\s*)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_\-.\s])+?)\s*=\s*/.exec(line);
    if (!found) continue;
    const from = start + found[0].length;
    keys.push({ names: [...table, ...partsOf(found[2])], line: start, from, to: start + line.slice(0, end).trimEnd().length, table: tables.length - 1 });
    if (tables.length) tables.at(-1).last = at;
    const mark = /^("""|''')/.exec(text.slice(from));
    if (mark && !line.slice(found[0].length + 3).includes(mark[1])) triple = mark[1];
    else open = depth;
  }
  return { keys, tables };
}

/** Where a value ends that begins here in a table on one line. */
function endOf(text, from) {
  let [quote, depth, i] = [null, 0, from];
  for (; i < text.length; i += 1) {
    const c = text[i];
    if (quote) {
      if (c === "\\" && quote === '"') i += 1;
      else if (c === quote) quote = null;
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "[" || c === "{") depth += 1;
    else if ((c === "," || c === "}") && depth === 0) break;
    else if (c === "]" || c === "}") depth -= 1;
  }
  return from + text.slice(from, i).trimEnd().length;
}

/** Where the value of a node's key stands in the text, or null: its place, and the whole line if that is all there is in it. */
function valueAt(text, node, key) {
  const { keys } = keysOf(text);
  const belongs = (names) => FAMILIES.has(names[0]) && names[1] === node;
  // In its own table, or in one inside it: a surface, a space.
  const own = keys.find(({ names }) => belongs(names) && names.length === 3 && names[2] === key)
    ?? keys.find(({ names }) => belongs(names) && names.length === 4 && names[3] === key);
  if (own) return { from: own.from, to: own.to, line: own.line };
  // In a table on one line.
  for (const { names, from, to } of keys.filter((k) => belongs(k.names) && k.names.length <= 3)) {
    const inside = new RegExp(`[{,]\\s*${key}\\s*=\\s*`).exec(text.slice(from, to));
    if (!inside || text[from] !== "{") continue;
    const start = from + inside.index + inside[0].length;
    return { from: start, to: endOf(text, start) };
  }
  return null;
}

/** The same where the value is a number. */
function numberAt(text, node, key) {
  const found = valueAt(text, node, key);
  const number = found && NUMBER.exec(text.slice(found.from, found.to));
  return number && number[0].length === found.to - found.from ? found : null;
}

/** The number as it is written at a path, or null. */
export function literalOf(text, path) {
  const [node, key] = split(path);
  const found = key ? numberAt(text, node, key) : null;
  return found ? text.slice(found.from, found.to) : null;
}

function split(path) {
  const at = path.lastIndexOf("/");
  const node = path.slice(0, at);
  return /[/.]/.test(node) ? [node, null] : [node, path.slice(at + 1)];
}

const isDriven = (text, path) => text.split(/^\s*(?=\[)/m).some((table) => /^\[\[drive\]\]/.test(table) && table.includes(`"${path}"`));

/** The events at the start that set something: what, and where the value stands. */
function eventsAtStart(text) {
  const { keys, tables } = keysOf(text);
  return tables.flatMap(({ names, isList, from, last }, i) => {
    if (!isList || names[0] !== "event") return [];
    const of = (name) => keys.find((k) => k.table === i && k.names.at(-1) === name);
    const [set, at, value] = [of("set"), of("at_s"), of("value")];
    if (!set || !at || !value || Number(text.slice(at.from, at.to)) !== 0) return [];
    return [{ path: partsOf(text.slice(set.from, set.to))[0], from: value.from, to: value.to, table: [from, last] }];
  });
}

const eventAt = (text, path) => eventsAtStart(text).find((event) => event.path === path) ?? null;

/** Paths that events at the start set, with their values. */
export function setAtStart(text) {
  return eventsAtStart(text).map(({ path, from, to }) => [path, Number(text.slice(from, to))]);
}

/** The text with a parameter's value, as this literal, at its key; null if the text has no place for it. */
export function atKey(text, path, literal) {
  const [node, key] = split(path);
  if (/^\s*\{/.test(text)) return inJson(text, node, key, literal);
  if (!key || isDriven(text, path)) return null;
  const there = numberAt(text, node, key);
  return there ? text.slice(0, there.from) + literal + text.slice(there.to) : withNew(text, node, key, literal);
}

/** The text with a node's key that it may have already, whatever stands there; null if the node has no table in the text. */
export function withKey(text, node, key, literal) {
  if (/^\s*\{/.test(text)) return inJson(text, node, key, literal);
  const there = valueAt(text, node, key);
  return there ? text.slice(0, there.from) + literal + text.slice(there.to) : withNew(text, node, key, literal);
}

/** The text without a node's key. */
export function withoutKey(text, node, key) {
  if (/^\s*\{/.test(text)) return inJson(text, node, key);
  const there = valueAt(text, node, key);
  return there ? without(text, there) : text;
}

/** The text without what stands at a place, its whole line or its part of a table on one line. */
function without(text, { from, to, line }) {
  if (line === undefined) {
    const [before, after] = [text.slice(0, from).replace(/[\w-]+\s*=\s*$/, "").trimEnd(), text.slice(to).trimStart()];
    return before.endsWith(",") ? before.slice(0, -1) + (after.startsWith("}") ? " " : "") + after : `${before} ${after.replace(/^,\s*/, "")}`;
  }
  const next = text.indexOf("\n", to);
  return next < 0 ? text.slice(0, Math.max(0, line - 1)) : text.slice(0, line) + text.slice(next + 1);
}

/** How lines end in a text. */
const endIn = (text) => (text.includes("\r\n") ? "\r\n" : "\n");

/** The text with a key more in a node's table; null if it has none. */
function withNew(text, node, key, literal) {
  const { keys, tables } = keysOf(text);
  const table = tables.find(({ names, isList }) => !isList && names.length === 2 && FAMILIES.has(names[0]) && names[1] === node);
  if (table) {
    const isLast = table.last > text.length;
    return `${text.slice(0, table.last)}${isLast ? endIn(text) : ""}${key} = ${literal}${isLast ? "" : endIn(text)}${text.slice(table.last)}`;
  }
  const inline = keys.find(({ names, from }) => names.length === 2 && FAMILIES.has(names[0]) && names[1] === node && text[from] === "{");
  if (!inline) return null;
  const close = text.lastIndexOf("}", inline.to);
  return `${text.slice(0, close).trimEnd()}, ${key} = ${literal} ${text.slice(close)}`;
}

/** The same by an event at the start; null if the text can have none. */
export function atStart(text, path, literal) {
  if (/^\s*\{/.test(text)) return null;
  const event = eventAt(text, path);
  if (event) return text.slice(0, event.from) + literal + text.slice(event.to);
  const more = `${text.endsWith("\n") || text === "" ? "" : "\n"}\n[[event]]\nat_s = 0.0\nset = "${path}"\nvalue = ${literal}\n`;
  return text + more.replaceAll("\n", endIn(text));
}

/** The text with something set at its start after all that happens there, whatever else sets it; throws if it is no text of a scene. */
export function beginningWith(text, path, value) {
  const literal = written(value);
  if (/^\s*\{/.test(text)) {
    const scene = JSON.parse(text);
    scene.event = [...scene.event ?? [], { at_s: 0, set: path, value: Number(literal) }];
    return JSON.stringify(scene);
  }
  const list = keysOf(text).keys.find(({ names }) => names.length === 1 && names[0] === "event");
  if (!list) return `${text.trimEnd()}\n\n[[event]]\nat_s = 0.0\nset = "${path}"\nvalue = ${literal}\n`;
  const close = text.lastIndexOf("]", list.to);
  const inside = text.slice(list.from + 1, close).split("\n").map((line) => line.slice(0, before(line).end)).join("\n").trimEnd();
  const comma = inside.trim() === "" || inside.endsWith(",") ? "" : ",";
  return `${text.slice(0, list.from + 1)}${inside}${comma}\n{ at_s = 0.0, set = "${path}", value = ${literal} }]${text.slice(close + 1)}`;
}

/** The text with values of parameters, each at its key or at the start, as the engine takes it: `accepts(text)` is whether it
 * does. `values` are `{ path, value, others }`: the parameter, and what else it may be written as, with the value that has. Also
 * the paths that could not be written. */
export function withValues(text, values, accepts) {
  const lost = [];
  for (const { path, value, others } of values) {
    const known = [{ path, value }, ...others];
    // By the name that the text uses; a hammer is written by stiffness, contact time or hardness.
    const used = known.find((one) => literalOf(text, one.path) !== null) ?? known[0];
    const ways = [
      () => atKey(text, used.path, written(used.value)),
      () => atStart(text, path, written(value)),
    ];
    const done = ways.map((way) => way()).find((next) => next !== null && accepts(next));
    if (done === undefined) lost.push(path);
    else text = done;
  }
  return { text, lost };
}

/** The text with a parameter as another text has it: the same digits, or no line at all. */
export function asIn(base, text, path) {
  if (/^\s*\{/.test(text)) return asInJson(base, text, path);
  const [event, own] = [eventAt(text, path), eventAt(base, path)];
  if (event && !own) text = text.slice(0, event.table[0]).replace(/(\r?\n)\r?\n$/, "$1") + text.slice(event.table[1]);
  else if (event) text = text.slice(0, event.from) + base.slice(own.from, own.to) + text.slice(event.to);
  const home = literalOf(base, path);
  if (home !== null) return atKey(text, path, home) ?? text;
  const [node, key] = split(path);
  const there = key ? numberAt(text, node, key) : null;
  return there ? without(text, there) : text;
}

// JSON has no comments to keep; its keys stay in order.
function inJson(text, node, key, literal) {
  if (!key) return null;
  try {
    const scene = JSON.parse(text);
    const family = [...FAMILIES].find((name) => scene[name]?.[node]);
    if (!family) return null;
    if (literal === undefined) delete scene[family][node][key];
    else scene[family][node][key] = JSON.parse(literal);
    return `${JSON.stringify(scene, null, /\n(\s+)"/.exec(text)?.[1].length ?? 0)}${text.endsWith("\n") ? "\n" : ""}`;
  } catch {
    return null;
  }
}

function asInJson(base, text, path) {
  try {
    const [[node, key], was, now] = [split(path), JSON.parse(base), JSON.parse(text)];
    const family = [...FAMILIES].find((name) => now[name]?.[node]);
    const home = was[family]?.[node]?.[key];
    if (home === undefined) delete now[family]?.[node]?.[key];
    else now[family][node][key] = home;
    return JSON.stringify(now) === JSON.stringify(was) ? base : JSON.stringify(now, null, /\n(\s+)"/.exec(text)?.[1].length ?? 0);
  } catch {
    return text;
  }
}
