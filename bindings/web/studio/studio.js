// SPDX-License-Identifier: MIT OR Apache-2.0
// The studio: puts the pieces together.
import { Bridge } from "./bridge.js";
import { Controls } from "./controls.js";
import { Editor } from "./editor.js";
import { compile, Engine } from "./engine.js";
import { findFlow, FlowSurface } from "./flow.js";
import { findIce, IceSurface } from "./ice.js";
import { Gallery } from "./gallery.js";
import { download, fileName, LARGEST_SCENE, linkTo, Offline, sceneIn, wav } from "./keep.js";
import { Notes } from "./keys.js";
import { findPresses, PressSurface } from "./press.js";
import { findSurfaces, isCopy, RubSurface, StrikeSurface } from "./surfaces.js";
import { findTank, TankSurface } from "./tank.js";
import { VIEWS } from "./views.js";
import { FeetSurface, findWalks, floorsOf, SOLES, WalkStrip, WalkSurface, withKey } from "./walk.js";

const FIRST_SCENE = "steel-bar";
/** Longest offline render of a scene that says "auto", s. */
const LONGEST_AUTO_S = 12;

/** Seconds of buffer: "interactive" is the least the browser can do, and a machine that holds its breath is heard. */
const LATENCIES = { shortest: "interactive", steady: 0.02, safest: 0.06 };

const $ = (id) => document.getElementById(id);
const say = (text) => ($("said").textContent = text);

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text ?? "";
}

const decibels = (gain) => 20 * Math.log10(Math.max(gain, 1e-6));

