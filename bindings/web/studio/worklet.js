// SPDX-License-Identifier: MIT OR Apache-2.0
// The audio side: plays a session a quantum at a time and sends back what the pictures need.
import { instantiateNow } from "./abi.js";
import { Gate } from "./echo.js";
import { RING_FRAMES, ROW } from "./ring.js";

const STATUS_EVERY_S = 1 / 60;
/** Sub-steps that a session takes unless it is told. */
const FULL_STEPS = 64;
/** Sliders follow what moves by itself at this pace, in statuses. */
const SETTINGS_EVERY = 6;
const NONE = new Float64Array();

class Tocco extends AudioWorkletProcessor {
  constructor({ processorOptions: { module, shared, head } }) {
    super();
    this.abi = instantiateNow(module);
    this.ring = shared ? { rows: new Float32Array(shared.rows), head: new BigInt64Array(shared.head) } : null;
    this.rows = this.ring ? this.ring.rows : new Float32Array(RING_FRAMES * ROW);
    this.head = this.posted = head;
    this.sent = 0;
    this.gain = 1;
    this.limiting = true;
    this.wav = null;
    this.session = null;
    this.isStaged = false;
    this.gate = new Gate(sampleRate);
    this.busy = { quanta: 0, late: 0, spent: 0, worst: 0 };
    this.port.onmessage = ({ data }) => this.receive(data);
  }

  receive(message) {
    try {
      if (message.load !== undefined) this.load(message);
      else if (message.gesture) this.perform(message);
      else if (message.watch) this.watch(message.watch);
      else if (message.gain !== undefined) this.gain = message.gain;
      else if (message.limiting !== undefined) this.limiting = message.limiting;
      else if (message.record !== undefined) this.record(message);
      else if (message.look !== undefined) this.look = message.look;
      else if (message.stage !== undefined) {
        this.isStaged = message.stage;
        this.session?.watchTouches(this.isStaged);
      }
      else if (message.gate !== undefined) this.gate.isOn = message.gate;
      else if (message.learn) this.gate.learn(...message.learn);
    } catch (error) {
      this.port.postMessage({ problem: error.message, of: message.id });
    }
  }

  // An edit goes over from scene to scene; a fresh load, or one the session cannot go over to, begins anew. A take is one
  // session from beginning to end, so while one is kept every scene must fit into it.
  load({ load, id, fresh, shown, steps }) {
    if (this.wav) this.session.replace(load, !fresh);
    else if (fresh || !this.session || !this.goOver(load)) this.begin(this.abi.load(load, sampleRate)); // throws before anything is lost
    Object.assign(this, { id, shown });
    this.spend(steps);
    this.loaded();
  }

  // A blow on a body of many modes must not come late. It is a gesture like any other, so that a take has it.
  spend(steps) {
    this.steps = steps;
    if (steps !== this.spent) this.session.gesture(JSON.stringify({ quality: { max_substeps: steps, drop_below_db: -300 } }), 0);
    this.spent = steps;
  }

  goOver(scene) {
    try {
      this.session.replace(scene, true);
      return true;
    } catch {
      return false; // wider than what plays, or listens to more: `load` says what is wrong, if anything is
    }
  }

  begin(session) {
    this.session?.free();
    this.session = session;
    this.spent = FULL_STEPS;
    session.watchTouches(this.isStaged);
  }

  loaded(id = this.id) {
    this.watch([]);
    this.port.postMessage({ loaded: id });
  }

  // A place is solved by the page, from the names of the scene that it knew to sound; of another scene it is solved here.
  perform({ gesture, shape, of, after = 0 }) {
    if (!this.session) return; // a gesture between two contexts
    const at = after > 0 ? this.session.tick() + Math.round(after * sampleRate) : 0;
    if (shape && of === this.id) this.session.touch(gesture, shape, at);
    else this.session.gesture(gesture, at);
  }

  watch(signals) {
    this.session.watch(signals.slice(0, ROW - 1));
    this.port.postMessage({ watching: signals, from: this.head });
  }

