// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes studio/codemirror.js, one file without imports, of the packages that package-lock.json names: the program carries it, so that
// building it needs no npm. node bundle.mjs writes it; with --check it says whether it is what the packages give.
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const goal = join(here, "../studio/codemirror.js");
const modules = join(here, "../node_modules");
const used = ["crelt", "style-mod", "w3c-keyname", ...readdirSync(join(modules, "@codemirror")).map((name) => `@codemirror/${name}`), "@lezer/common", "@lezer/highlight", "@lezer/lr"];
const packages = used.flatMap((name) => {
  try {
    return [`${name} ${JSON.parse(readFileSync(join(modules, name, "package.json"))).version}`];
  } catch {
    return [];
  }
});
const licence = readFileSync(join(modules, "@codemirror/state/LICENSE"), "utf8").trim();

// The page's policy allows no <style> that a program writes. Style sheets that are made as objects are allowed, and style-mod
// makes those already, but only inside a shadow root: let it do so in the document, too.
const strict = {
  name: "styles without <style>",
  setup({ onLoad }) {
    onLoad({ filter: /style-mod\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const mended = text.replace("if (!root.head && root.adoptedStyleSheets", "if (root.adoptedStyleSheets");
      if (mended === text) throw new Error("style-mod is not as this script knows it");
      return { contents: mended, loader: "js" };
    });
  },
};

const { outputFiles: [file] } = await build({
  entryPoints: [join(here, "codemirror.js")], bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none", write: false, plugins: [strict],
  banner: { js: `/* CodeMirror, for the studio's editor: ${packages.join(", ")}. Made by editor/bundle.mjs; do not edit.\n\n${licence}\n*/` },
});
if (process.argv.includes("--check")) {
  if (readFileSync(goal, "utf8") !== file.text) {
    console.error("studio/codemirror.js is not what its packages give; run node bindings/web/editor/bundle.mjs");
    process.exit(1);
  }
} else writeFileSync(goal, file.text);
console.log(`codemirror.js: ${file.contents.length} bytes`);