class Studio {
  constructor(module, scenes) {
    this.scenes = scenes;
    this.engine = new Engine(module);
    this.offline = new Offline(module);
    this.controls = new Controls($("controls"), this.engine);
    this.editor = new Editor($("text"), (text) => this.take(text, { isTyped: true }));
    this.gallery = new Gallery($("gallery"), scenes, this.offline, (name) => this.choose(name));
    // What notes need of a scene comes and goes with them; what sounds goes on.
    this.notes = new Notes(this.engine, () => this.take(this.text, { isTyped: true }));
    this.surfaces = [];
    this.lasting = new Map();
    this.views = VIEWS.map((View) => new View());
    this.viewCanvases = VIEWS.map((View) => {
      const figure = document.createElement("figure");
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", View.title);
      const caption = document.createElement("figcaption");
      caption.textContent = View.title;
      figure.append(caption, canvas);
      $("view-grid").append(figure);
      return canvas;
    });
    // What is on the screen is drawn. What is near it is asked of the engine, which must step sample by sample for it.
    this.seen = new Set();
    this.near = new Set();
    const follow = (set, rootMargin) => {
      const watcher = new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) set[isIntersecting ? "add" : "delete"](target);
        this.watch();
      }, { rootMargin });
      this.viewCanvases.forEach((canvas) => watcher.observe(canvas));
    };
    follow(this.seen, "0px");
    follow(this.near, "150% 0px");
    document.addEventListener("visibilitychange", () => this.watch());
    // Canvases are drawn in the pixels they have: again when that changes.
    this.sizes = new ResizeObserver(() => this.surfaces.forEach((surface) => surface.draw()));
    this.sizes.observe($("surfaces"));
    this.listen();
  }

  listen() {
    const { engine } = this;
    engine.addEventListener("loaded", ({ detail }) => this.show(detail));
    engine.addEventListener("status", ({ detail }) => this.status(detail));
    engine.addEventListener("problem", ({ detail }) => problem(detail));
    engine.addEventListener("power", ({ detail }) => {
      $("power").textContent = detail ? "Sound is on" : "Turn sound on";
      $("power").setAttribute("aria-pressed", String(detail));
      $("power").classList.toggle("call", !detail);
    });
    engine.addEventListener("remark", ({ detail }) => say(detail));
    engine.addEventListener("echo", ({ detail }) => {
      $("echo").textContent = detail
        ? `The microphone hears the loudspeaker, ${Math.round(1000 * detail.seconds)} ms later${$("gate").checked ? ": that is gated out" : ""}. Headphones, or a lower level, would be better.`
        : "";
    });
    engine.addEventListener("recorded", ({ detail }) => this.keepTake(detail));
    const on = (id, type, act) => $(id).addEventListener(type, act);
    on("power", "click", () => engine.turn(!engine.isOn));
    // The first touch of anything that sounds is the gesture that browsers wait for.
    $("play").addEventListener("pointerdown", () => engine.isOn || engine.turn(true), true);
    $("play").addEventListener("keydown", () => engine.isOn || engine.turn(true), true);
    on("gallery-open", "click", () => this.gallery.open());
    on("again", "click", async () => {
      if (!engine.isOn) await engine.turn(true);
      this.take(this.text, { fresh: true }).catch((error) => problem(error.message));
    });
    on("level", "input", () => {
      const db = Number($("level").value);
      $("level").setAttribute("aria-valuetext", `${db} dB`);
      engine.post({ gain: db <= -40 ? 0 : 10 ** (db / 20) });
    });
    on("mass", "change", () => this.hammer());
    on("latency", "change", () => (this.opening = this.reopen().catch((error) => problem(error.message))));
    on("limiter", "change", () => engine.post({ limiting: $("limiter").checked }));
    on("speed", "input", () => ($("speed-out").textContent = `${this.how().speed.toPrecision(2)} m/s`));
    on("squeeze", "input", () => ($("squeeze-out").textContent = `${Math.round(1000 * this.squeeze())} ms`));
    $("sole").append(...SOLES.map((sole) => new Option(sole.replace("-", " "), sole)));
    on("pace", "input", () => {
      $("pace-out").textContent = `${this.pace().toFixed(1)} m/s${this.pace() > 2 ? ", runs" : ""}`;
      for (const surface of this.surfaces) if (surface.isGoing) engine.set(`${surface.walk.name}/speed_m_s`, this.pace());
    });
    on("sole", "change", () => this.wear("sole", `"${$("sole").value}"`));
    on("weight", "input", () => ($("weight-out").textContent = `${$("weight").value} kg`));
    on("weight", "change", () => this.wear("mass_kg", Number($("weight").value).toFixed(1)));
    on("keys", "change", () => this.notes.letters($("keys").checked).catch((error) => problem(error.message)));
    on("midi", "click", async () => say(await this.notes.midi()));
    on("undo", "click", () => this.controls.history.undo());
    on("redo", "click", () => this.controls.history.redo());
    on("gate", "change", () => engine.post({ gate: $("gate").checked }));
    on("freeze", "click", () => {
      this.frozen = this.frozen ? undefined : engine.ring.copy();
      $("freeze").setAttribute("aria-pressed", String(Boolean(this.frozen)));
    });
    on("zoom", "input", () => this.views.forEach((view) => (view.zoom = 2 ** Number($("zoom").value))));
    on("look", "change", () => engine.post({ look: Number($("look").value) }));
    on("save", "click", () => download(`${fileName(this.info.title)}.toml`, [this.text], "text/plain"));
    on("open", "click", () => $("file").click());
    on("file", "change", () => this.openFile($("file").files[0]));
    on("share", "click", () => this.share());
    on("record", "click", () => this.record());
    on("render", "click", () => this.render());
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.tagName === "TEXTAREA") return;
      event.preventDefault();
      if (event.shiftKey) this.controls.history.redo();
      else this.controls.history.undo();
    });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.openFile(event.dataTransfer.files[0]);
    });
    addEventListener("hashchange", () => this.fromLink());
  }

  how() {
    return { speed: 10 ** Number($("speed").value), impulse: 0.01 * 10 ** Number($("speed").value), mass: $("mass").value };
  }

  /** Seconds in which a hand closes. */
  squeeze() {
    return 10 ** Number($("squeeze").value);
  }

  /** How fast a walker is to go, m/s. */
  pace() {
    return Number($("pace").value);
  }

  /** Everybody who walks wears or weighs something else: floors are made for it, so the text is edited. */
  wear(key, value) {
    return this.edit((text) => this.info.walks.reduce((all, { name }) => withKey(all, `walk.${name}`, key, value), text));
  }

  /** Makes a changed text the scene; what sounds goes on. */
  async edit(change) {
    try {
      const text = change(this.text);
      await this.take(text, { isTyped: true });
      this.editor.show(text);
    } catch (error) {
      problem(error.message);
    }
  }

  async start() {
    let text = this.scenes.find((scene) => scene.name === FIRST_SCENE)?.text ?? this.scenes[0].text;
    try {
      text = (await sceneIn(location.hash)) ?? text;
    } catch (error) {
      problem(error.message);
    }
    try {
      await this.begin(text);
    } catch (error) {
      problem(error.message);
      await this.begin(this.scenes.find((scene) => scene.name === FIRST_SCENE).text);
    }
    $("power").classList.add("call");
    this.frame();
    document.documentElement.dataset.ready = "yes";
    // Code that has run is optimised, for every thread: better before the first stroke than during it.
    this.offline.render({ scene: this.text, rate: this.engine.rate, seconds: 0.5 }).catch(() => {});
  }

  async begin(text) {
    this.text = text;
    await this.engine.start(text, this.latency());
    this.editor.show(text);
    this.engine.isOn = this.engine.context.state === "running";
    this.engine.tell("power", this.engine.isOn);
  }

  latency() {
    return LATENCIES[$("latency").value] ?? LATENCIES.steady;
  }

  async reopen() {
    await this.engine.reopen(this.notes.prepare(this.text), this.latency());
    this.notes.begin();
    this.settle();
  }

  // What a new audio side must be told.
  settle() {
    $("level").dispatchEvent(new Event("input"));
    $("limiter").dispatchEvent(new Event("change"));
    $("gate").dispatchEvent(new Event("change"));
  }

  async choose(name) {
    const scene = this.scenes.find((s) => s.name === name);
    await this.take(scene.text, { fresh: true }).catch((error) => problem(error.message));
    history.replaceState(null, "", location.pathname);
  }

  /** Makes a text the scene that sounds; rejects with one line and leaves all as it was. */
  async take(text, { isTyped = false, fresh = false } = {}) {
    if (text.length > LARGEST_SCENE) throw new Error(`the scene is ${text.length} bytes long; at most ${LARGEST_SCENE} are taken`);
    this.isFresh = fresh;
    this.coming = text;
    await this.engine.load(this.notes.prepare(text), fresh);
    this.notes.begin();
    this.text = text;
    if (!isTyped) this.editor.show(text);
    problem(null);
  }

  show(info) {
    this.info = info;
    $("title").textContent = info.title || "a scene";
    document.title = `${info.title || "scene"} · Tocco studio`;
    this.controls.show(info);
    const { strikes, rubs } = findSurfaces(info);
    const host = $("surfaces");
    host.replaceChildren();
    const strikeSurfaces = strikes.map((strike) => new StrikeSurface(strike, this.engine, () => this.how()));
    const rubSurfaces = rubs.map((rub) => new RubSurface(rub, info, this.engine, () => $("mode").value));
    const presses = findPresses(info).map((press) => new PressSurface(press, this.engine, () => this.squeeze()));
    // Water goes on while its scene is edited.
    const names = findTank(info);
    if (this.tank && JSON.stringify(names) !== JSON.stringify(this.tank.names)) this.tank = this.tank.close();
    if (names) this.tank ??= new TankSurface(names, this.engine);
    const flow = this.tank ? null : findFlow(info);
    const water = flow ? [new FlowSurface(flow, this.engine, (name, position) => this.controls.put(name, position, true))] : [];
    this.surfaces = [...this.grounds(info), ...(this.tank ? [this.tank] : []), ...water, ...presses, ...rubSurfaces, ...strikeSurfaces];
    for (const surface of this.surfaces) {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      caption.textContent = surface.caption ?? (surface.rub ? `rub ${surface.rub.on.body} with ${surface.rub.name}` : `strike ${surface.body.name}`);
      // One pad above many objects has the whole width: its time runs across it.
      figure.classList.toggle("wide", Boolean(surface.isWide) || (Boolean(surface.inlet) && presses.length === 1));
      figure.append(surface.canvas, caption);
      host.append(figure);
      surface.canvas.addEventListener("pointerdown", () => surface.body && this.look(surface.body.name));
    }
    host.classList.toggle("one", this.surfaces.length <= 2);
    // Only when all are there has each the room it will have.
    this.surfaces.forEach((surface) => surface.draw());
    this.notes.show(info, strikeSurfaces, rubSurfaces, presses);
    this.hammers = strikes.flatMap((strike) => strike.hammers);
    $("mass").replaceChildren(...[...new Set(this.hammers.map((h) => h.mass))].map((mass) => new Option(mass)));
    $("mass-box").hidden = !strikes.some(({ hammers }) => new Set(hammers.map((h) => h.mass)).size > 1);
    $("speed-box").hidden = strikes.length === 0;
    $("mode-box").hidden = rubs.length === 0;
    $("squeeze-box").hidden = presses.every(({ isBlow }) => isBlow) && !info.walks.some(({ by_inlets }) => by_inlets);
    this.hammer();
    $("look").replaceChildren(...info.bodies.flatMap((body, i) => (body.modes.length && !isCopy(body.name) ? [new Option(body.name, i)] : [])));
    $("look-box").hidden = $("look").options.length === 0;
    const loudest = info.bodies.findIndex((body) => body.modes?.length);
    this.look(info.bodies[Math.max(0, loudest)]?.name);
    this.viewCanvases.forEach((canvas, i) => (canvas.parentElement.hidden = VIEWS[i].wants?.(info).length === 0));
    this.watched = undefined;
    this.watch();
    $("again").disabled = false;
  }

  /** Who walks, and what ice there is: both outlive an edit, and begin anew with a scene. */
  grounds(info) {
    const before = this.isFresh ? new Map() : this.lasting;
    if (this.isFresh) this.lasting.forEach((surface) => surface.close?.());
    this.lasting = new Map();
    const last = (key, make) => {
      const surface = before.get(key) ?? make();
      this.lasting.set(key, surface);
      return surface;
    };
    const how = { edit: (change) => this.edit(change), speed: () => this.pace() };
    const strip = (walk) => {
      const own = last(`strip ${walk.name} ${floorsOf(walk)}`, () => new WalkStrip(walk, this.engine));
      own.adopt(walk, info);
      return own;
    };
    const walking = findWalks(info).flatMap((walk) => {
      const ground = last(`walk ${walk.name}`, () => new WalkSurface(walk, this.engine, how));
      ground.adopt(walk);
      return [ground, strip(walk)];
    });
    const feet = info.walks.filter(({ by_inlets }) => by_inlets).flatMap((walk) => [new FeetSurface(walk, this.engine, () => this.squeeze()), strip(walk)]);
    const ice = findIce(info).map((sheet) => last(`ice ${JSON.stringify(sheet)}`, () => new IceSurface(sheet, this.engine, this.coming ?? this.text)));
    before.forEach((surface, key) => this.lasting.has(key) || surface.close?.());
    this.isFresh = false;
    $("gate-box").hidden = info.inputs === 0;
    $("walker").hidden = info.walks.length === 0;
    const [walk] = info.walks;
    if (walk) {
      const speed = info.paths.find(({ path }) => path === `${walk.name}/speed_m_s`)?.value;
      if (speed > 0 && !this.lasting.get(`walk ${walk.name}`)?.wasUsed) $("pace").value = speed;
      $("sole").value = walk.sole ?? "";
      $("weight").value = walk.mass_kg;
      $("weight-out").textContent = `${walk.mass_kg} kg`;
      $("pace-out").textContent = `${this.pace().toFixed(1)} m/s`;
      $("pace-box").hidden = walking.length === 0;
    }
    return [...walking, ...feet, ...ice];
  }

  /** Shows what somebody else plays. */
  heard(gesture) {
    const path = gesture.set ?? gesture.jump;
    if (path) this.controls.heard(path, gesture.value);
    const touched = gesture.strike ?? gesture.hit?.split(".")[0];
    if (touched) this.surfaces.find((s) => s.body?.name === touched || s.hammers?.some((h) => h.mass === touched))?.flash();
  }

  /** Asks the engine for the signals of the views that are near the screen. */
  watch() {
    if (!this.info) return;
    const known = new Set(this.info.signals);
    const views = document.hidden ? [] : VIEWS.filter((_, i) => this.near.has(this.viewCanvases[i]));
    const wanted = [...new Set(views.flatMap((View) => View.wants?.(this.info) ?? []))].filter((signal) => known.has(signal));
    if (wanted.join() === this.watched) return;
    this.watched = wanted.join();
    this.engine.watch(wanted);
  }

  // Hammer mass and hardness, at hand beside the object.
  hammer() {
    const hammer = this.hammers.find(({ mass }) => mass === $("mass").value);
    const host = $("hammer");
    host.replaceChildren();
    if (!hammer) return;
    for (const [path, label] of [[`${hammer.mass}/mass_kg`, "hammer mass"], [`${hammer.contact}/stiffness`, "hardness"]]) {
      const spec = this.info.paths.find((p) => p.path === path);
      if (!spec) continue;
      const narrow = label === "hardness" ? { min: Math.max(spec.min, 1e3), max: Math.min(spec.max, 1e12) } : { min: Math.max(spec.min, 1e-4), max: Math.min(spec.max, 10) };
      host.append(this.controls.row({ ...spec, ...narrow, label, scale: "log" }, false));
    }
  }

  look(name) {
    const index = this.info.bodies.findIndex((body) => body.name === name);
    if (index < 0) return;
    $("look").value = index;
    this.engine.post({ look: index });
  }

  /** Times the browser had nothing to play: its own count, or quanta that took longer than they last. */
  underruns() {
    return this.engine.context.playbackStats?.underrunEvents ?? this.last?.late ?? 0;
  }

  status(status) {
    this.last = status;
    if (this.info) this.notes.weigh(this.info.bodies, status.energies);
    for (const surface of this.surfaces) surface.follow?.({ ...status, traced: this.info.traced });
    this.load = this.load === undefined ? status.load : this.load + 0.02 * (status.load - this.load); // its clock ticks in ms
    const [unconverged, refused, reset, capped] = status.health;
    const trouble = [[unconverged, "unconverged"], [refused, "refused"], [reset, "reset"], [capped, "events too many"], [this.underruns(), "gaps"]]
      .filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`).join(", ");
    $("status").textContent = `${(status.tick / this.engine.rate).toFixed(1)} s, load ${(100 * this.load).toFixed(0)} %, ${this.engine.rate} Hz, latency ${(1000 * (this.engine.context.outputLatency || this.engine.context.baseLatency || 0)).toFixed(0)} ms${trouble ? `, ${trouble}` : ", all well"}`;
    $("reduction").textContent = this.levels(status.meters);
  }

  /** What the limiter of each output does; of several outputs also how loud each is. */
  levels(meters) {
    const turned = (i) => `${Math.min(0, decibels(meters[2 * i + 1])).toFixed(1)} dB`;
    const outputs = this.info?.outputs ?? [];
    if (meters.length !== 2 * outputs.length) return $("reduction").textContent; // of the scene before
    if (outputs.length === 1) return turned(0);
    return outputs.map(({ name }, i) => `${name} ${turned(i)} (peak ${decibels(meters[2 * i]).toFixed(0)} dB)`).join(", ");
  }

  // One frame of every picture; runs at the screen's pace and never asks the audio side for anything.
  frame() {
    const { engine } = this;
    const head = engine.ring.head();
    if (engine.info && (head !== this.drawn || this.frozen)) {
      this.drawn = head;
      const at = { ring: this.frozen ?? engine.ring, rate: engine.rate, end: (this.frozen ?? engine.ring).head(), engine,
        isFrozen: Boolean(this.frozen), status: this.frozen ? this.kept : (this.kept = this.last) };
      this.views.forEach((view, i) => this.seen.has(this.viewCanvases[i]) && view.draw(this.viewCanvases[i], at));
      let peak = 0;
      for (const x of engine.ring.column(0, 2048)) peak = Math.max(peak, Math.abs(x));
      const db = decibels(peak * 10 ** (Number($("level").value) / 20));
      $("meter").value = db;
      $("meter").textContent = `${db.toFixed(0)} dB`;
      if (this.last) {
        for (const surface of this.surfaces) {
          const index = this.info.bodies.findIndex((body) => body === surface.body);
          const energy = index < 0 ? 0 : this.last.energies[index];
          surface.light(energy > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(energy) / 9)) : 0);
        }
      }
    }
    requestAnimationFrame(() => this.frame());
  }

  async openFile(file) {
    if (!file) return;
    try {
      if (file.size > 4 * LARGEST_SCENE) throw new Error(`${file.name} is ${Math.round(file.size / 1e6)} MB; a scene has at most 16`);
      const text = await file.text();
      const first = file.name.endsWith(".jsonl") ? JSON.parse(text.slice(0, text.indexOf("\n"))) : null;
      await this.take(first ? first.scene.text : text, { fresh: true });
      say(`${file.name} plays`);
    } catch (error) {
      problem(`${file.name}: ${error.message}`);
    }
    $("file").value = "";
  }

  async share() {
    try {
      const link = await linkTo(this.text);
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link).then(() => say("the link is copied and in the address bar"), () => say("the link is in the address bar"));
    } catch (error) {
      problem(error.message);
    }
  }

  async fromLink() {
    try {
      const text = await sceneIn(location.hash);
      if (text) await this.take(text, { fresh: true });
    } catch (error) {
      problem(error.message);
    }
  }

  async record() {
    this.isRecording = !this.isRecording;
    $("record").setAttribute("aria-pressed", String(this.isRecording));
    $("record").textContent = this.isRecording ? "Stop" : "Record";
    if (this.isRecording && !this.engine.isOn) await this.engine.turn(true);
    this.engine.post({ record: this.isRecording });
  }

  keepTake({ take, wav: blocks, channels, rate }) {
    const samples = new Float32Array(blocks.reduce((n, block) => n + block.length, 0));
    blocks.reduce((at, block) => {
      samples.set(block, at);
      return at + block.length;
    }, 0);
    const name = fileName(this.info.title);
    this.lastTake = { samples, channels, rate, text: new TextDecoder().decode(take) };
    $("take-wav").onclick = () => download(`${name}.wav`, wav(samples, channels, rate), "audio/wav");
    $("take-file").onclick = () => download(`${name}.jsonl`, [take], "application/jsonl");
    $("recorded").showModal();
  }

  async render() {
    const progress = $("progress");
    progress.hidden = false;
    try {
      const seconds = this.info.duration_s ?? LONGEST_AUTO_S;
      const began = performance.now();
      const sound = await this.offline.render({ scene: this.text, rate: 0, seconds }, (part) => (progress.value = part));
      const spent = (performance.now() - began) / 1000;
      say(`${seconds} s rendered in ${spent.toFixed(2)} s, ${(seconds / spent).toFixed(0)} times real time`);
      this.lastRender = sound;
      download(`${fileName(this.info.title)}.wav`, wav(sound.samples, sound.channels, sound.rate), "audio/wav");
    } catch (error) {
      problem(error.message);
    }
    progress.hidden = true;
  }
}

async function main() {
  if (!Engine.isPossible()) {
    problem("This browser has no AudioWorklet, which the studio plays with. Any browser of the last years has one; in an old one, use `tocco render`.");
    return;
  }
  const [module, { scenes, bridge }] = await Promise.all([compile(), fetch("scenes.json").then((answer) => answer.json())]);
  const studio = new Studio(module, scenes);
  globalThis.tocco = studio; // for the console, and for tests
  await studio.start();
  if (bridge) new Bridge(studio.engine, say, (gesture) => studio.heard(gesture));
}

main().catch((error) => problem(error.message));
