// SPDX-License-Identifier: MIT OR Apache-2.0
// What may stand where in a scene's text, from the engine's own schema: for completion and help in the editor.

/** Tables that a header may name, and lists of tables. */
const FAMILIES = ["body", "contact", "signal", "process", "walk", "part", "output", "look"];
const LISTS = ["drive", "event", "tap", "control"];

/** The table in which a line stands: its names and the words of its keys. */
export function tableAt(text, line) {
  const lines = text.split("\n");
  let [names, from, isList] = [[], 0, false];
  lines.slice(0, line + 1).forEach((words, i) => {
    const head = /^\s*\[(\[?)([^\]]*)\]/.exec(words);
    if (head && !/^\s*\[[\d."'{+-]/.test(words)) [names, from, isList] = [head[2].split(".").map((name) => name.trim().replace(/^["']|["']$/g, "")), i + 1, head[1] === "["];
  });
  let to = lines.findIndex((words, i) => i >= from && /^\s*\[\[?[A-Za-z]/.test(words));
  if (to < 0) to = lines.length;
  const own = lines.slice(from, to);
  const word = (key) => own.map((words) => new RegExp(`^\\s*${key}\\s*=\\s*"([^"]*)"`).exec(words)?.[1]).find(Boolean);
  const keys = own.map((words) => /^\s*([A-Za-z0-9_-]+)\s*=/.exec(words)?.[1]).filter(Boolean);
  return { names, isList, keys, word, from };
}

const WORD = /[\w-]+/y;
const STRING = /"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?/y;

/** Where a place in a text is: the names that lead to it, of tables, of dotted keys and of tables on one line, in TOML and in JSON; the innermost key
 * and where it begins; whether the place is in a key's value, and in a list of it; where the word begins that ends there; what else its table has. */
export function placeAt(text, at) {
  const line = text.slice(0, at).split("\n").length - 1;
  const isJson = /^\s*\{/.test(text);
  const table = isJson ? { names: [], keys: [], word: () => undefined } : tableAt(text, line);
  const start = isJson ? 0 : text.split("\n").slice(0, table.from).reduce((sum, words) => sum + words.length + 1, 0);
  // What is open at the place: the text itself, tables and lists; each with its key, name by name, and where in the text it opened.
  const open = [{ bracket: "", key: [], from: start, isValue: false, opened: start }];
  const begin = (frame) => Object.assign(frame, { key: [], isValue: false, isDotted: false });
  let word = at;
  for (let i = start; i < at;) {
    const top = open.at(-1);
    const c = text[i];
    const read = (form) => {
      form.lastIndex = i;
      return form.exec(text)?.[0].slice(0, at - i); // what stands behind the place is not part of it yet
    };
    if (c === "#" && !isJson) {
      i = text.indexOf("\n", i);
      if (i < 0 || i >= at) return null; // in a comment
      continue;
    }
    const name = read(STRING) ?? read(WORD);
    word = at;
    if (name !== undefined) {
      if (i + name.length >= at) word = i;
      if (top.bracket !== "[" && !top.isValue) {
        if (!top.isDotted) top.key = [];
        top.key.push(name.replace(/^["']|["']$/g, ""));
        Object.assign(top, { from: i, isDotted: false });
      }
      i += name.length;
      continue;
    }
    if (c === "." && !top.isValue) top.isDotted = true;
    else if (c === "=" || (c === ":" && isJson)) top.isValue = true;
    else if (c === "{" || c === "[") open.push({ bracket: c, key: [], from: i + 1, isValue: false, opened: i });
    else if ((c === "}" || c === "]") && open.length > 1) open.pop();
    else if ((c === "," && top.bracket === "{") || (c === "\n" && open.length === 1)) begin(top);
    if (/[.=:,{[]/.test(c) && !top.isValue) top.from = i + 1;
    i += 1;
  }
  const inner = open.findLast(({ bracket }) => bracket !== "[");
  const isValue = inner.isValue || inner !== open.at(-1);
  const all = [...table.names, ...open.slice(0, open.indexOf(inner) + 1).flatMap(({ key }) => key)];
  const isKnown = inner.key.length > 0 && !(inner.isDotted && !isValue);
  const key = isKnown ? all.pop() : "";
  // The table that two names lead to says of which type it is.
  const deep = (frame) => open.slice(0, open.indexOf(frame)).reduce((sum, { key: part }) => sum + part.length, table.names.length);
  const typed = open.find((frame) => frame.bracket === "{" && deep(frame) === 2);
  const own = inner.bracket === "{" ? inside(text, inner.opened) : null;
  return { names: all, key, from: inner.from, isValue, isList: open.at(-1).bracket === "[", word, keys: own ? keysIn(own) : table.keys, type: typed ? typeIn(inside(text, typed.opened)) : undefined, table };
}

/** What stands between a bracket and its other half, without what stands in brackets there. */
function inside(text, from) {
  let [depth, found] = [0, ""];
  for (let i = from; i < text.length; i += 1) {
    STRING.lastIndex = i;
    const string = STRING.exec(text)?.[0];
    if (string) {
      if (depth === 1) found += string;
      i += string.length - 1;
      continue;
    }
    if ("{[".includes(text[i])) depth += 1;
    if ("}]".includes(text[i])) depth -= 1;
    if (depth === 0) break;
    if (depth === 1) found += text[i];
  }
  return found.slice(1);
}

const keysIn = (words) => [...words.matchAll(/(?:^|,)\s*"?([\w-]+)"?\s*[=:]/g)].map(([, key]) => key);
const typeIn = (words) => /(?:^|,)\s*"?type"?\s*[=:]\s*["']([^"']*)["']/.exec(words)?.[1];

const variantsOf = (part) => part?.oneOf ?? part?.anyOf ?? (part ? [part] : []);

/** What a list holds, however deep; anything else itself. */
const itemOf = (part) => (part?.items ? itemOf(part.items) : part);

/** Properties of the table in which a place is (`placeAt`), by the schema: those of its type where it says one. */
export function propertiesOf(schema, { names, type: said, table: { names: header, word } }, text = "") {
  if (!names.length) return schema.properties;
  const top = schema.properties[names[0]];
  let part = top?.items ?? (top?.additionalProperties && names.length > 1 ? top.additionalProperties : top);
  let rest = names.slice(top?.additionalProperties && !top.items ? 2 : 1);
  // A table inside a table: the type stands in the outer one.
  const [family, name] = names.map((one) => one.replace(/[\\^$+()|]/g, "\\$&"));
  const outer = rest.length ? new RegExp(`^\\s*\\[${family}\\.${name}\\][^[]*?^\\s*type\\s*=\\s*"([^"]*)"`, "ms").exec(text)?.[1] : undefined;
  const dotted = new RegExp(`^\\s*${family}\\.${name}\\.type\\s*=\\s*"([^"]*)"`, "m").exec(text)?.[1];
  const type = said ?? (header.length === 2 || header.length === names.length ? word("type") : undefined) ?? outer ?? dotted;
  const fitting = (all) => {
    const typed = variantsOf(all).filter((one) => one.properties?.type?.const === type || one.properties?.type?.enum?.includes(type));
    return typed.length ? typed : variantsOf(all);
  };
  let variants = fitting(part);
  for (const inner of rest) {
    part = variants.map((one) => one.properties?.[inner] ?? one.additionalProperties).find((one) => typeof one === "object");
    variants = variantsOf(itemOf(part));
  }
  return Object.assign({}, ...variants.map((one) => one.properties ?? {}));
}

/** Words that a key may have, with what they mean. */
export function choicesOf(property, variants = []) {
  const all = [property, ...variants];
  return all.flatMap((one) => [...variantsOf(one).flatMap((v) => (v.const !== undefined ? [{ label: JSON.stringify(v.const), info: v.description }] : v.enum?.map((word) => ({ label: JSON.stringify(word), info: undefined })) ?? []))]);
}

/** Every word that `type` may be in a family. */
export function typesOf(schema, family) {
  const top = schema.properties[family];
  return choicesOf(undefined, variantsOf(top?.items ?? top?.additionalProperties).map((one) => one.properties?.type).filter(Boolean));
}

/** Names in the text that a key may refer to. */
export function namesIn(text) {
  const tables = [...text.matchAll(/^\s*\[(body|contact|signal|process|output)\.([^\].]+)\]/gm)].map(([, family, name]) => ({ family, name }));
  const ports = [...text.matchAll(/^\s*\[body\.([^\].]+)\.port\]([^[]*)/gm)].flatMap(([, body, keys]) => [...keys.matchAll(/^\s*([\w-]+)\s*=/gm)].map(([, port]) => `${body}.${port}`));
  return { tables, ports };
}

export const HEADERS = [...FAMILIES.map((family) => `[${family}.NAME]`), ...LISTS.map((list) => `[[${list}]]`), "[midi]"];

/** The number that a key has or lists, as the schema has it. */
export const numberOf = (property, isList) => (isList ? itemOf(variantsOf(property).find(({ items }) => items) ?? property) : property);

/** What a key is, in words: sentence, range, default. */
export function helpOf(property) {
  if (!property) return null;
  const one = property.description ? property : variantsOf(property).find((variant) => variant.description) ?? property;
  const range = [property.minimum, property.maximum].every((end) => end !== undefined) ? ` ${property.minimum} to ${property.maximum}.` : "";
  const usual = property.default !== undefined ? ` Left out: ${JSON.stringify(property.default)}.` : "";
  return one.description ? `${one.description}${range}${usual}` : null;
}
