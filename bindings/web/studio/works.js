// SPDX-License-Identifier: MIT OR Apache-2.0
// Nothing is lost: every scene that is edited is kept in the browser (IndexedDB) with its versions, and so is every step, so that
// undo goes across scenes and reloads. Without a database all of it lasts as long as the page.

const MOST_STEPS = 200;
const MOST_VERSIONS = 60;
const LARGEST_VERSIONS = 1 << 20;
/** Versions closer than this are one, ms. */
const APART_MS = 4000;

const done = (request) => new Promise((good, bad) => {
  request.onsuccess = () => good(request.result);
  request.onerror = () => bad(request.error);
});

/** Three stores: `works` by id, `steps` by number, `meta` by name. */
class Store {
  static async open() {
    const store = new Store();
    try {
      const request = indexedDB.open("tocco", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("works", { keyPath: "id" });
        request.result.createObjectStore("steps");
        request.result.createObjectStore("meta");
      };
      store.db = await done(request);
    } catch {
      store.db = null;
    }
    return store;
  }

  async all(name) {
    if (!this.db) return [[], []];
    const shelf = this.db.transaction(name).objectStore(name);
    return Promise.all([done(shelf.getAllKeys()), done(shelf.getAll())]);
  }

  change(name, act) {
    if (!this.db) return;
    try {
      const change = this.db.transaction(name, "readwrite");
      act(change.objectStore(name));
      change.commit(); // now: a page that is left does not come back to it
    } catch {
      this.db = null; // closed, or full: the page goes on with what it has
    }
  }
}

/** Scenes at hand, and the steps that were made. A work is `{ id, from, base, text, at, versions }`: the shipped scene that it comes
 * from, if any; the text it began with; the text now; when; and `{ at, text }` of what it was. */
export class Works {
  static async open() {
    const works = new Works();
    works.store = await Store.open();
    const [[, kept], [numbers, steps], [names, notes]] = await Promise.all(["works", "steps", "meta"].map((name) => works.store.all(name)));
    works.kept = new Map(kept.map((work) => [work.id, work]));
    works.steps = numbers.map((number, i) => ({ number, ...steps[i] }));
    const meta = new Map(names.map((name, i) => [name, notes[i]]));
    works.now = meta.get("now") ?? null;
    works.at = works.steps.findIndex(({ number }) => number === meta.get("step"));
    if (works.at < 0) works.at = works.steps.length - 1;
    return works;
  }

  /** A work for a scene, not kept until it is edited: nothing that was edited before is written over. */
  begin(name, text, from = null) {
    let id = name;
    for (let i = 2; this.kept.has(id); i += 1) id = `${name}-${i}`;
    return { id, from, base: text, text, at: Date.now(), versions: [] };
  }

  /** Kept works, the last edited first. */
  list() {
    return [...this.kept.values()].sort((a, b) => b.at - a.at);
  }

  /** The work has this text now. */
  keep(work, text) {
    const last = work.versions.at(-1);
    const isNew = work.text !== text && work.text !== work.base && !(last && Date.now() - last.at < APART_MS);
    if (isNew) work.versions.push({ at: work.at, text: work.text });
    let size = 0;
    const from = work.versions.findLastIndex((version, i) => (size += version.text.length) > LARGEST_VERSIONS || work.versions.length - i > MOST_VERSIONS);
    work.versions.splice(0, from + 1);
    Object.assign(work, { text, at: Date.now() });
    this.kept.set(work.id, work);
    this.store.change("works", (shelf) => shelf.put(work));
  }

  /** What was typed and is not right yet: kept beside the text that sounds. */
  draft(work, text) {
    work.draft = text;
    this.kept.set(work.id, work);
    this.store.change("works", (shelf) => shelf.put(work));
  }

  forget(id) {
    this.kept.delete(id);
    this.store.change("works", (shelf) => shelf.delete(id));
  }

  /** What a reload opens again. */
  stay({ id, from }) {
    this.now = { id, from };
    this.store.change("meta", (shelf) => shelf.put(this.now, "now"));
  }

  /** One step more: a work and its text, and what was moved, if that is all. What was undone is no longer ahead. */
  step({ id, from }, text, move = null) {
    const last = this.steps[this.at];
    if (last && last.id === id && last.text === text && !move) return last;
    const gone = this.steps.splice(this.at + 1);
    const step = { number: (last?.number ?? 0) + 1, id, from, text, move };
    this.steps.push(step);
    const old = this.steps.splice(0, Math.max(0, this.steps.length - MOST_STEPS));
    this.at = this.steps.length - 1;
    this.store.change("steps", (shelf) => [...gone, ...old].forEach(({ number }) => shelf.delete(number)));
    this.save(step);
    return step;
  }

  /** A step is other than it was: a slider that is still being moved. */
  save(step) {
    const { number, ...rest } = step;
    this.store.change("steps", (shelf) => shelf.put(rest, number));
    this.mark();
  }

  mark() {
    const { number } = this.steps[this.at] ?? { number: 0 };
    this.store.change("meta", (shelf) => shelf.put(number, "step"));
  }

  /** Everything that is kept, as a file. */
  exported() {
    return JSON.stringify({ tocco_works: 1, works: this.list() }, null, 1);
  }

  /** Takes such a file; how many works are new. What is here already stays as it is. Throws one line. */
  import(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new Error("not a file of kept scenes: it is no JSON");
    }
    const isWork = (work) => [work?.id, work?.base, work?.text].every((part) => typeof part === "string");
    if (file?.tocco_works !== 1 || !Array.isArray(file.works) || !file.works.every(isWork)) throw new Error("not a file of kept scenes; make one with Keep, Export all");
    const known = new Set(this.list().map((work) => work.text));
    const fresh = file.works.filter((work) => !known.has(work.text));
    for (const { id, from, base, text: now, at, versions } of fresh) {
      const versionsHere = Array.isArray(versions) ? versions.filter((v) => typeof v?.text === "string" && Number.isFinite(v.at)) : [];
      const work = { ...this.begin(id, base, typeof from === "string" ? from : null), text: now, at: Number.isFinite(at) ? at : Date.now(), versions: versionsHere };
      this.kept.set(work.id, work);
      this.store.change("works", (shelf) => shelf.put(work));
    }
    return fresh.length;
  }
}
