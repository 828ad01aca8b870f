// SPDX-License-Identifier: MIT OR Apache-2.0
// The scene as text beside its picture: edits are taken as you type, errors are shown at their line, and the scene that sounds stays
// until the text is right again. Keys and words are completed and explained from the engine's schema; every number has a slider.
import {
  acceptCompletion, Annotation, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap, drawSelection, EditorState,
  EditorView, gutterLineClass, GutterMarker, highlightActiveLine, highlightSelectionMatches, HighlightStyle, history, historyKeymap, hoverTooltip, indentLess, indentMore,
  keymap, lineNumbers, RangeSet, searchKeymap, setDiagnostics, showTooltip, StateEffect, StateField, StreamLanguage, syntaxHighlighting, tags,
} from "./codemirror.js";
import { choicesOf, HEADERS, helpOf, namesIn, numberOf, placeAt, propertiesOf, typesOf } from "./schema.js";
import { toml } from "./toml.js";
import { written } from "./write.js";

const WAIT_MS = 350;
/** Changes that the page makes by itself: what they say is heard already. */
const ours = Annotation.define();
const markWrong = StateEffect.define();
const markLit = StateEffect.define();
const NUMBER = /[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--second)" },
  { tag: tags.string, color: "var(--third)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--accent)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--card)", fontSize: "13px" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)", outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--back)", color: "var(--muted)", border: "0" },
  ".cm-lineNumbers .wrong": { backgroundColor: "var(--wrong)", color: "var(--back)" },
  ".cm-lineNumbers .lit": { backgroundColor: "var(--accent)", color: "var(--on-accent)", fontWeight: "700" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--line) 12%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--second) 30%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "8px", maxWidth: "min(420px, 86vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-help": { padding: "6px 10px", display: "grid", gap: "4px", fontFamily: "system-ui, sans-serif" },
  ".cm-help input": { width: "100%" },
  ".cm-panels": { backgroundColor: "var(--card)", color: "var(--text)" },
});

const wrongMarker = new (class extends GutterMarker {
  elementClass = "wrong";
})();

const litMarker = new (class extends GutterMarker {
  elementClass = "lit";
})();

const wrongSet = (at) => (at === undefined ? RangeSet.empty : RangeSet.of([wrongMarker.range(at)]));

/** Where the number is that a place in a line lies in: from and to in the document. */
function numberAt({ doc }, at) {
  const line = doc.lineAt(at);
  const text = line.text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*/g, (s) => (s[0] === "#" || s.length > 2 ? " ".repeat(s.length) : s));
  for (const found of text.matchAll(NUMBER)) {
    const before = text[found.index - 1] ?? " ";
    const [from, to] = [line.from + found.index, line.from + found.index + found[0].length];
    if (at >= from && at <= to && !/[\w.-]/.test(before)) return { from, to, text: found[0], line };
  }
  return null;
}

/** Letters typed over several lines: a browser that joins lines by itself writes styles into them, which the page's policy forbids and reports. */
function typeOver(event, view) {
  const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = view.root.getSelection();
  const isTyped = event.inputType === "insertText" && !event.isComposing && typeof event.data === "string";
  if (!isTyped || isCollapsed || ![anchorNode, focusNode].every((node) => view.contentDOM.contains(node))) return false;
  const [from, to] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)].sort((a, b) => a - b);
  const { doc } = view.state;
  if (doc.lineAt(from).number === doc.lineAt(to).number) return false;
  event.preventDefault();
  const insert = () => view.state.update({ changes: { from, to, insert: event.data }, selection: { anchor: from + event.data.length }, userEvent: "input.type", scrollIntoView: true });
  // A bracket or a quote goes around what is selected, as anywhere.
  if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, event.data, insert))) view.dispatch(insert());
  return true;
}

/** `take(text)` loads a scene and rejects with one line; `begun(text)` hears of every letter that is typed before that, `broken(text)` what was not taken;
 * `slide(path, value)` moves a parameter that sounds and says whether there is one. */
