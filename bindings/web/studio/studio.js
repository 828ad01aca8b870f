// SPDX-License-Identifier: MIT OR Apache-2.0
// The studio: puts the pieces together.
import { Bridge } from "./bridge.js";
import { isDue } from "./canvas.js";
import { Controls } from "./controls.js";
import { Editor } from "./editor.js";
import { begin, Engine } from "./engine.js";
import { findFlow, FlowSurface } from "./flow.js";
import { Gait } from "./gait.js";
import { findIce, IceSurface } from "./ice.js";
import { Gallery } from "./gallery.js";
import { fileName, LARGEST_SCENE, Offline, sceneIn } from "./keep.js";
import { Notes } from "./keys.js";
import { findPresses, PressSurface } from "./press.js";
import { Explain } from "./explain.js";
import { layOut } from "./layout.js";
import { listen } from "./listen.js";
import { Menu } from "./menu.js";
import { $, lasting, problem, say } from "./page.js";
import { Screens } from "./screens.js";
import { figureFor, Stage } from "./stage.js";
import { findSurfaces, isCopy, isSeen, RubSurface, Striker } from "./surfaces.js";
import { findTank, TankSurface } from "./tank.js";
import { Values } from "./values.js";
import { VIEWS } from "./views.js";
import { FeetSurface, findWalks, floorsOf, WalkStrip, WalkSurface } from "./walk.js";
import { Works } from "./works.js";
import { asIn, setAtStart, withValues } from "./write.js";

const FIRST_SCENE = "steel-bar";
/** A slider that rests for so long is written into the text, ms. */
const WRITE_MS = 250;
/** Moves of one slider, or letters typed, that are closer than this are one step, ms. */
const ONE_STEP_MS = 600;

/** Seconds of buffer: "interactive" is the least the browser can do, and a machine that holds its breath is heard. */
const LATENCIES = { shortest: "interactive", steady: 0.02, safest: 0.06 };

/** A text as the editor has it: with ends of lines of one kind. */
const inEditor = (text) => text.replace(/\r\n?/g, "\n");

const decibels = (gain) => 20 * Math.log10(Math.max(gain, 1e-6));

class Studio {
  constructor(page, works) {
    const { scenes } = page;
    this.scenes = scenes;
    this.works = works;
    works.tell({
      ended: () => lasting("Scenes are no longer kept: the browser's storage is full, closed or not allowed. Export all, in the menu Keep, saves them as a file."),
      renamed: (work) => work === this.work && this.address(),
    });
    this.engine = new Engine(page);
    this.offline = new Offline(page.module);
    this.values = new Values();
    this.dirty = new Set();
    this.controls = new Controls($("controls"), this.engine, this.values, {
      moved: (path, before, after) => this.moved(path, before, after),
      back: (path) => this.back(path),
    });
    this.editor = new Editor($("text"), {
      take: (text) => this.take(text, { isTyped: true }),
      begun: (text) => this.work.draft ?? this.draft(text),
      broken: (text) => this.draft(text),
      slide: (path, value) => this.slide(path, value),
    });
    this.gallery = new Gallery($("gallery"), scenes, this.offline, {
      choose: (name) => this.choose(name), open: (work) => this.open(work), forget: ({ id }) => this.works.forget(id), play: (sound) => this.preview(sound),
    });
    // What notes need of a scene comes and goes with them; what sounds goes on.
    this.notes = new Notes(this.engine, () => this.take(this.text, { isTyped: true }));
    this.surfaces = [];
    this.gait = new Gait(this);
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
    this.sizes = new ResizeObserver(() => {
      this.surfaces.forEach((surface) => surface.draw?.());
      this.stage?.draw();
    });
    this.screens = new Screens($("screens"), () => {
      this.watch();
      this.explain?.hint();
    });
    this.explain = new Explain(this);
    this.sizes.observe($("surfaces"));
    this.menu = new Menu(this);
    listen(this);
  }

