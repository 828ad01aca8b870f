// SPDX-License-Identifier: MIT OR Apache-2.0
// The page itself: its elements, and what it says.

export const $ = (id) => document.getElementById(id);
/** For how long what was used is the cause of what is said, ms; how far a message is from it, and from the window's edge. */
const CAUSE_MS = 15_000;
const GAP = 6;
/** What is higher than this has no one place of its own: there it is where the pointer was. */
const TALL = 90;
let used = { element: null, at: null, when: -Infinity };

/** Before the page begins: remembers what was used last. */
export function noteUse() {
  const note = (element, at) => (used = { element, at, when: performance.now() });
  addEventListener("pointerdown", ({ target, clientX, clientY }) => note(target, [clientX, clientY]), true);
  for (const type of ["keydown", "change"]) addEventListener(type, ({ target }) => note(target, target === used.element ? used.at : null), true);
}

/** Where what was used last is on the screen: left, top, bottom; null where nothing was. What has closed since is where it was opened. */
function causeBox() {
  if (performance.now() - used.when > CAUSE_MS || !used.element?.closest) return null;
  if (used.element === document.body) return null;
  const control = used.element.closest("button, summary, label, input, select, .control") ?? used.element;
  const seen = control.checkVisibility() ? control : control.closest("details, .bar")?.querySelector("summary, h2");
  const box = seen?.getBoundingClientRect();
  if (!box || box.bottom < 0 || box.top > innerHeight) return null;
  if (box.height > TALL) return used.at ? { left: used.at[0], top: used.at[1], bottom: used.at[1] } : { left: box.left, top: box.top, bottom: Math.min(box.top + TALL, innerHeight) };
  return box;
}

/** What happened, for a few seconds beside what was used for it, or, if nothing was, at the bottom of the window; then in the foot of the page. */
export function say(text) {
  const { style, classList } = $("said");
  $("said").textContent = text;
  classList.add("fresh");
  const box = causeBox();
  classList.toggle("beside", Boolean(box));
  if (box) {
    const { width, height } = $("said").getBoundingClientRect();
    const below = box.bottom + GAP + height <= innerHeight - GAP;
    const top = below ? box.bottom + GAP : box.top - GAP - height;
    style.setProperty("--x", `${Math.max(GAP, Math.min(box.left, innerWidth - width - GAP))}px`);
    style.setProperty("--y", `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`);
  }
  clearTimeout(say.timer);
  say.timer = setTimeout(() => classList.remove("fresh", "beside"), 6000);
}

/** What went wrong, until something else is said; nothing: all is well, but for what lasts. */
export function problem(text) {
  $("problem").textContent = text || problem.lasting || "";
  $("problem").hidden = !$("problem").textContent;
}

/** Something is wrong for as long as the page is open. */
export function lasting(text) {
  problem.lasting = text;
  problem(null);
}
