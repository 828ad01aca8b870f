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

  /** Calls `use(pointer, length)` with bytes in the module's memory. */
  bytes(values, use) {
    const pointer = this.x.tocco_alloc(values.length);
    new Uint8Array(this.x.memory.buffer).set(values, pointer);
    const result = use(pointer, values.length);
    this.x.tocco_dealloc(pointer, values.length);
    return result;
  }

  /** Same with a text. */
  text(string, use) {
    return this.bytes(encode(string), use);
  }

  /** Same with doubles. */
  doubles(values, use) {
    const pointer = this.x.tocco_alloc(8 * values.length);
    new Float64Array(this.x.memory.buffer, pointer, values.length).set(values);
    const result = use(pointer, values.length);
    this.x.tocco_dealloc(pointer, 8 * values.length);
    return result;
  }

  /** Throws what went wrong, one line, if something did. */
  done(ok) {
    if (!ok) throw new Error(decode(new Uint8Array(this.x.memory.buffer, this.x.tocco_error(), this.x.tocco_error_len())));
    return ok;
  }

  /** Text of a scene that comes with the engine. */
  shipped(name) {
    this.done(this.text(name, (at, length) => this.x.tocco_shipped(at, length)));
    return this.answer();
  }

  /** What was answered in words, as bytes; a view. */
  answerBytes() {
    return new Uint8Array(this.x.memory.buffer, this.x.tocco_text(), this.x.tocco_text_len());
  }

  answer() {
    return decode(this.answerBytes());
  }

  /** What was answered in numbers; a copy. */
  numbers() {
    return new Float64Array(this.x.memory.buffer, this.x.tocco_numbers(), this.x.tocco_numbers_len()).slice();
  }

  /** A session that plays the scene; throws one line. `rate` 0: the scene's own. */
  load(scene, rate) {
    return new Session(this, this.done(this.text(scene, (p, n) => this.x.tocco_load(p, n, rate))));
  }

  /** What is in the scene as it is played at a rate; throws as `load` does. */
  names(scene, rate) {
    return new Names(this, this.done(this.text(scene, (p, n) => this.x.tocco_names(p, n, rate))));
  }

  /** An empty tank of water; throws one line. */
  tank({ width, height, spacing, seed }) {
    return new Tank(this, this.done(this.x.tocco_tank(width, height, spacing, 60, seed)));
  }

  /** The crack lines of a sheet of ice: of a scene's process; throws one line. */
  cracks(scene, process) {
    const [text, name] = [encode(scene), encode(process)];
    return new Cracks(this, this.done(this.bytes([...text, ...name], (p) => this.x.tocco_cracks(p, text.length, name.length))));
  }

  /** What a phone feels. */
  phone() {
    return new Phone(this, this.x.tocco_phone());
  }

  /** A keyboard for the scene, as its [midi] table says; throws as `load` does. */
  keys(scene) {
    return new Keys(this, this.done(this.text(scene, (p, n) => this.x.tocco_keys(p, n))));
  }
}

/** A scene's names, and what a place on a shape is made of: for the page, where there is time. */
class Names {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
  }

  describe() {
    this.abi.done(this.abi.x.tocco_describe(this.pointer));
    return JSON.parse(this.abi.answer());
  }

  /** Shape values of the modes where a gesture touches; throws if the body is no shape. */
  shapeAt(touch) {
    const { abi, pointer } = this;
    abi.done(abi.text(JSON.stringify(touch), (p, n) => abi.x.tocco_shape_at(pointer, p, n)));
    return abi.numbers();
  }

  /** Values of all modes' shapes at places of a body (fractions, `axes` of them for each), one place after the other; throws one line. */
  shapes(body, axes, places) {
    const { abi, pointer } = this;
    abi.done(abi.doubles(places, (p, n) => abi.x.tocco_shapes(pointer, body, axes, p, n)));
    return abi.numbers();
  }

  /** Values of all modes' shapes at the ports of a body, one port after the other. */
  portShapes(body) {
    this.abi.done(this.abi.x.tocco_port_shapes(this.pointer, body));
    return this.abi.numbers();
  }

  /** What a value of a path or control does: number and value of each parameter that it moves, one after the other; throws one line. */
  moves(path, value) {
    const { abi, pointer } = this;
    abi.done(abi.text(path, (p, n) => abi.x.tocco_moves(pointer, p, n, value)));
    return abi.numbers();
  }

  /** Values of all paths, then of all controls, given where every parameter stands. */
  readings(settings) {
    const { abi, pointer } = this;
    abi.done(abi.doubles(settings, (p, n) => abi.x.tocco_readings(pointer, p, n)));
    return abi.numbers();
  }

  free() {
    this.abi.x.tocco_names_free(this.pointer);
  }
}

