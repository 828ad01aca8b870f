// SPDX-License-Identifier: MIT OR Apache-2.0
// The engine's C ABI as a class, for the worklet, the workers and the page alike. Imports nothing and needs neither
// TextEncoder nor TextDecoder, which audio worklets lack.

/** Instantiates a compiled module. */
export async function instantiate(module) {
  return new Abi((await WebAssembly.instantiate(module)).exports);
}

/** Same, at once: allowed off the main thread only. */
export function instantiateNow(module) {
  return new Abi(new WebAssembly.Instance(module).exports);
}

function encode(text) {
  const bytes = [];
  for (const char of text) {
    const c = char.codePointAt(0);
    if (c < 0x80) bytes.push(c);
    else if (c < 0x800) bytes.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) bytes.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else bytes.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return bytes;
}

function decode(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length;) {
    const b = bytes[i];
    const more = b < 0x80 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
    let c = more === 0 ? b : b & (0x3f >> more);
    for (let k = 1; k <= more; k += 1) c = (c << 6) | (bytes[i + k] & 63);
    parts.push(String.fromCodePoint(c));
    i += more + 1;
  }
  return parts.join("");
}

export class Abi {
  constructor(exports) {
    this.x = exports;
  }

  /** Calls `use(pointer, length)` with the text in the module's memory. */
  text(string, use) {
    const bytes = encode(string);
    const pointer = this.x.tocco_alloc(bytes.length);
    new Uint8Array(this.x.memory.buffer).set(bytes, pointer);
    const result = use(pointer, bytes.length);
    this.x.tocco_dealloc(pointer, bytes.length);
    return result;
  }

  error() {
    return decode(new Uint8Array(this.x.memory.buffer, this.x.tocco_error(), this.x.tocco_error_len()));
  }

  /** A player of the scene, or an Error whose message is one line. `rate` 0: the scene's own. */
  load(scene, rate) {
    const player = this.text(scene, (p, n) => this.x.tocco_load(p, n, rate));
    if (player === 0) throw new Error(this.error());
    return new Player(this, player);
  }

  /** A keyboard for the scene, as its [midi] table says; throws as `load` does. */
  keys(scene) {
    const keys = this.text(scene, (p, n) => this.x.tocco_keys(p, n));
    if (keys === 0) throw new Error(this.error());
    return new Keys(this, keys);
  }
}

/** From MIDI bytes to the lines of a take: the program's own translator. */
class Keys {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
    this.hasTable = abi.x.tocco_keys_have_table(pointer) === 1;
    /** The scene to load: with the voices that notes need. */
    this.scene = this.read();
    abi.x.tocco_keys_bodies(pointer);
    /** Bodies of each voice: their energies are wanted. */
    this.voices = JSON.parse(this.read());
  }

  read() {
    const { x } = this.abi;
    return decode(new Uint8Array(x.memory.buffer, x.tocco_keys_text(this.pointer), x.tocco_keys_text_len(this.pointer)));
  }

  /** Energies of the voices, J: the next note takes the quietest. */
  weigh(energies) {
    const { x } = this.abi;
    const bytes = new Uint8Array(new Float64Array(energies).buffer);
    const at = x.tocco_alloc(bytes.length);
    new Uint8Array(x.memory.buffer).set(bytes, at);
    x.tocco_keys_weigh(this.pointer, at, bytes.length);
    x.tocco_dealloc(at, bytes.length);
  }

  /** What these bytes order at a time in seconds. */
  feed(bytes, now) {
    const { x } = this.abi;
    const at = x.tocco_alloc(bytes.length);
    new Uint8Array(x.memory.buffer).set(bytes, at);
    x.tocco_keys_feed(this.pointer, at, bytes.length, now);
    x.tocco_dealloc(at, bytes.length);
    return JSON.parse(this.read());
  }

  free() {
    this.abi.x.tocco_keys_free(this.pointer);
  }
}

class Player {
  constructor(abi, pointer) {
    this.abi = abi;
    this.x = abi.x;
    this.pointer = pointer;
    this.channels = this.x.tocco_channels(pointer);
    this.rate = this.x.tocco_rate_hz(pointer);
    this.watched = 0;
  }

  free() {
    this.x.tocco_free(this.pointer);
  }

  tick() {
    return this.x.tocco_tick(this.pointer);
  }

  describe() {
    const at = this.x.tocco_describe(this.pointer);
    return JSON.parse(decode(new Uint8Array(this.x.memory.buffer, at, this.x.tocco_describe_len(this.pointer))));
  }

