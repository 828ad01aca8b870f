// SPDX-License-Identifier: MIT OR Apache-2.0
// The shipped scenes, each with a picture of its sound, drawn here from the engine itself.
import { Spectrum } from "./fft.js";

const [WIDE, TALL] = [200, 84];

/** A dialog of cards; `choose(name)` is called with the scene's name. */
export class Gallery {
  constructor(dialog, scenes, offline, choose) {
    Object.assign(this, { dialog, scenes, offline });
    const list = dialog.querySelector("ul");
    const field = dialog.querySelector("input");
    this.cards = scenes.map((scene) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.scene = scene.name;
      const picture = document.createElement("canvas");
      Object.assign(picture, { width: WIDE, height: TALL });
      picture.setAttribute("aria-hidden", "true");
      const name = document.createElement("strong");
      name.textContent = scene.name;
      const title = document.createElement("span");
      title.textContent = scene.title;
      button.append(picture, name, title);
      button.addEventListener("click", () => {
        dialog.close();
        choose(scene.name);
      });
      item.append(button);
      list.append(item);
      return { scene, item, picture };
    });
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const { scene, item } of this.cards) item.hidden = !`${scene.name} ${scene.title}`.toLowerCase().includes(wanted);
    });
  }

  open() {
    this.dialog.showModal();
    this.draw();
  }

  // One after the other; a scene that cannot be drawn keeps its empty frame.
  async draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    for (const { scene, picture } of this.cards) {
      if (!this.dialog.open) break;
      if (picture.dataset.drawn) continue;
      try {
        const sound = await this.offline.render({ scene: scene.text, rate: 0, seconds: 2.5 });
        paint(picture, sound);
        picture.dataset.drawn = "yes";
      } catch {
        picture.dataset.drawn = "no";
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