export class Editor {
  constructor(host, { take, begun, broken, slide }) {
    Object.assign(this, { take, begun, broken, slide });
    this.note = host.querySelector("output");
    const wrongLine = StateField.define({
      create: () => null,
      update: (line, transaction) => transaction.effects.reduce((now, effect) => (effect.is(markWrong) ? effect.value : now), line),
      provide: (field) => gutterLineClass.compute([field, "doc"], (state) => {
        const line = state.field(field);
        return line && line <= state.doc.lines ? wrongSet(state.doc.line(line).from) : wrongSet();
      }),
    });
    // The line that makes the mode which is explained.
    const litLine = StateField.define({
      create: () => null,
      update: (line, transaction) => transaction.effects.reduce((now, effect) => (effect.is(markLit) ? effect.value : now), transaction.docChanged && !transaction.annotation(ours) ? null : line),
      provide: (field) => gutterLineClass.compute([field, "doc"], (state) => {
        const line = state.field(field);
        return line && line <= state.doc.lines ? RangeSet.of([litMarker.range(state.doc.line(line).from)]) : RangeSet.empty;
      }),
    });
    // Where a finger has touched a number there is its slider: nothing hovers there.
    this.touched = StateField.define({
      create: () => null,
      update: (tip, transaction) => {
        if (transaction.docChanged && !transaction.annotation(ours) && !tip?.isSliding) return null;
        for (const effect of transaction.effects) if (effect.is(this.touch)) return effect.value;
        return tip;
      },
      provide: (field) => showTooltip.from(field),
    });
    this.touch = StateEffect.define();
    this.extensions = [
      lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), wrongLine, litLine, this.touched,
      StreamLanguage.define(toml), syntaxHighlighting(COLOURS), THEME,
      autocompletion({ override: [(context) => this.complete(context)], activateOnTyping: true }),
      hoverTooltip((view, at) => this.hover(view, at), { hoverTime: 250 }),
      EditorView.contentAttributes.of({ id: "source", tabindex: "0", spellcheck: "false", autocapitalize: "off", "aria-label": "Scene text in TOML; edits are heard at once" }),
      EditorView.domEventHandlers({ beforeinput: typeOver }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.every((transaction) => transaction.annotation(ours))) this.soon();
      }),
      // Plain Tab leaves the field, as keyboards must be able to; while something is offered it takes that.
      keymap.of([
        { key: "Tab", run: acceptCompletion }, { key: "Mod-]", run: indentMore }, { key: "Mod-[", run: indentLess },
        { key: "Alt-ArrowUp", run: (view) => this.step(view, 1) }, { key: "Alt-ArrowDown", run: (view) => this.step(view, -1) },
        ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap.filter(({ key }) => !/^Alt-Arrow(Up|Down)$/.test(key ?? "")),
      ]),
    ];
    this.view = new EditorView({ state: EditorState.create({ extensions: this.extensions }), parent: host.querySelector(".editor") });
    this.view.contentDOM.addEventListener("pointerup", async ({ pointerType, clientX, clientY }) => {
      if (pointerType !== "touch") return;
      const at = this.view.posAtCoords({ x: clientX, y: clientY });
      const { state } = this.view;
      const found = at === null ? null : numberAt(state, at);
      const { help, property } = found ? await this.about(found.from) : {};
      if (this.view.state.doc !== state.doc) return; // typed since
      this.view.dispatch({ effects: this.touch.of(found ? this.tip(found, help, property) : null) });
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Another scene; what is there already keeps what can be undone. */
  show(text) {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.text !== text) this.view.setState(EditorState.create({ doc: text, extensions: this.extensions }));
    this.mark(null, "");
  }

  /** The same scene with something changed: only that is exchanged; caret and undo stay. */
  patch(text, isOurs = true) {
    const old = this.text;
    if (old === text) return;
    let from = 0;
    while (from < Math.min(old.length, text.length) && old[from] === text[from]) from += 1;
    let tail = 0;
    while (tail < Math.min(old.length, text.length) - from && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
    const changes = { from, to: old.length - tail, insert: text.slice(from, text.length - tail) };
    this.view.dispatch({ changes, annotations: isOurs ? [ours.of(true)] : [] });
  }

  /** As if somebody had typed it. */
  type(text) {
    this.patch(text, false);
  }

  soon() {
    this.begun(this.text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), WAIT_MS);
  }

  /** Takes what was typed and has not been taken yet. */
  async settle() {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const { text } = this;
    try {
      await this.take(text);
      this.mark(null, "taken");
    } catch (error) {
      this.broken(text);
      const line = /line (\d+)/.exec(error.message);
      this.mark(line ? Number(line[1]) : null, error.message);
    }
  }

  /** A line that something on the stage comes from, in view; null: none. */
  lightUp(line) {
    const { state } = this.view;
    const at = line && line <= state.doc.lines ? state.doc.line(line) : null;
    if (!at && !this.litLine) return; // telling the editor makes it measure the page
    this.litLine = at ? line : null;
    this.view.dispatch({ effects: [markLit.of(at ? line : null), ...(at ? [EditorView.scrollIntoView(at.from, { y: "center" })] : [])] });
  }

  mark(line, message) {
    const { state } = this.view;
    const isWrong = message !== "" && message !== "taken";
    this.note.textContent = message;
    this.note.classList.toggle("wrong", isWrong);
    const at = line && line <= state.doc.lines ? state.doc.line(line) : null;
    const found = isWrong && at ? [{ from: at.from, to: at.to, severity: "error", message }] : [];
    this.view.dispatch(setDiagnostics(state, found));
    this.view.dispatch({ effects: markWrong.of(at ? line : null) });
  }

  /** The schema, asked for when somebody needs it. */
  schema() {
    this.asked ??= fetch("schema.json").then((answer) => answer.json()).catch(() => null);
    return this.asked;
  }

  async complete(context) {
    const { state, pos } = context;
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    if (/#/.test(before.replace(/"[^"]*"/g, ""))) return null;
    const schema = await this.schema();
    if (!schema) return null;
    const header = /^\s*(\[+[\w.-]*)$/.exec(before);
    const { text } = this;
    const place = placeAt(text, pos);
    if (!place || /^\s*\{/.test(text)) return null;
    if (header && !place.isValue) return { from: pos - header[1].length, options: HEADERS.map((label) => ({ label, type: "class" })) };
    const properties = propertiesOf(schema, place, text);
    const { key, word } = place;
    if (place.isValue) {
      const begun = word < pos && /["']/.test(text[word]) ? text.slice(word, pos) : /[\w.~/-]*$/.exec(before)[0];
      if (!/^"?[\w.~/-]*$/.test(begun) || (!begun && !context.explicit && !before.endsWith("= "))) return null;
      const types = key === "type" && place.names.length === 2 ? typesOf(schema, place.names[0]) : choicesOf(properties[key]);
      const { tables, ports } = namesIn(text);
      const named = types.length || /^(number|integer|boolean)$/.test(numberOf(properties[key], place.isList)?.type) ? [] : [...tables.map(({ name }) => name), ...ports].map((name) => ({ label: JSON.stringify(name), type: "variable" }));
      const options = [...types.map(({ label, info }) => ({ label, info, type: "constant" })), ...named];
      return options.length ? { from: pos - begun.length, options, validFor: /^"?[\w.~/-]*"?$/ } : null;
    }
    if (!key && !context.explicit) return null;
    const options = Object.entries(properties).filter(([name]) => !place.keys.includes(name) || name === key).map(([name, property]) => ({
      label: name, type: "property", apply: `${name} = `, info: helpOf(property) ?? undefined, detail: property.default !== undefined ? String(property.default) : undefined,
    }));
    return { from: pos - key.length, options, validFor: /^[\w-]*$/ };
  }

  /** What the schema says of the innermost key at a place: where that is, the number that it has or lists, and help in words. */
  async about(at) {
    const schema = await this.schema();
    const place = placeAt(this.text, at);
    const property = (schema && place?.key && propertiesOf(schema, place, this.text)[place.key]) || null;
    return { place, property: property && numberOf(property, place.isList), help: helpOf(property) };
  }

  async hover(view, at) {
    const number = numberAt(view.state, at);
    const end = at + /^[\w-]*/.exec(view.state.sliceDoc(at, at + 100))[0].length;
    const { place, property, help } = await this.about(number ? number.from : end);
    if (number) return this.tip(number, help, property);
    if (!help || place.isValue) return null;
    return { pos: place.from, end, above: true, create: () => ({ dom: Object.assign(document.createElement("div"), { className: "cm-help", textContent: help }) }) };
  }

  /** A slider for a number, with what it is. */
  tip(number, help = null, property = null) {
    const { from, text } = number;
    const tip = { pos: from, end: number.to, above: true };
    tip.create = () => {
      const dom = document.createElement("div");
      dom.className = "cm-help";
      const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: "any" });
      const { value, at } = this.range(Number(text.replace(/_/g, "")), property);
      slider.value = at;
      slider.setAttribute("aria-label", "Slide this number");
      let length = text.length;
      slider.addEventListener("input", () => {
        tip.isSliding = true;
        const isWhole = /^[-+]?\d+$/.test(text) && (property?.type === "integer" || !property);
        const next = isWhole ? String(Math.round(value(Number(slider.value)))) : written(value(Number(slider.value)));
        length = this.exchange(from, length, next);
      });
      dom.append(slider);
      if (help) dom.append(Object.assign(document.createElement("span"), { textContent: help }));
      return { dom };
    };
    return tip;
  }

  /** Where a slider for a number goes: a tenth to ten times of it, within what the schema allows. */
  range(now, property) {
    const [least, most] = [property?.minimum ?? -Infinity, property?.maximum ?? Infinity];
    if (now > 0 && least >= 0 && !(most <= 1 && least === 0)) {
      const [low, high] = [Math.max(now / 10, least || now / 10), Math.min(now * 10, most)];
      return { value: (x) => low * (high / low) ** x, at: Math.log(now / low) / Math.log(high / low) };
    }
    const reach = Math.max(1, 3 * Math.abs(now));
    const [low, high] = [Math.max(least, -reach), Math.min(most, reach)];
    return { value: (x) => low + x * (high - low), at: (now - low) / (high - low) };
  }

  /** Another number in the text; what sounds by that name moves at once. The length that it has now. */
  exchange(from, length, next) {
    const place = placeAt(this.text, from);
    const path = place?.key && place.names.length === 2 && !place.isList ? `${place.names[1]}/${place.key}` : null;
    const isHeard = path !== null && this.text.slice(from, from + length) !== next && this.slide(path, Number(next));
    this.view.dispatch({ changes: { from, to: from + length, insert: next }, annotations: isHeard ? [ours.of(true)] : [] });
    return next.length;
  }

  /** One step of the number at the caret: of its last digit. */
  step(view, by) {
    const found = numberAt(view.state, view.state.selection.main.head);
    if (!found) return false;
    const [mantissa, exponent] = found.text.split(/[eE]/);
    const digits = mantissa.split(".")[1]?.length ?? 0;
    const next = (Number(mantissa.replace(/_/g, "")) + by * 10 ** -digits).toFixed(digits) + (exponent === undefined ? "" : `e${exponent}`);
    this.exchange(found.from, found.text.length, next);
    return true;
  }
}
