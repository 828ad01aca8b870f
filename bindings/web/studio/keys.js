// SPDX-License-Identifier: MIT OR Apache-2.0
// Notes: from the letters of the keyboard and from Web MIDI. A note retunes the body it plays where that can be done,
// else it moves the struck place; velocity is the hammer's.

const LETTERS = "awsedftgyhujkolp";
const FIRST_NOTE = 60;

export class Notes {
  constructor(engine, how) {
    this.engine = engine;
    this.how = how;
    this.on = false;
    this.held = new Set();
    addEventListener("keydown", (event) => {
      if (!this.on || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range") return;
      const step = LETTERS.indexOf(event.key.toLowerCase());
      if (step < 0 || event.key.length > 1) return;
      event.preventDefault();
      this.play(FIRST_NOTE + step, event.shiftKey ? 1 : 0.6);
    });
    addEventListener("keyup", (event) => {
      const step = LETTERS.indexOf(event.key.toLowerCase());
      if (step >= 0) this.end(FIRST_NOTE + step);
    });
  }

  /** What notes play in this scene: objects to strike, or a bow. */
  show(info, strikes, rubs) {
    this.has = new Set(info.paths.map((p) => p.path));
    this.base = new Map(info.paths.map((p) => [p.path, p.value]));
    this.strikes = strikes;
    this.rubs = rubs;
  }

  tune(body, note) {
    const factor = 2 ** ((note - FIRST_NOTE) / 12);
    if (this.has.has(`${body}/freq_scale`)) this.engine.set(`${body}/freq_scale`, this.base.get(`${body}/freq_scale`) * factor);
    else if (this.has.has(`${body}/freq_hz`)) this.engine.set(`${body}/freq_hz`, this.base.get(`${body}/freq_hz`) * factor);
  }

  /** Velocity 0 to 1. */
  play(note, velocity) {
    const [rub] = this.rubs;
    if (rub) {
      this.held.add(note);
      this.tune(rub.rub.on.body, note);
      rub.play(0.3 + 0.6 * velocity, 0.2 + 0.4 * velocity, [0.65 + 0.3 * velocity, 0.2 + 0.4 * velocity]);
      rub.fingers.set("notes", {});
      return;
    }
    const surface = this.strikes.length > 1 ? this.strikes[(note - FIRST_NOTE + 12 * this.strikes.length) % this.strikes.length] : this.strikes[0];
    if (!surface) return;
    if (this.strikes.length === 1) this.tune(surface.body.name, note);
    surface.strike(surface.cursor, 0.25 + 1.25 * velocity);
  }

  end(note) {
    if (this.held.delete(note) && this.held.size === 0) this.rubs[0]?.lift("notes");
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
      const names = [...access.inputs.values()].map((input) => input.name);
      return names.length ? `listening to ${names.join(", ")}` : "MIDI is on; plug in a keyboard";
    } catch {
      return "MIDI was refused; allow it in the browser's settings of this page";
    }
  }

  message([kind, note, value]) {
    const type = kind & 0xf0;
    if (type === 0x90 && value > 0) this.play(note, value / 127);
    else if (type === 0x80 || type === 0x90) this.end(note);
    else if (type === 0xb0 && this.onControl) this.onControl(note, value / 127);
    else if (type === 0xe0) this.bend(((value << 7) | note) / 8192 - 1);
  }

  bend(amount) {
    const body = this.rubs[0]?.rub.on.body ?? this.strikes[0]?.body.name;
    if (body) this.tune(body, FIRST_NOTE + 2 * amount);
  }
}
