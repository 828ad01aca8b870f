// SPDX-License-Identifier: MIT OR Apache-2.0
// Speed, sole and weight of those who walk: one row of the page, which says what the scene and the engine say.
import { $, say } from "./page.js";
import { SOLES, WalkSurface } from "./walk.js";
import { withKey } from "./write.js";

export class Gait {
  constructor(studio) {
    this.studio = studio;
    $("sole").append(...SOLES.map((sole) => new Option(sole.replace("-", " "), sole)));
    const on = (id, type, act) => $(id).addEventListener(type, act);
    on("pace", "input", () => this.hasten());
    on("sole", "change", () => this.wear("sole", `"${$("sole").value}"`));
    on("weight", "input", () => ($("weight-out").textContent = `${$("weight").value} kg`));
    on("weight", "change", () => this.wear("mass_kg", Number($("weight").value).toFixed(1)));
  }

  /** How fast a walker is to go, m/s. */
  get speed() {
    return Number($("pace").value);
  }

  /** A scene sounds: who walks there, and whether anybody goes as fast as this says. */
  show({ walks: [walk] }, goes) {
    this.walk = walk;
    $("walker").hidden = !walk;
    if (!walk) return;
    $("sole").value = walk.sole ?? "";
    $("weight").value = walk.mass_kg;
    $("weight-out").textContent = `${walk.mass_kg} kg`;
    $("pace-box").hidden = !goes;
    this.follow();
  }

  /** The slider of speed stands where the first walker's speed is, whoever set it; one who stands has none. */
  follow() {
    const speed = this.studio.values.get(`${this.walk?.name}/speed_m_s`);
    if (speed > 0) $("pace").value = speed;
    $("pace-out").textContent = `${this.speed.toFixed(1)} m/s${this.speed > 2 ? ", runs" : ""}`;
  }

  /** Everybody who goes goes as fast as that: by the scene's own account in its text, too; led by a hand for the moment. Who stands goes so later. */
  hasten() {
    const { speed, studio } = this;
    for (const { walk, wasUsed } of studio.surfaces.filter((surface) => surface instanceof WalkSurface)) {
      const path = `${walk.name}/speed_m_s`;
      if (!wasUsed) studio.controls.put(path, speed, true);
      else if (studio.values.get(path) > 0) studio.controls.play(path, speed);
    }
    this.follow();
  }

  /** Everybody who walks wears or weighs something else: floors are made for it, so the text is edited. */
  wear(key, value) {
    return this.studio.edit((text) => this.studio.info.walks.reduce((all, { name }) => {
      const next = withKey(all, name, key, value);
      if (next === null) say(`${name}: the text has no place for its ${key}`);
      return next ?? all;
    }, text));
  }
}
