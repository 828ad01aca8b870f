// SPDX-License-Identifier: MIT OR Apache-2.0
// Notes: from the letters of the keyboard and from Web MIDI. Where the scene has a [midi] table the program's own
// translator plays it, as `tocco play --midi` does. Elsewhere a note tunes the body that is nearest to it, to the pitch that
// the note has on any keyboard, and strikes or bows it; velocity is the hammer's.

const LETTERS = "awsedftgyhujkolp";
const FIRST_NOTE = 60;
const [SOFT, LOUD] = [76, 127];
/** Below is no pitch: bodies that lie free swing there. */
const LOWEST_HZ = 20;

/** Frequency of a note, A4 is 440 Hz. */
export const hertz = (note) => 440 * 2 ** ((note - 69) / 12);

/** What people hear as a body's pitch as the scene has it, Hz: of a string its own, else its lowest mode; undefined if it has none. */
export function pitchOf(body, paths) {
  return paths.get(`${body.name}/freq_hz`) ?? body.modes.find(({ freq_hz }) => freq_hz > LOWEST_HZ)?.freq_hz;
}

/** A [midi] table for a scene without one: what letters play, written down; null if no single body can be struck and tuned. */
export function tableFor(info, strikes) {
  const paths = new Map(info.paths.map(({ path, value }) => [path, value]));
  const tuned = strikes.filter(({ body }) => ["freq_scale", "freq_hz"].some((key) => paths.has(`${body.name}/${key}`)) && pitchOf(body, paths));
  if (tuned.length !== 1) return null;
  const [{ body, hammers }] = tuned;
  const reference = 69 + 12 * Math.log2(pitchOf(body, paths) / 440);
  const by = hammers.length ? `strike = "${hammers[0].mass}"\nvelocity_m_s = [0.1, 4.0]` : `hit = "${body.ports.length > 1 ? `${body.name}.${body.ports[0].name}` : body.name}"`;
  return `\n[midi]\nnotes = "pitch"\n${by}\nretune = "${body.name}"\nreference = ${reference.toFixed(3)} # the note that it sounds as written\nvoices = 4\n`;
}