  /** Does what a take's line says, at its tick (0: now); throws what went wrong. */
  command(line) {
    const { pointer, x } = this;
    const at = line.at ?? 0;
    const done = (ok) => {
      if (!ok) throw new Error(this.abi.error());
    };
    if ("set" in line) done(this.abi.text(line.set, (p, n) => x.tocco_set(pointer, p, n, line.value, at)));
    else if ("jump" in line) done(this.abi.text(line.jump, (p, n) => x.tocco_jump(pointer, p, n, line.value, at)));
    else if ("hush" in line) done(x.tocco_hush(pointer, at));
    else if ("strike" in line) {
      done(this.abi.text(line.strike, (p, n) => x.tocco_strike(pointer, p, n, line.velocity_m_s, at)));
    } else if ("hit" in line) {
      done(this.abi.text(line.hit, (p, n) => x.tocco_hit(pointer, p, n, line.impulse_n_s, at)));
    } else if ("touch" in line) {
      const solved = line.shape; // solved by another instance, or to be solved here
      done(this.numbers(solved ?? line.place, (v, count) =>
        this.abi.text(line.touch, (p, n) => x[solved ? "tocco_touch_with" : "tocco_touch"](pointer, p, n, v, count, at))));
    } else if ("scene" in line) {
      done(this.abi.text(line.scene.text, (p, n) => x.tocco_replace(pointer, p, n)));
      this.watched = 0;
    }
  }

  /** Calls `use(pointer, count)` with doubles in the module's memory. */
  numbers(values, use) {
    const at = this.x.tocco_alloc(8 * values.length + 8);
    const aligned = (at + 7) & ~7;
    new Float64Array(this.x.memory.buffer, aligned, values.length).set(values);
    const result = use(aligned, values.length);
    this.x.tocco_dealloc(at, 8 * values.length + 8);
    return result;
  }

  /** Shape values of the modes at a place; null where the body is no shape. */
  shapeAt(site, place) {
    const at = this.numbers(place, (v, count) =>
      this.abi.text(site, (p, n) => this.x.tocco_shape_at(this.pointer, p, n, v, count)));
    return at === 0 ? null : Array.from(new Float64Array(this.x.memory.buffer, at, this.x.tocco_modes_len(this.pointer)));
  }

  /** Hash of everything rendered so far, as a take ends with it. */
  hash() {
    return BigInt.asUintN(64, this.x.tocco_hash(this.pointer)).toString(16).padStart(16, "0");
  }

  /** Signals to record while rendering; at most eight. */
  watch(signals) {
    const count = this.abi.text(signals.join("\n"), (p, n) => this.x.tocco_watch(this.pointer, p, n));
    if (count !== signals.length) throw new Error(this.abi.error());
    this.watched = count;
  }

  // Views are kept while memory, place and length stay: an audio thread that makes no garbage is not swept.
  view(key, Kind, at, length) {
    const { buffer } = this.x.memory;
    const old = this[key];
    if (old && old.buffer === buffer && old.byteOffset === at && old.length === length) return old;
    return (this[key] = new Kind(buffer, at, length));
  }

  /** The next frames, interleaved; a view that lives until the next call. */
  render(frames) {
    return this.view("out", Float32Array, this.x.tocco_render(this.pointer, frames), frames * this.channels);
  }

  /** The frames of the last render again; a view. */
  last(frames) {
    return this.view("out", Float32Array, this.x.tocco_last(this.pointer), frames * this.channels);
  }

  /** The last render through master gain and limiter, as heard; a view. */
  limited(frames, gain, limiting) {
    const at = this.x.tocco_limited(this.pointer, gain, limiting ? 1 : 0);
    return this.view("heard", Float32Array, at, frames * this.channels);
  }

  /** Smallest gain of the limiter in the last block. */
  reduction() {
    return this.x.tocco_reduction(this.pointer);
  }

  /** Watched signals of the last render, one row per frame; a view. */
  probes(frames) {
    return this.view("probed", Float64Array, this.x.tocco_probes(this.pointer), frames * this.watched);
  }

  /** Energies of all bodies, then of all laws, J; a view. */
  energies(count) {
    return new Float64Array(this.x.memory.buffer, this.x.tocco_energies(this.pointer), count);
  }

  /** Energy of every mode of a body, J; a view. */
  modes(body) {
    const at = this.x.tocco_modes(this.pointer, body);
    return new Float64Array(this.x.memory.buffer, at, this.x.tocco_modes_len(this.pointer));
  }

  /** Unconverged solves, refused or clamped values, resets. */
  health() {
    return new Float64Array(this.x.memory.buffer, this.x.tocco_health(this.pointer), 3);
  }
}
