// SPDX-License-Identifier: MIT OR Apache-2.0
// The page itself: its elements, and what it says.

export const $ = (id) => document.getElementById(id);
/** What happened, for a few seconds where everybody sees it, then in the foot of the page. */
export function say(text) {
  $("said").textContent = text;
  $("said").classList.add("fresh");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => $("said").classList.remove("fresh"), 6000);
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