/** Water in a tank, a sixtieth of a second at a time. */
class Tank {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
    /** Seconds since the start. */
    this.time = 0;
  }

  /** A block of water: left, bottom, width, height, m. */
  fill(...block) {
    return this.abi.x.tocco_tank_fill(this.pointer, ...block);
  }

  /** Where, m, how wide, m, how fast, m/s. */
  pour(x, y, width, u, v) {
    return this.abi.x.tocco_tank_pour(this.pointer, x, y, width, u, v);
  }

  /** A hand: where, m, how large, m, how fast, m/s. */
  stir(x, y, radius, u, v) {
    return this.abi.x.tocco_tank_stir(this.pointer, x, y, radius, u, v);
  }

  /** Acceleration of free fall in the tank's own frame, m/s^2. */
  tilt(x, y) {
    this.abi.x.tocco_tank_tilt(this.pointer, x, y);
  }

  /** A frame more; what is heard of it, eight numbers a sound: hit 0 or bubble 1, time, radius, amplitude, rise, x, y, level. */
  frame() {
    this.abi.x.tocco_tank_frame(this.pointer);
    this.time += 1 / 60;
    return this.abi.numbers();
  }

  /** Three numbers a particle: x, y, and 0 where it rests, 1 where it falls, 2 where it collides. */
  look() {
    this.abi.x.tocco_tank_look(this.pointer);
    return this.abi.numbers();
  }

  free() {
    this.abi.x.tocco_tank_free(this.pointer);
  }
}

/** Lines along which ice breaks. */
class Cracks {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
  }

  /** Where, m, and how much, J. */
  fracture(x, y, energy) {
    this.abi.x.tocco_cracks_fracture(this.pointer, x, y, energy);
  }

  /** Pieces of line since the last call: x0, y0, x1, y1 of each, m. */
  grown() {
    this.abi.x.tocco_cracks_grown(this.pointer);
    return this.abi.numbers();
  }

  free() {
    this.abi.x.tocco_cracks_free(this.pointer);
  }
}

/** A phone that is carried: accelerations in, steps and scrapes out. */
class Phone {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
    /** How much later than the foot a step is found, s. */
    this.delay = abi.x.tocco_phone_delay_s();
  }

  /** A reading with gravity, m/s^2, at a time in seconds; what was felt: steps (`foot`, `force` in body weights) and scrapes (`speed`, m/s). */
  feel(time, x, y, z) {
    this.abi.x.tocco_phone_feel(this.pointer, time, x, y, z);
    const felt = this.abi.numbers();
    return Array.from({ length: felt.length / 4 }, (_, i) => {
      const [kind, at, first, second] = felt.subarray(4 * i, 4 * i + 4);
      return kind === 0 ? { at, foot: first, force: second } : { at, speed: first };
    });
  }

  /** Frequency, Hz, and amplitude, 0 to 1, of the last readings. */
  tone() {
    this.abi.x.tocco_phone_tone(this.pointer);
    return this.abi.numbers();
  }

  /** Glides of heel and toe in a step of so many body weights: after and for how many seconds, and the goals. */
  step(force) {
    this.abi.x.tocco_phone_step(force);
    const told = this.abi.numbers();
    return Array.from({ length: told.length / 4 }, (_, i) => {
      const [after, glide_s, heel, toe] = told.subarray(4 * i, 4 * i + 4);
      return { after, glide_s, heel, toe };
    });
  }

  free() {
    this.abi.x.tocco_phone_free(this.pointer);
  }
}

/** From MIDI bytes to gestures: the program's own translator. */
class Keys {
  constructor(abi, pointer) {
    this.abi = abi;
    this.pointer = pointer;
    this.hasTable = abi.x.tocco_keys_have_table(pointer) === 1;
    abi.x.tocco_keys_scene(pointer);
    /** The scene to load: with the voices that notes need. */
    this.scene = abi.answer();
    abi.x.tocco_keys_bodies(pointer);
    /** Bodies of each voice: their energies are wanted. */
    this.voices = JSON.parse(abi.answer());
  }

  /** Energies of the voices, J: the next note takes the quietest. */
  weigh(energies) {
    this.abi.doubles(energies, (p, n) => this.abi.x.tocco_keys_weigh(this.pointer, p, n));
  }

  /** What these bytes mean at a time in seconds: gestures. */
  feed(bytes, now) {
    this.abi.bytes(bytes, (p, n) => this.abi.x.tocco_keys_feed(this.pointer, p, n, now));
    return JSON.parse(this.abi.answer());
  }

  free() {
    this.abi.x.tocco_keys_free(this.pointer);
  }
}

/** A scene that plays. */
class Session {
  constructor(abi, pointer) {
    this.abi = abi;
    this.x = abi.x;
    this.pointer = pointer;
    this.channels = this.x.tocco_channels(pointer);
    this.inputs = this.x.tocco_inputs(pointer);
    this.rate = this.x.tocco_rate_hz(pointer);
    this.watched = 0;
    this.kept = {};
  }

  free() {
    this.x.tocco_free(this.pointer);
  }

  tick() {
    return this.x.tocco_tick(this.pointer);
  }

