// SPDX-License-Identifier: MIT OR Apache-2.0
// The audio side: renders the engine a quantum at a time and sends back what the pictures need.
import { instantiateNow } from "./abi.js";
import { RING_FRAMES, ROW } from "./ring.js";

const STATUS_EVERY_S = 1 / 60;

class Tocco extends AudioWorkletProcessor {
  constructor({ processorOptions: { module, shared, head } }) {
    super();
    this.abi = instantiateNow(module);
    this.ring = shared ? { rows: new Float32Array(shared.rows), head: new Int32Array(shared.head) } : null;
    this.rows = this.ring ? this.ring.rows : new Float32Array(RING_FRAMES * ROW);
    this.head = this.posted = head;
    this.sent = 0;
    this.gain = 1;
    this.limiting = true;
    this.take = null;
    this.wav = null;
    this.player = null;
    this.busy = { quanta: 0, late: 0, spent: 0, worst: 0 };
    this.port.onmessage = ({ data }) => this.receive(data);
  }

  receive(message) {
    try {
      if (message.load !== undefined) this.load(message);
      else if (message.command) this.command(message.command);
      else if (message.watch) this.watch(message.watch);
      else if (message.gain !== undefined) this.gain = message.gain;
      else if (message.limiting !== undefined) this.limiting = message.limiting;
      else if (message.record !== undefined) this.record(message.record);
      else if (message.look !== undefined) this.look = message.look;
    } catch (error) {
      this.port.postMessage({ problem: error.message, of: message.id });
    }
  }

  // An edit goes over from scene to scene; a fresh load, or one the engine cannot go over to, begins anew.
  load({ load, id, fresh }) {
    const scene = { name: "scene", text: load };
    if (this.player && !fresh && this.takeOver(scene)) return this.loaded(id, load);
    const player = this.abi.load(load, sampleRate); // throws before anything is lost
    this.player?.free();
    this.player = player;
    this.loaded(id, load);
  }

  takeOver(scene) {
    try {
      this.player.command({ scene });
      this.log({ scene: { ...scene, seed: this.player.describe().seed }, adopt: true });
      return true;
    } catch (error) {
      if (this.take || !/channels/.test(error.message)) throw error;
      return false;
    }
  }

  loaded(id, scene) {
    this.scene = scene;
    this.info = this.player.describe();
    this.watch([]);
    this.port.postMessage({ loaded: this.info, id });
  }

  command(command) {
    if (!this.player) return; // a gesture between two contexts
    this.player.command(command);
    const { shape, ...line } = command; // a take solves its places again
    this.log(line);
  }

  log(line) {
    this.take?.push({ at: this.player.tick(), ...line });
  }

  watch(signals) {
    this.player.watch(signals.slice(0, ROW - 1));
    this.port.postMessage({ watching: signals, from: this.head });
  }

  // A take must begin at a tick 0 that anybody can reach again: the scene is loaded anew.
  record(on) {
    if (on) {
      this.load({ load: this.scene, fresh: true });
      this.header = {
        take: 1, program: "tocco studio", rate_hz: sampleRate, channels: this.player.channels, ceiling_dbtp: null,
        sets: [], scene: { name: "scene", seed: this.info.seed, text: this.scene },
      };
      this.take = [];
      this.wav = [];
    } else if (this.take) {
      const { take, wav } = this;
      this.take = this.wav = null;
      const { channels } = this.player;
      const end = { end: this.player.tick(), hash: this.player.hash() };
      const message = { take, wav, channels, rate: sampleRate, end, header: this.header };
      this.port.postMessage({ recorded: message }, wav.map((block) => block.buffer));
    }
  }

  process(_, [output]) {
    const frames = output[0].length;
    if (!this.player) return true;
    const { channels } = this.player;
    const began = Date.now(); // worklets have no finer clock; the page averages
    const out = this.player.render(frames);
    if (this.wav) this.wav.push(out.slice());
    // Mono to both sides; of more channels the first ones. Gain and limiter come after what a take keeps.
    const heard = this.player.limited(frames, this.gain, this.limiting);
    for (let c = 0; c < output.length; c += 1) {
      const from = Math.min(c, channels - 1);
      for (let i = 0; i < frames; i += 1) output[c][i] = heard[i * channels + from];
    }
    this.keep(this.player.last(frames), channels, frames);
    this.meter(began, frames);
    return true;
  }

  keep(out, channels, frames) {
    const { watched } = this.player;
    const probes = watched ? this.player.probes(frames) : null;
    for (let i = 0; i < frames; i += 1) {
      const row = ((this.head + i) % RING_FRAMES) * ROW;
      this.rows[row] = out[i * channels];
      for (let k = 0; k < watched; k += 1) this.rows[row + 1 + k] = probes[i * watched + k];
    }
    this.head += frames;
    if (this.ring) Atomics.store(this.ring.head, 0, this.head | 0);
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
    const { busy } = this;
    const budget = frames / sampleRate;
    busy.quanta += 1;
    busy.spent += spent;
    busy.worst = Math.max(busy.worst, spent / budget);
    if (spent > budget) busy.late += 1;
    if (currentTime - this.sent < STATUS_EVERY_S) return;
    this.sent = currentTime;
    const { bodies, contacts } = this.info;
    const energies = this.player.energies(bodies.length + contacts.length).slice();
    const modes = this.look === undefined ? new Float64Array() : this.player.modes(this.look).slice();
    const load = busy.spent / (busy.quanta * budget);
    this.port.postMessage({
      status: {
        tick: this.player.tick(), energies, modes, body: this.look, health: Array.from(this.player.health()),
        load, worst: busy.worst, late: busy.late, reduction: this.player.reduction(),
      },
    });
    busy.quanta = busy.spent = busy.worst = 0;
  }
}

registerProcessor("tocco", Tocco);
