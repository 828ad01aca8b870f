// SPDX-License-Identifier: MIT OR Apache-2.0
// What of CodeMirror the studio's editor uses; `node bundle.mjs` makes studio/codemirror.js of it.
export { Annotation, EditorState, RangeSet, StateEffect, StateField, Transaction } from "@codemirror/state";
export {
  Decoration, drawSelection, EditorView, gutterLineClass, GutterMarker, highlightActiveLine, hoverTooltip, keymap, lineNumbers, showTooltip, tooltips,
} from "@codemirror/view";
export { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
export { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
export { tags } from "@lezer/highlight";
