// SPDX-License-Identifier: MIT OR Apache-2.0
// What every button, slider and key of the page does, and what the engine's news are told to.
import { download, fileName } from "./keep.js";
import { $, problem, say } from "./page.js";
import { SOLES } from "./walk.js";

/** Once, when the page begins. */
export function listen(studio) {
  const { engine, menu } = studio;
  engine.addEventListener("loaded", ({ detail }) => studio.show(detail));
  engine.addEventListener("status", ({ detail }) => studio.status(detail));
  engine.addEventListener("problem", ({ detail }) => problem(detail));
  engine.addEventListener("power", ({ detail }) => {
    $("power").querySelector(".word").textContent = detail ? "Sound is on" : "Turn sound on";
    $("power").setAttribute("aria-pressed", String(detail));
    $("power").classList.toggle("call", !detail);
  });
  engine.addEventListener("remark", ({ detail }) => say(detail));
  engine.addEventListener("echo", ({ detail }) => {
    $("echo").textContent = detail
      ? `The microphone hears the loudspeaker, ${Math.round(1000 * detail.seconds)} ms later${$("gate").checked ? ": that is gated out" : ""}. Headphones, or a lower level, would be better.`
      : "";
  });
  engine.addEventListener("recorded", ({ detail }) => menu.keepTake(detail));
  const on = (id, type, act) => $(id).addEventListener(type, act);
  on("power", "click", () => engine.turn(!engine.isOn));
  // The first touch of anything that sounds is the gesture that browsers wait for.
  $("play").addEventListener("pointerdown", () => engine.isOn || engine.turn(true), true);
  $("play").addEventListener("keydown", () => engine.isOn || engine.turn(true), true);
  // Browsers wait for a gesture before they let a page sound: the first one, wherever it falls, will do.
  const first = (event) => {
    if (event.target.closest?.("#power") || event.key === "Tab" || event.key === "Shift") return;
    removeEventListener("pointerdown", first, true);
    removeEventListener("keydown", first, true);
    if (!engine.isOn) engine.turn(true);
  };
  addEventListener("pointerdown", first, true);
  addEventListener("keydown", first, true);
  on("gallery-open", "click", async () => studio.gallery.show(await studio.works.fresh()));
  on("again", "click", async () => {
    if (!engine.isOn) await engine.turn(true);
    await studio.settle();
    studio.take(studio.text, { fresh: true }).catch((error) => problem(error.message));
  });
  on("stop", "click", () => engine.send({ hush: true }));
  on("level", "input", () => {
    const db = Number($("level").value);
    $("level").setAttribute("aria-valuetext", `${db} dB`);
    engine.post({ gain: db <= -40 ? 0 : 10 ** (db / 20) });
  });
  on("mass", "change", () => studio.hammer());
  on("latency", "change", () => (studio.opening = studio.reopen().catch((error) => problem(error.message))));
  on("limiter", "change", () => engine.post({ limiting: $("limiter").checked }));
  on("speed", "input", () => ($("speed-out").textContent = `${studio.how().speed.toPrecision(2)} m/s`));
  on("squeeze", "input", () => ($("squeeze-out").textContent = `${Math.round(1000 * studio.squeeze())} ms`));
  $("sole").append(...SOLES.map((sole) => new Option(sole.replace("-", " "), sole)));
  on("pace", "input", () => {
    $("pace-out").textContent = `${studio.pace().toFixed(1)} m/s${studio.pace() > 2 ? ", runs" : ""}`;
    for (const surface of studio.surfaces) if (surface.isGoing) engine.set(`${surface.walk.name}/speed_m_s`, studio.pace());
  });
  on("sole", "change", () => studio.wear("sole", `"${$("sole").value}"`));
  on("weight", "input", () => ($("weight-out").textContent = `${$("weight").value} kg`));
  on("weight", "change", () => studio.wear("mass_kg", Number($("weight").value).toFixed(1)));
  on("keys", "change", () => studio.notes.letters($("keys").checked).catch((error) => problem(error.message)));
  on("midi", "click", async () => say(await studio.notes.midi()));
  on("undo", "click", () => studio.undo());
  on("redo", "click", () => studio.redo());
  on("gate", "change", () => engine.post({ gate: $("gate").checked }));
  on("freeze", "click", () => {
    studio.frozen = studio.frozen ? undefined : engine.ring.copy();
    $("freeze").setAttribute("aria-pressed", String(Boolean(studio.frozen)));
  });
  on("zoom", "input", () => studio.views.forEach((view) => (view.zoom = 2 ** Number($("zoom").value))));
  on("look", "change", () => engine.post({ look: Number($("look").value) }));
  on("save", "click", async () => {
    await studio.settle();
    download(`${fileName(studio.info.title)}.toml`, [studio.text], "text/plain");
  });
  on("open", "click", () => $("file").click());
  on("file", "change", () => menu.openFile($("file").files[0]));
  on("share", "click", () => menu.share());
  on("recording", "click", () => menu.record());
  on("history", "click", () => menu.versions());
  on("export", "click", async () => {
    await studio.settle();
    download("tocco-scenes.json", [await studio.works.exported()], "application/json");
  });
  on("import", "click", () => $("imported").click());
  on("imported", "change", () => menu.import($("imported").files[0]));
  on("midi-map", "click", () => menu.mapMidi());
  on("sound-open", "click", () => {
    const isOpen = $("sound-box").classList.toggle("open");
    $("sound-open").setAttribute("aria-expanded", String(isOpen));
  });
  // A menu closes when something in it is chosen, by Escape, and when another place is touched.
  const list = $("keep");
  list.addEventListener("click", (event) => event.target.closest(".items button") && (list.open = false));
  addEventListener("pointerdown", (event) => list.contains(event.target) || (list.open = false), true);
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    list.open = false;
    list.querySelector("summary").focus();
  });
  on("record", "click", () => menu.record());
  on("render", "click", () => menu.render());
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.closest?.(".cm-editor")) return;
    event.preventDefault();
    if (event.shiftKey) studio.redo();
    else studio.undo();
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) menu.openFile(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", () => menu.fromLink());
  addEventListener("pagehide", () => studio.works.leave(() => studio.flush()));
}
