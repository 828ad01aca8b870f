// SPDX-License-Identifier: MIT OR Apache-2.0
// The scene as text beside its picture: edits are taken as you type, errors are shown at their line, and the scene that
// sounds stays until the text is right again.

const WAIT_MS = 350;

/** `take(text)` loads a scene and rejects with one line. */
export class Editor {
  constructor(host, take) {
    this.area = host.querySelector("textarea");
    this.gutter = host.querySelector(".gutter");
    this.note = host.querySelector("output");
    this.area.addEventListener("input", () => {
      this.number();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.try(take), WAIT_MS);
    });
    this.area.addEventListener("scroll", () => (this.gutter.scrollTop = this.area.scrollTop));
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Tab" || event.shiftKey || !event.ctrlKey) return;
      event.preventDefault(); // plain Tab leaves the field, as keyboards must be able to
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
    });
  }

  show(text) {
    this.area.value = text;
    this.mark(null, "");
    this.number();
  }

  async try(take) {
    try {
      await take(this.area.value);
      this.mark(null, "taken");
    } catch (error) {
      const line = /line (\d+)/.exec(error.message);
      this.mark(line ? Number(line[1]) : null, error.message);
    }
  }

  mark(line, message) {
    this.wrong = line;
    this.note.textContent = message;
    this.note.classList.toggle("wrong", message !== "" && message !== "taken");
    this.number();
  }

  number() {
    const lines = this.area.value.split("\n").length;
    this.gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => {
      const row = document.createElement("div");
      row.textContent = i + 1;
      if (i + 1 === this.wrong) row.className = "wrong";
      return row;
    }));
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