export class Notes {
  /** `arm()` is called when notes begin to be wanted. */
  constructor(engine, arm) {
    Object.assign(this, { engine, arm });
    this.lettersOn = false;
    this.midiOn = false;
    this.keys = null;
    this.held = new Set();
    this.bent = 0;
    addEventListener("keydown", (event) => {
      if (!this.lettersOn || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.isContentEditable) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && !/^(range|checkbox)$/.test(event.target.type)) return;
      const step = event.key.length === 1 ? LETTERS.indexOf(event.key.toLowerCase()) : -1;
      if (step < 0) return;
      event.preventDefault();
      this.message([0x90, FIRST_NOTE + step, event.shiftKey ? LOUD : SOFT]);
    });
    addEventListener("keyup", (event) => {
      const step = event.key.length === 1 ? LETTERS.indexOf(event.key.toLowerCase()) : -1;
      if (this.lettersOn && step >= 0) this.message([0x80, FIRST_NOTE + step, 0]);
    });
  }

  get isWanted() {
    return this.lettersOn || this.midiOn;
  }

  /** The text to load for a scene: with the voices of its [midi] table while notes are wanted. Throws one line. */
  prepare(text) {
    this.next?.free();
    this.next = this.isWanted ? this.engine.abi.keys(text) : null;
    return this.next?.hasTable ? this.next.scene : text;
  }

  /** The prepared scene sounds. */
  begin() {
    this.keys?.free();
    this.keys = this.next?.hasTable ? this.next : null;
    if (!this.keys) this.next?.free();
    this.next = null;
  }

  /** What notes play in this scene: a bow, objects to strike, or, where there are neither, what is pressed. */
  show(info, strikes, rubs, presses) {
    this.base = new Map(info.paths.map((p) => [p.path, p.value]));
    this.ranges = new Map(info.paths.map((p) => [p.path, p]));
    this.pitches = new Map(info.bodies.map((body) => [body.name, pitchOf(body, this.base)]));
    Object.assign(this, { strikes, rubs, presses });
    this.held.clear();
  }

  async letters(on) {
    this.lettersOn = on;
    await this.arm();
  }

  /** Asks for MIDI; says in one line what became of it. */
  async midi() {
    if (!navigator.requestMIDIAccess) return "this browser has no Web MIDI; the letters A to P play notes too";
    try {
      const access = await navigator.requestMIDIAccess();
      const listen = () => {
        for (const input of access.inputs.values()) input.onmidimessage = ({ data }) => this.message(data);
      };
      access.onstatechange = listen;
      listen();
      this.midiOn = true;
      await this.arm();
      const names = [...access.inputs.values()].map((input) => input.name);
      const what = this.keys ? "as its [midi] table says" : "the scene has no [midi] table: notes tune what they strike or bow";
      return names.length ? `listening to ${names.join(", ")}; ${what}` : "MIDI is on; plug in a keyboard";
    } catch {
      return "MIDI was refused; allow it in the browser's settings of this page";
    }
  }

  /** One MIDI message, or part of one. */
  message(bytes) {
    if (!this.engine.isOn) this.engine.turn(true);
    if (this.keys) return this.perform(this.keys.feed(bytes, performance.now() / 1000));
    const [kind, first, second] = bytes;
    const type = kind & 0xf0;
    if (type === 0x90 && second > 0) this.play(first, second / 127);
    else if (type === 0x80 || type === 0x90) this.end(first);
    else if (type === 0xe0) this.bend(((second << 7) | first) / 8192 - 1);
  }

  /** What sounds how loud, J: body by body. */
  weigh(bodies, energies) {
    if (!this.keys?.voices.length) return;
    const of = new Map(bodies.map((body, i) => [body.name, energies[i]]));
    this.keys.weigh(this.keys.voices.map((names) => names.reduce((sum, name) => sum + (of.get(name) ?? 0), 0)));
  }

  perform(gestures) {
    for (const gesture of gestures) {
      this.engine.send(gesture);
      const touched = (gesture.strike ?? gesture.hit)?.split(/[~.]/)[0];
      if (touched) this.strikes.find((s) => s.body.name === touched || s.hammers.some((h) => h.mass === touched))?.flash();
    }
  }

  /** Tunes a body to a note; by octaves nearer where it cannot reach. */
  tune(body, note, how = "set") {
    const pitch = this.pitches.get(body);
    for (const path of [`${body}/freq_hz`, `${body}/freq_scale`]) {
      if (!this.base.has(path) || !pitch) continue;
      const { min, max } = this.ranges.get(path);
      let value = (this.base.get(path) * hertz(note)) / pitch;
      while (value > max && value / 2 >= min) value /= 2;
      while (value < min && value * 2 <= max) value *= 2;
      this.engine.send({ [how]: path, value });
      break;
    }
    this.tuned = { body, note };
  }

  /** Velocity 0 to 1. */
  play(note, velocity) {
    const [rub] = this.rubs;
    if (rub) {
      this.held.add(note);
      this.tune(rub.rub.on.body, note + this.bent);
      rub.fingers.set("notes", {});
      rub.play(0.3 + 0.6 * velocity, 0.2 + 0.4 * velocity, [0.65 + 0.3 * velocity, 0.2 + 0.4 * velocity]);
      return;
    }
    const pick = (list) => list[(((note - FIRST_NOTE) % list.length) + list.length) % list.length];
    if (!this.strikes.length && this.presses.length) {
      pick(this.presses).hold(`note ${note}`, 0.2 + 0.8 * velocity);
      return;
    }
    // Of several that have a pitch the nearest, else one after the other.
    const away = ({ body }) => Math.abs(Math.log2(this.pitches.get(body.name) / hertz(note)));
    const pitched = this.strikes.filter(({ body }) => this.pitches.get(body.name));
    const surface = pitched.length ? pitched.reduce((best, one) => (away(one) < away(best) ? one : best)) : pick(this.strikes);
    if (!surface) return;
    this.tune(surface.body.name, note + this.bent, "jump"); // what is about to be struck does not slide there
    surface.strike(surface.cursor, 0.25 + 1.25 * velocity);
  }

  end(note) {
    for (const press of this.presses ?? []) press.lift(`note ${note}`);
    if (this.held.delete(note) && this.held.size === 0) this.rubs[0]?.lift("notes");
  }

  /** -1 to 1: two semitones each way. */
  bend(amount) {
    const before = this.bent;
    this.bent = 2 * amount;
    if (this.tuned) this.tune(this.tuned.body, this.tuned.note - before + this.bent);
  }
}
