// SPDX-License-Identifier: MIT OR Apache-2.0
// What every button, slider and key of the page does, and what the engine's news are told to.
import { download, fileName } from "./keep.js";
import { $, noteUse, problem, say } from "./page.js";

const GESTURES = ["pointerdown", "pointerup", "keydown", "click"];

/** Once, when the page begins. */
export function listen(studio) {
  const { engine, menu } = studio;
  noteUse();
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
  // Browsers wait for a gesture before they let a page sound, and then the first will do, wherever it falls; what sounds can be touched at any time. A mouse
  // or a key is a gesture when it goes down, a finger or a pen when it is lifted.
  const wake = async () => {
    if (!engine.isOn && engine.context) await engine.turn(true);
  };
  const first = async (event) => {
    if (event.target.closest?.("#power") || event.key === "Tab" || event.key === "Shift") return;
    await wake();
    if (engine.context?.state === "running") GESTURES.forEach((type) => removeEventListener(type, first, true));
  };
  for (const type of GESTURES) {
    $("play").addEventListener(type, wake, true);
    addEventListener(type, first, true);
  }
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
  on("keys", "change", () => studio.notes.letters($("keys").checked).catch((error) => problem(error.message)));
  on("midi", "click", async () => say(await studio.notes.midi()));
  on("undo", "click", () => studio.undo());
  on("redo", "click", () => studio.redo());
  on("gate", "change", () => engine.post({ gate: $("gate").checked }));
  on("freeze", "click", () => {
    studio.stood = studio.frozen ? undefined : { info: studio.info, hz: studio.info.bodies.map((_, number) => studio.explain.frequencies(number)) };
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
  addEventListener("pagehide", () => studio.works.leave(() => studio.hurry()));
  document.addEventListener("visibilitychange", () => document.hidden && studio.hurry());
}
