// SPDX-License-Identifier: MIT OR Apache-2.0
// Where every parameter of the scene stands, under every name that it has: one quantity has one value, whoever moved it.

const isSame = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

export class Values {
  /** A scene's names (`Abi.names`) and their description, as the scene declares everything. */
  adopt(names, info) {
    this.names = names;
    this.info = info;
    this.settings = Float64Array.from(info.paths.slice(0, info.parameters), ({ value }) => value);
    this.order = [...info.paths.map(({ path }) => path), ...info.controls.map(({ name }) => name)];
    this.roots = new Map();
    this.now = new Map([...info.paths.map(({ path, value }) => [path, value]), ...info.controls.map(({ name, value }) => [name, value])]);
  }

  get(path) {
    return this.now.get(path);
  }

  /** The parameter that a path or control stands for, the first of several. */
  root(path) {
    if (!this.roots.has(path)) {
      const [first] = this.moves(path, this.now.get(path));
      this.roots.set(path, first ? this.info.paths[first[0]].path : path);
    }
    return this.roots.get(path);
  }

  /** Parameters that a value of a path or control moves: their numbers, with their values. */
  moves(path, value) {
    try {
      const flat = this.names.moves(path, value);
      return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
    } catch {
      return []; // no such path: somebody plays another scene
    }
  }

  /** A path or control has a value now; every name whose value is another by it. */
  put(path, value) {
    const settings = this.settings.slice();
    for (const [slot, goal] of this.moves(path, value)) settings[slot] = goal;
    const changed = this.take(settings);
    // As it was said, not as it comes back from the units of what it moves.
    if (this.now.has(path)) this.now.set(path, value);
    return [...new Set([path, ...changed])];
  }

  /** Where the engine says that everything stands; every name whose value is another by it. */
  take(settings) {
    if (!this.names || settings.length !== this.settings.length) return []; // of the scene before
    if (settings.every((value, slot) => value === this.settings[slot])) return [];
    this.settings = settings;
    const changed = [];
    this.names.readings(settings).forEach((value, i) => {
      const name = this.order[i];
      if (Number.isNaN(value) || isSame(value, this.now.get(name))) return;
      this.now.set(name, value);
      changed.push(name);
    });
    return changed;
  }

  /** Parameters behind a path or control, as they may be written: each with its value and its other names. */
  behind(path) {
    const { paths, parameters } = this.info;
    return this.moves(path, this.now.get(path)).map(([slot]) => {
      const own = paths[slot].path;
      const node = own.slice(0, own.lastIndexOf("/") + 1);
      const others = paths.slice(parameters).filter((other) => other.path.startsWith(node) && this.moves(other.path, this.now.get(other.path)).some(([to]) => to === slot));
      const named = (name) => ({ path: name, value: this.now.get(name) });
      return { ...named(own), others: others.map((other) => named(other.path)) };
    });
  }
}
