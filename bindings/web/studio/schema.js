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
    if (head && !/^\s*\[[\d."'{]/.test(words)) [names, from, isList] = [head[2].split(".").map((name) => name.trim().replace(/^["']|["']$/g, "")), i + 1, head[1] === "["];
  });
  let to = lines.findIndex((words, i) => i >= from && /^\s*\[\[?[A-Za-z]/.test(words));
  if (to < 0) to = lines.length;
  const own = lines.slice(from, to);
  const word = (key) => own.map((words) => new RegExp(`^\\s*${key}\\s*=\\s*"([^"]*)"`).exec(words)?.[1]).find(Boolean);
  const keys = own.map((words) => /^\s*([A-Za-z0-9_-]+)\s*=/.exec(words)?.[1]).filter(Boolean);
  return { names, isList, keys, word };
}

const variantsOf = (part) => part?.oneOf ?? part?.anyOf ?? (part ? [part] : []);

/** Properties of a table, by the schema: those of its type where it says one. */
export function propertiesOf(schema, { names, word }, text = "") {
  if (!names.length) return schema.properties;
  const top = schema.properties[names[0]];
  let part = top?.items ?? (top?.additionalProperties && names.length > 1 ? top.additionalProperties : top);
  let rest = names.slice(top?.additionalProperties && !top.items ? 2 : 1);
  // A table inside a table: the type stands in the outer one.
  const outer = rest.length ? new RegExp(`^\\s*\\[${names[0]}\\.${names[1]}\\][^[]*?^\\s*type\\s*=\\s*"([^"]*)"`, "ms").exec(text)?.[1] : undefined;
  const type = rest.length ? outer : word("type");
  const fitting = (all) => {
    const typed = variantsOf(all).filter((one) => one.properties?.type?.const === type || one.properties?.type?.enum?.includes(type));
    return typed.length ? typed : variantsOf(all);
  };
  let variants = fitting(part);
  for (const name of rest) {
    part = variants.map((one) => one.properties?.[name] ?? one.additionalProperties).find((one) => typeof one === "object");
    variants = variantsOf(part);
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

/** What a key is, in words: sentence, range, default. */
export function helpOf(property) {
  if (!property) return null;
  const one = property.description ? property : variantsOf(property).find((variant) => variant.description) ?? property;
  const range = [property.minimum, property.maximum].every((end) => end !== undefined) ? ` ${property.minimum} to ${property.maximum}.` : "";
  const usual = property.default !== undefined ? ` Left out: ${JSON.stringify(property.default)}.` : "";
  return one.description ? `${one.description}${range}${usual}` : null;
}
