// SPDX-License-Identifier: MIT OR Apache-2.0
// What bodies are made of, and how that shines.

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
  [/anvil|cowbell|^triangle/, "steel"], [/xylophone/, "rosewood"],
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