  // A take must begin at a tick 0 that anybody can reach again: the scene is loaded anew, as its text is by now.
  record({ record, scene }) {
    if (record) {
      const session = this.abi.load(scene, sampleRate);
      session.record();
      this.begin(session);
      this.spend(this.steps);
      this.wav = [];
      this.loaded();
    } else if (this.wav) {
      const { wav } = this;
      this.wav = null;
      const message = { take: this.session.take(), wav, channels: this.session.channels, rate: sampleRate };
      this.port.postMessage({ recorded: message }, wav.map((block) => block.buffer));
    }
  }

  process([input], [output]) {
    const frames = output[0].length;
    const { session } = this;
    if (!session) return true;
    const began = Date.now(); // worklets have no finer clock; the page averages
    if (session.inputs) {
      const room = session.input(frames);
      for (let c = 0; c < Math.min(session.inputs, input.length); c += 1) {
        room.set(input[c], c * frames);
        this.gate.pass(room.subarray(c * frames, (c + 1) * frames));
      }
    }
    const out = session.render(frames);
    if (this.wav) this.wav.push(out.slice());
    this.keep(out, frames);
    // Gain and limiters come after what a take keeps.
    const heard = session.heard(frames, this.gain, this.limiting, output.length);
    for (let c = 0; c < output.length; c += 1) {
      const channel = output[c];
      for (let i = 0; i < frames; i += 1) channel[i] = heard[c * frames + i];
    }
    if (session.inputs && input.length && this.gate.note(output[0], input[0])) {
      this.port.postMessage({ echo: { played: this.gate.played.slice(), heard: this.gate.heard.slice() } });
    }
    this.meter(began, frames);
    return true;
  }

  keep(out, frames) {
    const { channels, watched } = this.session;
    const shown = Math.min(this.shown, channels - 1);
    const probes = watched ? this.session.probes(frames) : null;
    for (let i = 0; i < frames; i += 1) {
      const row = ((this.head + i) % RING_FRAMES) * ROW;
      this.rows[row] = out[i * channels + shown];
      for (let k = 0; k < watched; k += 1) this.rows[row + 1 + k] = probes[i * watched + k];
    }
    this.head += frames;
    if (this.ring) Atomics.store(this.ring.head, 0, BigInt(this.head));
    else if (this.head - this.posted >= 1024) {
      const count = this.head - this.posted;
      const block = new Float32Array(count * ROW);
      for (let i = 0; i < count; i += 1) {
        const row = ((this.posted + i) % RING_FRAMES) * ROW;
        block.set(this.rows.subarray(row, row + ROW), i * ROW);
      }
      this.port.postMessage({ rows: block, head: this.head }, [block.buffer]);
      this.posted = this.head;
    }
  }

  meter(began, frames) {
    const spent = (Date.now() - began) / 1000;
    const { busy, session } = this;
    const budget = frames / sampleRate;
    busy.quanta += 1;
    busy.spent += spent;
    busy.worst = Math.max(busy.worst, spent / budget);
    if (spent > budget) busy.late += 1;
    if (currentTime - this.sent < STATUS_EVERY_S) return;
    this.sent = currentTime;
    const modes = this.look === undefined ? NONE : session.modes(this.look);
    const load = busy.spent / (busy.quanta * budget);
    this.statuses = (this.statuses ?? 0) + 1;
    const settings = this.statuses % SETTINGS_EVERY ? undefined : { of: this.id, values: session.settings() };
    this.port.postMessage({
      status: {
        tick: session.tick(), head: this.head, energies: session.energies(), modes, body: this.look, health: session.health(),
        load, worst: busy.worst, late: busy.late, meters: session.meters(), trace: session.trace(), happened: session.happened(), settings, of: this.id,
        ...(this.isStaged ? { motions: session.motions(), grips: session.grips() } : {}),
      },
    });
    busy.quanta = busy.spent = busy.worst = 0;
  }
}

registerProcessor("tocco", Tocco);
