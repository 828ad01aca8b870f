// SPDX-License-Identifier: MIT OR Apache-2.0
// The shipped scenes by what is done to things, and yours: each with what it looks like and a picture of its sound, drawn here
// from the engine itself. Pointing at one for a moment plays it.
import { Spectrum } from "./fft.js";
import { thumbnail } from "./thumbs.js";

const [WIDE, TALL] = [200, 84];
/** A card that is pointed at for so long is heard, ms; and for how long, s. */
const [POINTED_MS, PREVIEW_S] = [350, 2.5];
/** Rendered sounds that are kept; more are rendered again. */
const MOST_SOUNDS = 24;

/** The first that fits; what a scene is made of tells. */
const GROUPS = [
  ["Walked on", ({ name, text }) => /^(floor|walk|feet)-|steps/.test(name) || /^\[walk\./m.test(text)],
  ["Bowed and rubbed", ({ text }) => /type = "friction"/.test(text) && !/^\[process\./m.test(text)],
  ["Water and ice", ({ name, text }) => /type = "(bubbles|rain|drip|splash|puddle|vessel|ice)"/.test(text) || /^ice/.test(name)],
  ["Rolled, dropped and shaken", ({ name }) => /^(rolling|marble|bounce|coin|cradle|chain|rattle|saucer|maracas|tambourine|sleigh|rain-stick|gravel-pour|spoon$)/.test(name)],
  ["Crushed, torn and burnt", ({ text }) => /^\[process\./m.test(text)],
  ["Struck", () => true],
];
const ORDER = ["Struck", "Bowed and rubbed", "Rolled, dropped and shaken", "Crushed, torn and burnt", "Water and ice", "Walked on"];

/** The group of a shipped scene. */
export const groupOf = (scene) => GROUPS.find(([, fits]) => fits(scene))[0];

const make = (tag, words = "") => Object.assign(document.createElement(tag), { textContent: words });

/** A dialog of cards. `choose(name)` opens a shipped scene, `open(work)` one of yours, `forget(work)` ends one; `play(sound)` is heard
 * and gives a function that ends it. */
export class Gallery {
  constructor(dialog, scenes, offline, acts) {
    Object.assign(this, { dialog, scenes, offline, ...acts });
    this.host = dialog.querySelector(".groups");
    this.field = dialog.querySelector("input");
    this.sounds = new Map();
    this.cards = [];
    this.field.addEventListener("input", () => this.find());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      [...this.yours ?? [], ...this.cards].sort((a, b) => this.fits(b) - this.fits(a)).find((card) => !card.item.hidden)?.button.click();
    });
    // What was touched last: a key, too, is no finger.
    dialog.addEventListener("pointerdown", ({ pointerType }) => (this.isTouch = pointerType === "touch"), true);
    dialog.addEventListener("keydown", () => (this.isTouch = false), true);
    dialog.addEventListener("close", () => this.hush());
    dialog.addEventListener("scroll", () => this.draw(), { passive: true });
  }

  group(title) {
    const section = make("section");
    const list = make("ul");
    section.append(make("h3", title), list);
    section.setAttribute("aria-label", title);
    this.host.append(section);
    return list;
  }

  card(list, name, title, text, data, act) {
    const [item, button, look, picture] = ["li", "button", "canvas", "canvas"].map((tag) => make(tag));
    button.type = "button";
    Object.assign(button.dataset, data);
    Object.assign(look, { width: 2 * TALL, height: 2 * TALL, className: "look" });
    Object.assign(picture, { width: WIDE, height: TALL, className: "sound" });
    for (const canvas of [look, picture]) canvas.setAttribute("aria-hidden", "true");
    button.append(look, picture, make("strong", name), make("span", title));
    const card = { item, button, look, picture, text, words: `${name} ${title}`.toLowerCase(), name };
    button.addEventListener("click", () => {
      // On a touch screen the first tap is the preview, as nothing can be pointed at.
      if (this.isTouch && this.heard !== card) return this.preview(card);
      this.dialog.close();
      return act();
    });
    button.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType === "mouse") this.pointing = setTimeout(() => this.preview(card), POINTED_MS);
    });
    button.addEventListener("focus", () => {
      if (button.matches(":focus-visible")) this.pointing = setTimeout(() => this.preview(card), 2 * POINTED_MS);
    });
    button.addEventListener("blur", () => this.hush());
    button.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && this.hush());
    item.append(button);
    list.append(item);
    return card;
  }

  /** Letters at the beginning of the name count most. */
  fits({ words, name }) {
    const wanted = this.field.value.trim().toLowerCase();
    return name === wanted ? 3 : name.startsWith(wanted) ? 2 : words.includes(wanted) ? 1 : 0;
  }

  find() {
    for (const card of [...this.yours ?? [], ...this.cards]) card.item.hidden = this.fits(card) === 0;
    let count = 0;
    for (const section of this.host.children) {
      const shown = section.querySelectorAll("li:not([hidden])").length;
      section.hidden = shown === 0;
      count += shown;
    }
    this.dialog.querySelector("output").textContent = this.field.value ? (count === 1 ? "1 scene; Enter opens it" : `${count} scenes`) : "";
    this.draw();
  }

  /** Cards of what is shipped: made when somebody asks for them, as the page begins sooner without. */
  fill() {
    for (const group of this.cards.length ? [] : ORDER) {
      const list = this.group(group);
      for (const scene of this.scenes.filter((one) => groupOf(one) === group)) {
        this.cards.push(this.card(list, scene.name, scene.title, scene.text, { scene: scene.name }, () => this.choose(scene.name)));
      }
    }
  }

  /** With your own scenes as they are now. */
  show(works) {
    this.fill();
    this.host.querySelector(".yours")?.remove();
    this.yours = [];
    if (works.length) {
      const list = this.group("Your scenes");
      const section = list.parentElement;
      section.className = "yours";
      this.host.prepend(section);
      for (const work of works) {
        const title = /^\s*title\s*=\s*"([^"]*)"/m.exec(work.text)?.[1] ?? "";
        const card = this.card(list, work.id, `${title}, ${new Date(work.at).toLocaleString([], { dateStyle: "short", timeStyle: "short" })}`, work.text, { work: work.id }, () => this.open(work));
        const gone = make("button", "Forget");
        gone.type = "button";
        gone.className = "forget";
        gone.setAttribute("aria-label", `Forget ${work.id}`);
        gone.addEventListener("click", () => {
          if (!confirm(`Forget ${work.id}? It is kept nowhere else.`)) return;
          this.forget(work);
          card.item.remove();
        });
        card.item.append(gone);
        this.yours.push(card);
      }
    }
    this.find();
    this.dialog.showModal();
    this.field.focus();
    this.draw();
  }

  sound(card) {
    if (!this.sounds.has(card.text)) this.sounds.set(card.text, this.offline.render({ scene: card.text, rate: 0, seconds: PREVIEW_S }));
    const sound = this.sounds.get(card.text);
    if (this.sounds.size > MOST_SOUNDS) this.sounds.delete(this.sounds.keys().next().value);
    return sound;
  }

  async preview(card) {
    this.hush();
    this.heard = card;
    card.button.classList.add("heard");
    try {
      const sound = await this.sound(card);
      if (this.heard === card && this.dialog.open) this.end = this.play(sound);
    } catch {
      // A scene of yours that is not right has no sound.
    }
  }

  hush() {
    clearTimeout(this.pointing);
    this.heard?.button.classList.remove("heard");
    this.heard = null;
    this.end?.();
    this.end = null;
  }

  // What is in sight, one after the other, things before their sounds; a scene that cannot be drawn keeps its empty frame.
  async draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    const isSeen = ({ item }) => {
      if (item.hidden) return false;
      const [box, all] = [item.getBoundingClientRect(), this.dialog.getBoundingClientRect()];
      return box.bottom > all.top - 100 && box.top < all.bottom + 200;
    };
    for (;;) {
      const seen = this.dialog.open ? [...this.yours ?? [], ...this.cards].filter(isSeen) : [];
      const card = seen.find(({ look }) => !look.dataset.drawn) ?? seen.find(({ picture }) => !picture.dataset.drawn);
      if (!card) break;
      const canvas = card.look.dataset.drawn ? card.picture : card.look;
      try {
        if (canvas === card.look) thumbnail(canvas, await this.offline.about(card.text));
        else paint(canvas, await this.sound(card));
        canvas.dataset.drawn = "yes";
      } catch {
        canvas.dataset.drawn = "no";
      }
    }
    this.isDrawing = false;
  }
}