  how() {
    return { speed: 10 ** Number($("speed").value), impulse: 0.01 * 10 ** Number($("speed").value), mass: $("mass").value };
  }

  /** Seconds in which a hand closes. */
  squeeze() {
    return 10 ** Number($("squeeze").value);
  }

  /** Makes a changed text the scene; what sounds goes on. */
  async edit(change) {
    try {
      await this.settle();
      const text = change(this.text);
      await this.take(text, { isTyped: true });
      this.editor.patch(text);
    } catch (error) {
      problem(error.message);
    }
  }

  /** A hand has moved a slider: one step however often it sends, written into the text when it rests. */
  moved(path, before, after) {
    const { works } = this;
    const isSameMove = this.moving?.move.path === path && works.steps[works.at] === this.moving && performance.now() - this.movedAt < ONE_STEP_MS;
    if (isSameMove) this.moving.move.after = after;
    else {
      this.flush();
      this.moving = works.step(this.work, this.text, { path, before, after });
    }
    this.movedAt = performance.now();
    this.dirty.add(path);
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.flush(), WRITE_MS);
  }

  /** A number of the text is slid: what sounds by that name moves with it. */
  slide(path, value) {
    const spec = this.info.paths.find((p) => p.path === path);
    if (!spec || value < spec.min || value > spec.max || this.editor.timer !== undefined) return false;
    this.controls.put(path, value, true);
    return true;
  }

  isScene(text) {
    try {
      this.engine.abi.names(text, this.engine.rate).free();
      return true;
    } catch {
      return false;
    }
  }

  /** Writes what sliders have moved into the text, and into one that is being typed and has not been taken yet. */
  flush() {
    clearTimeout(this.writing);
    if (!this.dirty.size) return;
    const moved = new Map([...this.dirty].flatMap((path) => this.values.behind(path)).filter(({ path }) => !isCopy(path)).map((one) => [one.path, one]));
    this.dirty.clear();
    const typed = this.editor.text;
    const { text, lost } = withValues(this.text, [...moved.values()], (next) => this.isScene(next));
    if (lost.length) say(`${lost.join(", ")}: heard, but the text has no place for it`);
    this.editor.patch(typed === inEditor(this.text) ? inEditor(text) : withValues(typed, [...moved.values()], () => true).text);
    this.written(text);
  }

  /** The text has what the last move did. */
  written(text) {
    this.text = text;
    this.works.keep(this.work, text);
    if (this.moving && this.works.steps[this.works.at] === this.moving) {
      this.moving.text = text;
      this.works.save(this.moving);
    }
    this.address();
  }

  /** What was typed and does not sound is kept beside what does. */
  draft(text) {
    this.works.draft(this.work, text);
    this.address();
  }

  /** The page may be gone from here on: what was typed or moved a moment ago is kept. */
  hurry() {
    this.flush();
    const { text } = this.editor;
    const draft = text === inEditor(this.text) ? undefined : text;
    if (draft !== this.work.draft) this.works.draft(this.work, draft);
  }

  /** Everything that a hand did or typed is part of the text. */
  async settle() {
    this.flush();
    await this.editor.settle();
  }

  /** A value goes back to what the text said when the scene was opened, to the digit. */
  back(path) {
    this.flush();
    const isControl = this.info.controls.some(({ name }) => name === path);
    const root = isControl ? path : this.values.root(path);
    this.controls.put(root, this.controls.home.get(root), true);
    const { base } = this.work;
    const text = this.values.behind(path).flatMap((one) => [one, ...one.others]).reduce((all, one) => asIn(base, all, one.path), this.text);
    if (!this.isScene(text)) return;
    this.dirty.delete(root);
    this.editor.patch(text);
    this.written(text);
  }

  undo() {
    this.flush();
    const { works } = this;
    const step = works.steps[works.at];
    const to = works.steps[works.at - 1];
    if (!to) return say("nothing to undo");
    works.at -= 1;
    return this.go(to, step.move && step.id === to.id ? [step.move.path, step.move.before] : null);
  }

  redo() {
    this.flush();
    const { works } = this;
    const to = works.steps[works.at + 1];
    if (!to) return say("nothing to redo");
    works.at += 1;
    return this.go(to, to.move && [to.move.path, to.move.after]);
  }

  /** Goes to a step that was made before: a slider, a text, another scene; when it is at the one that was asked for before. */
  go(step, move) {
    this.going = (this.going ?? Promise.resolve()).then(() => this.goTo(step, move));
    return this.going;
  }

  async goTo(step, move) {
    this.works.mark();
    this.moving = null;
    if (step.id !== this.work.id) {
      const shipped = this.scenes.find(({ name }) => name === step.from);
      const work = this.works.kept.get(step.id) ?? { ...this.works.begin(step.id, shipped?.text ?? step.text, step.from), id: step.id };
      return this.take(step.text, { fresh: true, work, isStep: false }).catch((error) => problem(error.message));
    }
    this.editor.patch(step.text);
    if (move) {
      this.controls.put(...move, false);
      this.text = step.text;
      this.works.keep(this.work, step.text);
    } else await this.take(step.text, { isTyped: true, isStep: false }).catch((error) => problem(error.message));
    return undefined;
  }

  /** Begins with what an address says, with a text that is given, or where the last visit ended. */
  async start(given) {
    const first = this.scenes.find((scene) => scene.name === FIRST_SCENE) ?? this.scenes[0];
    const shipped = ({ name, text }) => this.works.begin(name, text, name);
    let work = null;
    try {
      work = await this.workIn(location.hash);
    } catch (error) {
      problem(error.message);
    }
    if (given) work ??= this.titled(given);
    // Where the last visit ended.
    const { now } = this.works;
    work ??= this.works.kept.get(now?.id);
    if (!work && now?.from && this.scenes.some(({ name }) => name === now.from)) work = shipped(this.scenes.find(({ name }) => name === now.from));
    try {
      await this.begin(work ?? shipped(first));
    } catch (error) {
      problem(error.message);
      await this.begin(shipped(first));
    }
    $("power").classList.add("call");
    this.frame();
    document.documentElement.dataset.ready = "yes";
    // Code that has run is optimised, for every thread: better before the first stroke than during it.
    this.offline.render({ scene: this.text, rate: this.engine.rate, seconds: 0.5 }).catch(() => {});
  }

  async begin(work) {
    await this.engine.start(work.text, this.latency(), { text: work.text, work });
    this.settled(work.text, work, true);
    this.engine.isOn = this.engine.context.state === "running";
    this.engine.tell("power", this.engine.isOn);
  }

  latency() {
    return LATENCIES[$("latency").value] ?? LATENCIES.steady;
  }

  async reopen() {
    await this.engine.reopen(this.notes.prepare(this.text), this.latency());
    this.notes.begin();
    this.inform();
  }

  // What a new audio side must be told.
  inform() {
    this.engine.post({ stage: Boolean(this.isStaged) });
    $("level").dispatchEvent(new Event("input"));
    $("limiter").dispatchEvent(new Event("change"));
    $("gate").dispatchEvent(new Event("change"));
  }

  async choose(name) {
    const scene = this.scenes.find((s) => s.name === name);
    await this.open(this.works.begin(scene.name, scene.text, scene.name));
  }

  /** Another work sounds, from its beginning. */
  async open(work) {
    await this.take(work.text, { fresh: true, work }).catch((error) => problem(error.message));
  }

  /** Plays a rendered sound beside the scene; ends it when that is asked for. */
  preview({ samples, channels, rate }) {
    const { context } = this.engine;
    const frames = samples.length / channels;
    const buffer = context.createBuffer(Math.min(2, channels), frames, rate);
    for (let c = 0; c < buffer.numberOfChannels; c += 1) buffer.copyToChannel(samples.filter((_, i) => i % channels === c), c);
    const [source, gain] = [context.createBufferSource(), context.createGain()];
    source.buffer = buffer;
    const level = Number($("level").value);
    const loud = level <= -40 ? 0 : 10 ** (level / 20);
    gain.gain.setValueAtTime(loud, context.currentTime);
    gain.gain.setValueAtTime(loud, context.currentTime + Math.max(0, frames / rate - 0.3));
    gain.gain.linearRampToValueAtTime(0, context.currentTime + frames / rate);
    source.connect(gain).connect(context.destination);
    source.start();
    if (!this.menu.isRecording) this.engine.send({ hush: true }); // one thing at a time
    if (!this.engine.isOn) this.engine.turn(true);
    this.previewed = (this.previewed ?? 0) + 1;
    return () => {
      gain.gain.cancelScheduledValues(context.currentTime);
      gain.gain.setTargetAtTime(0, context.currentTime, 0.02);
      source.stop(context.currentTime + 0.1);
    };
  }

  /** Makes a text the scene that sounds; rejects with one line and leaves all as it was. Without a work it is one of its own, unless
   * it is what sounds or an edit of that. */
  async take(text, { isTyped = false, fresh = false, work = null, isStep = true } = {}) {
    if (text.length > LARGEST_SCENE) throw new Error(`the scene is ${text.length} bytes long; at most ${LARGEST_SCENE} are taken`);
    if (!isTyped) this.flush();
    const title = /^\s*title\s*=\s*"([^"]*)"/m.exec(text)?.[1] ?? "scene";
    work ??= isTyped || text === this.text ? this.work : this.works.begin(fileName(title), text);
    await this.engine.load(this.notes.prepare(text), fresh, { text, work, fresh });
    this.notes.begin();
    this.settled(text, work, !isTyped, isStep);
    problem(null);
  }

  // A text sounds: it is the scene from now on, and kept if it is not as it was shipped or opened.
  settled(text, work, isShown, isStep = true) {
    const isSame = work === this.work;
    const isEdit = isSame && text !== this.text;
    Object.assign(this, { text, work });
    // What was typed over it and was not right yet stays until it is taken.
    const isTypedOver = isShown && Boolean(work.draft) && work.draft !== text;
    const hasDraft = isTypedOver && isSame && this.editor.text === work.draft;
    if (isShown && !hasDraft) this.editor.show(inEditor(text));
    if (isTypedOver && !hasDraft) this.editor.type(work.draft);
    if (work.text !== text || isEdit || (work.draft && !isTypedOver)) {
      if (!isTypedOver) delete work.draft;
      this.works.keep(work, text);
    }
    if (isStep) {
      const { works } = this;
      const last = works.steps[works.at];
      const isTyping = isEdit && last?.isTyped && last.id === work.id && performance.now() - this.typedAt < ONE_STEP_MS * 2;
      if (isTyping) last.text = text;
      const step = isTyping ? last : works.step(work, text);
      if (isEdit) Object.assign(step, { isTyped: true });
      if (isTyping) works.save(step);
      this.typedAt = performance.now();
    }
    this.works.stay(work);
    this.address();
  }

  /** The page's address says which scene this is; one that is in no list has a link of its own. */
  address() {
    const { id, from, base, draft } = this.work;
    const isShipped = from !== null && this.text === base && !draft;
    const hash = isShipped ? (this.works.steps.length > 1 || location.hash ? `#${from}` : "") : this.works.kept.has(id) ? `#yours=${encodeURIComponent(id)}` : "";
    const isLink = location.hash.startsWith("#scene=") && this.linked === this.text;
    if (!isLink && location.hash !== hash) history.replaceState(null, "", `${location.pathname}${hash}`);
  }

  /** A work that is called as its text is. */
  titled(text) {
    return this.works.begin(fileName(/^\s*title\s*=\s*"([^"]*)"/m.exec(text)?.[1] ?? "scene"), text);
  }

  /** What an address holds: a link with a scene, a shipped scene's name, a kept work; null if nothing. Throws one line. */
  async workIn(hash) {
    const text = await sceneIn(hash);
    if (text !== null) {
      this.linked = text;
      return this.titled(text);
    }
    const name = decodeURIComponent(hash.slice(1));
    if (!name || name === "play") return null;
    const scene = this.scenes.find((s) => s.name === name);
    if (scene) return this.works.begin(scene.name, scene.text, scene.name);
    const yours = /^yours=(.*)$/.exec(name);
    if (yours && this.works.kept.has(yours[1])) return this.works.kept.get(yours[1]);
    throw new Error(yours ? `'${yours[1]}' is kept in another browser, if anywhere; a link or a file brings it here` : `no scene is called '${name}'`);
  }

  /** A scene sounds: its description, and what was asked for with it; nothing, if it is the same scene again. */
  show({ info, asked }) {
    this.info = info;
    const before = this.controls.written;
    this.values.adopt(this.engine.names, info);
    const { text, work, fresh = false } = asked ?? { text: this.text, work: this.work };
    for (const set of setAtStart(text)) this.values.put(...set);
    this.controls.show(info, this.homeOf(work, text, info));
    // What the text says anew holds, though a hand had moved it since the engine read the text.
    if (!fresh && work === this.work) {
      for (const { path, value } of info.paths.slice(0, info.parameters)) {
        if (before.has(path) && before.get(path) !== value) this.engine.set(path, value);
      }
    }
    $("title").textContent = $("title").title = info.title || "a scene";
    document.title = `${info.title || "scene"} · Tocco studio`;
    for (const body of info.bodies) body.words = `${body.name} ${info.title}`;
    const { strikes, rubs } = findSurfaces(info);
    const host = $("surfaces");
    host.replaceChildren();
    const layout = layOut(info);
    const figures = (name) => figureFor(layout?.byName.get(name) ?? { drawing: "block", body: info.bodies.find((body) => body.name === name) });
    const strikeSurfaces = strikes.map((strike) => new Striker(strike, this.engine, () => this.how(), figures(strike.body.name)));
    const rubSurfaces = rubs.map((rub) => new RubSurface(rub, info, this.engine, () => "xy"));
    this.raise(layout, info, strikeSurfaces, rubSurfaces, fresh);
    const presses = findPresses(info).map((press) => new PressSurface(press, this.engine, () => this.squeeze()));
    // Water goes on while its scene is edited.
    const names = findTank(info);
    if (this.tank && JSON.stringify(names) !== JSON.stringify(this.tank.names)) this.tank = this.tank.close();
    if (names) this.tank ??= new TankSurface(names, this.engine);
    const flow = this.tank ? null : findFlow(info);
    const water = flow ? [new FlowSurface(flow, this.engine, { move: (name, position) => this.controls.put(name, position, true), value: (name) => this.values.get(name) })] : [];
    this.surfaces = [...this.grounds(info, text, fresh), ...(this.tank ? [this.tank] : []), ...water, ...presses, ...rubSurfaces, ...strikeSurfaces];
    $("pads").hidden = rubs.length === 0;
    $("pads").querySelector("div").replaceChildren();
    for (const surface of this.surfaces.filter(({ canvas }) => canvas)) {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      caption.textContent = surface.caption ?? `rub ${surface.rub.on.body} with ${surface.rub.name}`;
      // One pad above many objects has the whole width: its time runs across it.
      figure.classList.toggle("wide", Boolean(surface.isWide) || (Boolean(surface.inlet) && presses.length === 1));
      figure.append(surface.canvas, caption);
      (surface.rub ? $("pads").querySelector("div") : host).append(figure);
    }
    if (this.stage) {
      const figure = document.createElement("figure");
      figure.className = "stage";
      figure.append(this.stage.canvas, this.stage.spoken);
      // What walks or flows is played there first; everything else on the stage.
      if (host.childElementCount && this.surfaces[0].canvas?.parentElement?.parentElement === host && !presses.includes(this.surfaces[0])) host.append(figure);
      else host.prepend(figure);
    }
    const shown = host.childElementCount;
    host.classList.toggle("one", shown <= 2);
    host.classList.toggle("four", shown === 4);
    host.classList.toggle("many", shown >= 5);
    // Only when all are there has each the room it will have.
    this.surfaces.forEach((surface) => surface.draw?.());
    this.stage?.draw();
    this.notes.show(info, strikeSurfaces, rubSurfaces, presses);
    this.hammers = strikes.flatMap((strike) => strike.hammers);
    $("mass").replaceChildren(...[...new Set(this.hammers.map((h) => h.mass))].map((mass) => new Option(mass)));
    $("mass-box").hidden = !strikes.some(({ hammers }) => new Set(hammers.map((h) => h.mass)).size > 1);
    $("speed-box").hidden = strikes.length === 0;
    $("mode-box").hidden = $("press-box").hidden = rubs.length === 0;
    $("squeeze-box").hidden = presses.every(({ isBlow }) => isBlow) && !info.walks.some(({ by_inlets }) => by_inlets);
    this.hammer();
    $("look").replaceChildren(...info.bodies.flatMap((body, i) => (body.modes.length && isSeen(body) ? [new Option(body.name, i)] : [])));
    $("look-box").hidden = $("look").options.length === 0;
    this.look((info.bodies.find((body) => body.modes.length && isSeen(body)) ?? info.bodies[0])?.name);
    this.viewCanvases.forEach((canvas, i) => (canvas.parentElement.hidden = VIEWS[i].wants?.(info).length === 0));
    this.watched = undefined;
    this.watch();
    $("again").disabled = false;
  }

  /** The stage of the scene; what stands there stays while the scene is edited. */
  raise(layout, info, strikers, rubs, isFresh) {
    const how = {
      strikers: new Map(strikers.map((striker) => [striker.body.name, striker])),
      rubs: new Map(rubs.map((rub) => [rub.rub.name, rub])),
      mode: () => $("mode").value,
      press: () => Number($("press").value),
      value: (path) => this.values.get(path),
      massOf: (name) => info.bodies.find((body) => body.name === name)?.modes[0]?.mass_kg,
      isLifted: (name) => rubs.some(({ rub }) => rub.name === name && rub.presses.length && rub.presses.every((path) => !(this.values.get(path) > 0))),
      chosen: ({ name }) => this.look(name),
      explain: (mode) => this.explain.mode(mode),
    };
    const form = Stage.form(info);
    if (this.stage && this.stageForm === form && !isFresh) this.stage.renew(info, how);
    else this.stage = layout ? new Stage(layout, info, this.engine, how) : null;
    if (this.stage) this.stage.layout.actors.forEach((actor) => (actor.spots ??= []));
    this.stageForm = form;
    this.explain.begin();
  }

  /** What a work's text said when it was opened, by name. */
  homeOf(work, text, info) {
    const all = ({ paths, controls }) => new Map([...paths.map((p) => [p.path, p.value]), ...controls.map((c) => [c.name, c.value])]);
    if (work.base === text) return new Map(this.values.now);
    if (this.home?.of !== work.base) {
      try {
        const names = this.engine.abi.names(work.base, this.engine.rate);
        this.home = { of: work.base, values: new Map([...all(names.describe()), ...setAtStart(work.base)]) };
        names.free();
      } catch {
        this.home = { of: work.base, values: new Map() };
      }
    }
    return this.home.values;
  }

  /** Who walks, and what ice there is: both outlive an edit, and begin anew with a scene. */
  grounds(info, text, isFresh) {
    const before = isFresh ? new Map() : this.lasting;
    if (isFresh) this.lasting.forEach((surface) => surface.close?.());
    this.lasting = new Map();
    const last = (key, make) => {
      const surface = before.get(key) ?? make();
      this.lasting.set(key, surface);
      return surface;
    };
    const how = { edit: (change) => this.edit(change), speed: () => this.gait.speed };
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
    const ice = findIce(info).map((sheet) => last(`ice ${JSON.stringify(sheet)}`, () => new IceSurface(sheet, this.engine, text)));
    before.forEach((surface, key) => this.lasting.has(key) || surface.close?.());
    $("gate-box").hidden = info.inputs === 0;
    this.gait.show(info, walking.length > 0);
    return [...walking, ...feet, ...ice];
  }

  /** Shows what somebody else plays. */
  heard(gesture) {
    const path = gesture.set ?? gesture.jump;
    if (path) this.controls.heard(path, gesture.value);
    const touched = gesture.strike ?? gesture.hit?.split(".")[0];
    if (touched) this.surfaces.find((s) => s.flash && (s.body?.name === touched || s.hammers?.some((h) => h.mass === touched)))?.flash();
  }

  /** Asks the engine for the signals of the views that are near the screen. */
  watch() {
    if (!this.info) return;
    const known = new Set(this.info.signals);
    const views = document.hidden ? [] : VIEWS.filter((_, i) => this.near.has(this.viewCanvases[i]));
    const wanted = [...new Set(views.flatMap((View) => View.wants?.(this.info) ?? []))].filter((signal) => known.has(signal));
    const isStaged = Boolean(this.stage) && !document.hidden;
    if (isStaged !== this.isStaged) this.engine.post({ stage: isStaged });
    this.isStaged = isStaged;
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
    const spec = (path) => this.info.paths.find((p) => p.path === path);
    const mass = spec(`${hammer.mass}/mass_kg`);
    if (mass) host.append(this.controls.row({ ...mass, min: Math.max(mass.min, 1e-4), max: Math.min(mass.max, 10), label: "hammer mass", scale: "log" }, false));
    const hardness = spec(`${hammer.contact}/hardness_01`);
    if (hardness) host.append(this.controls.row({ ...hardness, label: "hardness", hardness: hammer.contact }, false));
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
    if (status.settings && status.settings.of === this.engine.scene) this.controls.told(status.settings.values);
    this.gait.follow();
    if (this.info) this.notes.weigh(this.info.bodies, status.energies);
    for (const surface of this.surfaces) surface.follow?.({ ...status, traced: this.info.traced });
    if (status.of === this.engine.scene) this.stage?.follow(status);
    this.explain.follow();
    this.load = this.load === undefined ? status.load : this.load + 0.02 * (status.load - this.load); // its clock ticks in ms
    const [unconverged, refused, reset, capped] = status.health;
    const trouble = [[unconverged, "unconverged"], [refused, "refused"], [reset, "reset"], [capped, "events too many"], [this.underruns(), this.underruns() === 1 ? "gap" : "gaps"]]
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
    const [head, now] = [engine.ring.head(), performance.now()];
    if (engine.info && (head !== this.drawn || this.frozen) && isDue(now - (this.drawnAt ?? 0))) {
      [this.drawn, this.drawnAt] = [head, now];
      const at = { ring: this.frozen ?? engine.ring, rate: engine.rate, end: (this.frozen ?? engine.ring).head(), engine,
        isFrozen: Boolean(this.frozen), status: this.frozen ? this.kept : (this.kept = this.last), frequencies: (number) => this.explain.frequencies(number) };
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
          surface.light?.(energy > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(energy) / 9)) : 0);
        }
      }
    }
    if (this.engine.info && !this.frozen) this.stage?.frame(now);
    requestAnimationFrame(() => this.frame());
  }
}

async function main() {
  if (!isSecureContext) return; // opened.js has said it
  if (!Engine.isPossible()) {
    problem("This browser has no AudioWorklet, which the studio plays with. Any browser of the last years has one; in an old one, use `tocco render`.");
    return;
  }
  const [page, works] = await Promise.all([begin(), Works.open()]);
  const studio = new Studio(page, works);
  globalThis.tocco = studio; // for the console, and for tests
  await studio.start(page.first);
  if (page.bridge) new Bridge(studio.engine, say, (gesture) => studio.heard(gesture));
}

main().catch((error) => problem(error.message));
