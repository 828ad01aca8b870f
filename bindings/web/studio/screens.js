// SPDX-License-Identifier: MIT OR Apache-2.0
// One idea at a time for whoever is new here, and everything for others: the choice is kept.

const KEPT = "tocco-screen";
const IDEAS = {
  listen: "Press Play again, and watch what makes the sound.",
  play: "Touch things: strike them, rub them, pull them. Controls change what they are.",
  look: "Click a bright line of the spectrogram: the mode that sounds there lights up.",
  edit: "The scene is a text. Change a number and hear it.",
  all: "",
};

export class Screens {
  /** `changed()` is told when something has come or gone. */
  constructor(host, changed) {
    Object.assign(this, { host, changed });
    let kept = null;
    try {
      kept = localStorage.getItem(KEPT);
    } catch {
      // A browser that keeps nothing shows a newcomer's page.
    }
    host.addEventListener("click", ({ target }) => target.closest("[data-screen]") && this.show(target.closest("[data-screen]").dataset.screen));
    this.show(kept in IDEAS ? kept : "play");
  }

  show(screen) {
    this.now = screen;
    document.body.dataset.screen = screen;
    for (const button of this.host.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.screen === screen));
    this.host.querySelector("#idea").textContent = IDEAS[screen];
    try {
      localStorage.setItem(KEPT, screen);
    } catch {
      // It holds for this visit.
    }
    this.changed();
  }
}
