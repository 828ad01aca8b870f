// SPDX-License-Identifier: MIT OR Apache-2.0
// Which words of a scene have which colour, in TOML and in JSON: keys, also those of inline tables; numbers whole, with exponent; strings over lines.

const KEY = /^(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*'))*(?=\s*[=:])/;
const NUMBER = /^[-+]?(?:\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][-+]?\d[\d_]*)?|inf|nan)(?![\w.])/;

/** For CodeMirror's `StreamLanguage`. */
export const toml = {
  name: "toml",
  // The quotes that a string over several lines ends with; brackets that are open; whether a value has begun on this line.
  startState: () => ({ quotes: "", depth: 0, isValue: false }),
  token(stream, state) {
    if (stream.sol() && state.depth === 0) state.isValue = false;
    if (state.quotes) {
      if (stream.skipTo(state.quotes)) {
        stream.match(state.quotes);
        state.quotes = "";
      } else stream.skipToEnd();
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(KEY)) return "propertyName";
    if (state.depth === 0 && !state.isValue) {
      if (stream.match(/^\[\[?[^\]#]*\]?\]?/)) return "atom";
      if (stream.match(/^[\w.-]+/)) return "propertyName"; // a key that is being typed
    }
    const quotes = stream.match(/^("""|''')/);
    if (quotes) {
      [, state.quotes] = quotes;
      return "string";
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'[^']*'?)/)) return "string";
    if (stream.match(NUMBER)) return "number";
    if (stream.match(/^(?:true|false)\b/)) return "bool";
    const next = stream.next();
    if (next === "=") state.isValue = true;
    else if (next === "[" || next === "{") state.depth += 1;
    else if (next === "]" || next === "}") state.depth = Math.max(0, state.depth - 1);
    else stream.match(/^[\w.-]+/);
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
};