function paint(canvas, { samples, channels, rate }) {
  const size = 1024;
  const spectrum = new Spectrum(size);
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(WIDE, TALL);
  const frames = samples.length / channels;
  const block = new Float32Array(size);
  const dark = [13, 12, 29];
  const columns = [];
  let top = 1e-12;
  for (let x = 0; x < WIDE; x += 1) {
    const from = Math.round((x / WIDE) * (frames - size));
    for (let i = 0; i < size; i += 1) block[i] = samples[(from + i) * channels];
    const power = spectrum.of(block).slice();
    columns.push(power);
    for (const p of power) top = Math.max(top, p);
  }
  columns.forEach((power, x) => {
    for (let y = 0; y < TALL; y += 1) {
      const hz = 60 * (rate / 2 / 60) ** (1 - y / TALL);
      const p = power[Math.min(size / 2 - 1, Math.round((hz / rate) * size))];
      const level = Math.min(1, Math.max(0, 1 + (10 * Math.log10(p / top + 1e-12)) / 75));
      const rgb = [dark[0] + level * 242, dark[1] + level ** 1.6 * 200, dark[2] + Math.sin(level * 3.1) * 70 + level ** 4 * 90];
      image.data.set([...rgb, 255], 4 * (y * WIDE + x));
    }
  });
  pen.putImageData(image, 0, 0);
}