  /** Does what a line says, at a tick (0: now); throws what went wrong. */
  gesture(line, at = 0) {
    this.abi.done(this.abi.text(line, (p, n) => this.x.tocco_gesture(this.pointer, p, n, at)));
  }

  /** The same for a touch that `Names.shapeAt` has solved. */
  touch(line, shape, at = 0) {
    this.abi.done(this.abi.doubles(shape, (values, count) =>
      this.abi.text(line, (p, n) => this.x.tocco_touch(this.pointer, p, n, values, count, at))));
  }

  /** Another scene, from its beginning or as an edit of this one; throws, and the old one plays on. */
  replace(scene, edits) {
    this.abi.done(this.abi.text(scene, (p, n) => this.x.tocco_replace(this.pointer, p, n, edits ? 1 : 0)));
    this.watched = 0;
  }

  /** Keeps a take: to be asked for before anything else. */
  record() {
    this.abi.done(this.x.tocco_record(this.pointer));
  }

  /** Ends the take; its bytes. The sound goes on. */
  take() {
    this.abi.done(this.x.tocco_take(this.pointer));
    return this.abi.answerBytes().slice();
  }

  /** Signals to be seen sample by sample while rendering. */
  watch(signals) {
    this.abi.done(this.abi.text(signals.join("\n"), (p, n) => this.x.tocco_watch(this.pointer, p, n)));
    this.watched = signals.length;
  }

  // Views are kept while memory, place and length stay: an audio thread that makes no garbage is not swept.
  view(key, Kind, at, length) {
    const { buffer } = this.x.memory;
    const old = this[key];
    if (old && old.buffer === buffer && old.byteOffset === at && old.length === length) return old;
    return (this[key] = new Kind(buffer, at, length));
  }

  /** Room for what comes in during the next frames, channel after channel; a view. */
  input(frames) {
    return this.view("cameIn", Float32Array, this.x.tocco_input(this.pointer, frames), frames * this.inputs);
  }

  /** The next frames, interleaved; a view that lives until the next call of anything but `probes`. */
  render(frames) {
    return this.view("out", Float32Array, this.x.tocco_render(this.pointer, frames), frames * this.channels);
  }

  /** The last frames through master gain and limiters, for so many channels of a device, one after another; a view. */
  heard(frames, gain, limiting, channels) {
    const at = this.x.tocco_heard(this.pointer, gain, limiting ? 1 : 0, channels);
    return this.view("device", Float32Array, at, frames * channels);
  }

  /** Watched signals of the last render, one row per frame; a view. */
  probes(frames) {
    return this.view("probed", Float64Array, this.x.tocco_probes(this.pointer), frames * this.watched);
  }

  // What was answered in numbers, in room that is kept while its length stays: whoever posts it copies it on the way.
  numbers(key, Kind = Float64Array) {
    const { x, kept } = this;
    const [at, length] = [x.tocco_numbers() / 8, x.tocco_numbers_len()];
    const memory = this.view("memory", Float64Array, 0, x.memory.buffer.byteLength / 8);
    if (kept[key]?.length !== length) kept[key] = new Kind(length);
    const room = kept[key];
    for (let i = 0; i < length; i += 1) room[i] = memory[at + i];
    return room;
  }

  /** Peak and least gain of the limiter of each output, since the last call. */
  meters() {
    this.x.tocco_meters(this.pointer);
    return this.numbers("meters");
  }

  /** Values of the traced signals after each block since the last call: the tick, then each. */
  trace() {
    this.x.tocco_trace(this.pointer);
    return this.numbers("trace");
  }

  /** What processes did since the last call: tick, number of the process, size, x and y in m, and again. */
  happened() {
    this.x.tocco_happened(this.pointer);
    return this.numbers("happened");
  }

  /** Where every parameter stands, by its number. */
  settings() {
    this.x.tocco_settings(this.pointer);
    return this.numbers("settings");
  }

  /** Energies of all bodies, then of all laws, J. */
  energies() {
    this.x.tocco_energies(this.pointer);
    return this.numbers("energies");
  }

  /** Energy of every mode of a body, J. */
  modes(body) {
    this.x.tocco_modes(this.pointer, body);
    return this.numbers("modes");
  }

  /** Whether it is noted how contacts are held. */
  watchTouches(wanted) {
    this.x.tocco_watch_touches(this.pointer, wanted ? 1 : 0);
  }

  /** Of every body the number of its ports and their positions, m, then the number of its modes and of each displacement, velocity and frequency, rad/s. */
  motions() {
    this.x.tocco_motions(this.pointer);
    return this.numbers("motions", Float32Array);
  }

  /** Of every contact the largest force since the last call, N, and the part of the time that it slid. */
  grips() {
    this.x.tocco_grips(this.pointer);
    return this.numbers("grips");
  }

  /** Unconverged solves, refused or clamped values, resets, events beyond the most. */
  health() {
    this.x.tocco_health(this.pointer);
    return this.numbers("health");
  }
}
