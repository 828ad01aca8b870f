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
      store.db.onclose = () => store.end();
    } catch {
      store.db = null;
    }
    return store;
  }

  /** The database is closed or full: the page goes on with what it has, and says so once. */
  end() {
    if (!this.db) return;
    this.db = null;
    this.ended?.();
  }

  async all(name) {
    if (!this.db) return [[], []];
    const shelf = this.db.transaction(name).objectStore(name);
    return Promise.all([done(shelf.getAllKeys()), done(shelf.getAll())]);
  }

  /** Changes what is kept. `act` that `asks` first commits by itself when it has its answers. */
  change(name, act, asks = false) {
    if (!this.db) return;
    try {
      const change = this.db.transaction(name, "readwrite");
      change.onabort = () => this.end(); // a full disk is told here
      act(change.objectStore(name), change);
      if (!asks) change.commit(); // now: a page that is left does not come back to it
    } catch {
      this.end();
    }
  }
}

/** Scenes at hand, and the steps that were made. A work is `{ id, from, base, text, at, versions }`: the shipped scene that it comes
 * from, if any; the text it began with; the text now; when; and `{ at, text }` of what it was. What was typed and is not right yet is its
 * `draft`, and `mark` says which page wrote it when: pages side by side do not write over each other. */
export class Works {
  static async open() {
    const works = new Works();
    works.store = await Store.open();
    works.since = Date.now();
    // Numbers of steps are times, in ms; the fraction is this page's own, of those that fit behind such a number.
    works.own = Math.floor(4096 * Math.random()) / 4096;
    works.writes = 0;
    works.pending = new Set();
    const [[, kept], [numbers, steps], [names, notes]] = await Promise.all(["works", "steps", "meta"].map((name) => works.store.all(name)));
    works.kept = new Map(kept.map((work) => [work.id, work]));
    works.seen = new Map(kept.map(({ id, mark }) => [id, mark]));
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

  /** Calls back when nothing can be kept any more, at once if nothing ever could, and when a work is called otherwise than it was. */
  tell({ ended, renamed }) {
    Object.assign(this, { renamed });
    this.store.ended = ended;
    if (!this.store.db) ended();
  }

  /** Kept works, the last edited first. */
  list() {
    return [...this.kept.values()].sort((a, b) => b.at - a.at);
  }

  /** With what other pages have kept meanwhile. */
  async fresh() {
    const [, stored] = await this.store.all("works").catch(() => [[], []]);
    for (const work of stored) {
      if (work.mark === this.seen.get(work.id) || work.id === this.now?.id) continue;
      const isUnknown = !this.seen.has(work.id);
      this.adopt(work);
      if (isUnknown) this.restep(work.id, this.begin(work.id, "").id);
    }
    return this.list();
  }

  adopt(work) {
    this.kept.set(work.id, work);
    this.seen.set(work.id, work.mark);
  }

  /** Puts a work on its shelf, or, where another page has put something else since it was read here, beside it under the next free id. */
  write(work) {
    this.kept.set(work.id, work);
    const put = (shelf) => {
      this.writes += 1;
      work.mark = `${this.since + this.own} ${this.writes}`;
      shelf.put(work);
      this.seen.set(work.id, work.mark);
    };
    if (this.isLeaving) return this.store.change("works", put); // no answer would be waited for
    this.pending.add(work);
    return this.store.change("works", (shelf, change) => {
      change.oncomplete = () => this.pending.delete(work);
      const answered = (act) => ({ target }) => {
        try {
          act(target.result);
        } catch {
          change.abort();
        }
      };
      const free = (name, i) => {
        shelf.getKey(`${name}-${i}`).onsuccess = answered((key) => {
          if (key !== undefined || this.kept.has(`${name}-${i}`)) return free(name, i + 1);
          this.rename(work, `${name}-${i}`);
          put(shelf);
          return change.commit();
        });
      };
      const { id } = work;
      shelf.get(id).onsuccess = answered((other) => {
        if (other && id === work.id && other.mark !== this.seen.get(id)) {
          free(id, 2);
          return this.adopt(other);
        }
        put(shelf);
        return change.commit();
      });
    }, true);
  }

  rename(work, id) {
    const was = work.id;
    work.id = id;
    this.kept.set(id, work);
    this.restep(was, id);
    if (this.now?.id === was) this.stay(work);
    this.renamed?.(work);
  }

  // Steps that were made here go with what is called otherwise.
  restep(was, id) {
    for (const step of this.steps) {
      if (step.id !== was || step.number < this.since) continue;
      step.id = id;
      this.save(step);
    }
  }

  /** The page is left: what is still to be written is written without a question. */
  leave(flush) {
    this.isLeaving = true;
    flush();
    for (const work of this.pending) this.write(work);
    this.isLeaving = false;
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
    this.write(work);
  }

  /** What was typed and is not right yet: kept beside the text that sounds. */
  draft(work, text) {
    work.draft = text;
    this.write(work);
  }

  forget(id) {
    this.kept.delete(id);
    this.seen.delete(id);
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
    const step = { number: Math.max((last?.number ?? 0) + 1, Date.now() + this.own), id, from, text, move };
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

  /** Everything that is kept, by other pages, too, as a file. */
  async exported() {
    return JSON.stringify({ tocco_works: 1, works: (await this.fresh()).map(({ mark, ...work }) => work) }, null, 1);
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
    const rightVersions = (versions) => (Array.isArray(versions) ? versions.filter((v) => typeof v?.text === "string" && Number.isFinite(v.at)) : []);
    const all = ({ base, text: now, draft, versions }) => JSON.stringify([base, now, draft, rightVersions(versions).map((version) => version.text)]);
    const known = new Set(this.list().map(all));
    const fresh = file.works.filter((work) => !known.has(all(work)));
    for (const { id, from, base, text: now, at, versions, draft } of fresh) {
      const work = { ...this.begin(id, base, typeof from === "string" ? from : null), text: now, at: Number.isFinite(at) ? at : Date.now(), versions: rightVersions(versions) };
      if (typeof draft === "string") work.draft = draft;
      this.write(work);
    }
    return fresh.length;
  }
}
