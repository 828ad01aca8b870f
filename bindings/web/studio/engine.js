// SPDX-License-Identifier: MIT OR Apache-2.0
// The page's side of the sound: one AudioContext, one worklet, requests that are answered.
import { instantiate } from "./abi.js";
import { Ring } from "./ring.js";

/** The module, compiled once and handed to worklet and workers. */
export async function compile() {
  const answer = await fetch("tocco.wasm");
  if (!answer.ok) throw new Error(`tocco.wasm could not be fetched (${answer.status}); build the studio again`);
  try {
    return await WebAssembly.compileStreaming(answer.clone());
  } catch {
    return WebAssembly.compile(await answer.arrayBuffer()); // a server that does not know the type
  }
}

/** Talks to the worklet. Events: loaded, status, problem, recorded, rows. */
export class Engine extends EventTarget {
  constructor(module) {
    super();
    this.module = module;
    this.ring = new Ring();
    this.waiting = new Map();
    this.serial = 0;
    this.watching = [];
    this.isOn = false;
  }

  /** True where the browser can do it at all. */
  static isPossible() {
    return typeof AudioWorkletNode === "function" && typeof WebAssembly === "object";
  }

  async start(scene, latency) {
    this.abi ??= await instantiate(this.module);
    await this.open(latency);
    await this.load(scene);
  }

  // A context keeps its buffers for life: another latency is another context.
  async open(latency) {
    await this.context?.close();
    this.node?.disconnect();
    this.context = new AudioContext({ latencyHint: latency });
    await this.context.audioWorklet.addModule("worklet.js");
    this.node = new AudioWorkletNode(this.context, "tocco", {
      numberOfInputs: 0,
      outputChannelCount: [2],
      processorOptions: { module: this.module, shared: this.ring.shared, head: this.ring.head() },
    });
    this.node.port.onmessage = ({ data }) => this.receive(data);
    this.node.onprocessorerror = () => this.tell("problem", "the audio side stopped; reload the page");
    this.node.connect(this.context.destination);
  }

  /** Goes over to another latency; the scene begins anew. */
  async reopen(scene, latency) {
    const wasOn = this.isOn;
    await this.open(latency);
    await this.load(scene, true);
    if (wasOn) await this.turn(true);
  }

  get rate() {
    return this.context.sampleRate;
  }

  /** Browsers begin silent; a gesture of the user may end that. */
  async turn(on) {
    if (on) await this.context.resume();
    else await this.context.suspend();
    this.isOn = on && this.context.state === "running";
    this.tell("power", this.isOn);
  }

  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  receive(message) {
    if (message.rows) this.ring.take(message.rows, message.head);
    else if (message.status) this.tell("status", message.status);
    else if (message.loaded) {
      this.info = message.loaded;
      this.tell("loaded", message.loaded);
      this.waiting.get(message.id)?.done(message.loaded);
      this.waiting.delete(message.id);
    } else if (message.watching) {
      this.watching = message.watching;
      this.watchedFrom = message.from;
    } else if (message.recorded) this.tell("recorded", message.recorded);
    else if (message.problem) {
      const asked = this.waiting.get(message.of);
      this.waiting.delete(message.of);
      if (asked) asked.failed(new Error(message.problem));
      else this.tell("problem", message.problem);
    }
  }

  /** Takes a scene; what was sounding goes on where it can. Rejects with one line and keeps the old scene. */
  async load(scene, fresh = false) {
    const twin = this.abi.load(scene, this.rate); // what is wrong is found here, not on the audio side
    const info = await this.hand(scene, fresh);
    this.twin?.free();
    this.twin = twin;
    return info;
  }

  hand(scene, fresh) {
    const id = (this.serial += 1);
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.node.port.postMessage({ load: scene, id, fresh });
    });
  }

  send(command) {
    this.node?.port.postMessage({ command });
  }

  /** Moves the place where a port is touched; solved here, so that the audio side only copies. */
  touch(site, place) {
    const shape = this.twin?.shapeAt(site, place);
    if (shape) this.send({ touch: site, place, shape });
  }

  set(path, value) {
    this.send({ set: path, value });
  }

  watch(signals) {
    this.node?.port.postMessage({ watch: signals });
  }

  post(message) {
    this.node?.port.postMessage(message);
  }

  /** Column of a watched signal in the ring, or -1. */
  column(signal) {
    const index = this.watching.indexOf(signal);
    return index < 0 ? -1 : index + 1;
  }
}
