// SPDX-License-Identifier: MIT OR Apache-2.0
// The page's side of the sound: one AudioContext, one worklet, requests that are answered.
import { instantiate } from "./abi.js";
import { compare, TOGETHER } from "./echo.js";
import { Ring } from "./ring.js";

/** The module, compiled once and handed to worklet and workers. */
async function compile() {
  const answer = await fetch("tocco.wasm");
  if (!answer.ok) throw new Error(`tocco.wasm could not be fetched (${answer.status}); build the studio again`);
  try {
    return await WebAssembly.compileStreaming(answer.clone());
  } catch {
    return WebAssembly.compile(await answer.arrayBuffer()); // a server that does not know the type
  }
}

/** What the page begins with: the module, an instance of it, the scenes. Their texts come out of the engine when they are asked for: it has them,
 * as any scene may be part of another, and they are not sent twice. */
export async function begin() {
  const [module, list] = await Promise.all([compile(), fetch("scenes.json").then((answer) => answer.json())]);
  const abi = await instantiate(module);
  for (const scene of list.scenes) {
    let text = null;
    Object.defineProperty(scene, "text", { enumerable: true, get: () => (text ??= abi.shipped(scene.name)) });
  }
  return { module, abi, ...list };
}

/** Most channels that a worklet can have. */
const MOST_CHANNELS = 32;

/** Most sub-steps that the engine takes, and the most of them times modes with which a blow is in time in a browser: 500 modes take about
 * as long as they last with 16. */
const [FULL_STEPS, MODE_STEPS] = [64, 8000];

/** Sub-steps that blows may take in a scene, by the largest body that is touched. */
export function stepsFor({ bodies, contacts }) {
  const touched = new Set(contacts.flatMap(({ between }) => between.map((site) => site.split(".")[0])));
  const most = Math.max(0, ...bodies.filter(({ name }) => touched.has(name)).map(({ modes }) => modes.length));
  let steps = FULL_STEPS;
  while (steps > 4 && steps * most > MODE_STEPS) steps /= 2;
  return steps;
}

/** Windows without the loudspeaker, though it played, after which the gate forgets it. */
const FORGETS = 6;

/** Talks to the worklet. Events: loaded, status, problem, remark, recorded, rows, echo. */
export class Engine extends EventTarget {
  constructor({ module, abi }) {
    super();
    [this.module, this.abi] = [module, abi];
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

  async start(scene, latency, note) {
    await this.open(latency);
    await this.load(scene, false, note);
  }

  // A context keeps its buffers for life: another latency is another context.
  async open(latency) {
    await this.context?.close();
    this.node?.disconnect();
    this.context = new AudioContext({ latencyHint: latency });
    await this.context.audioWorklet.addModule("worklet.js");
    // Channels mean what the scene means by them: none is mixed into another.
    const { destination } = this.context;
    this.channels = Math.min(MOST_CHANNELS, Math.max(2, destination.maxChannelCount));
    if (destination.maxChannelCount >= 2) destination.channelInterpretation = "discrete";
    this.node = new AudioWorkletNode(this.context, "tocco", {
      numberOfInputs: 1,
      channelCountMode: "explicit",
      channelInterpretation: "discrete",
      outputChannelCount: [this.channels],
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
    else if ("loaded" in message) {
      const asked = this.waiting.get(message.loaded); // none: the same scene again, for a take
      this.waiting.delete(message.loaded);
      if (asked) this.adopt(asked, message.loaded);
      this.tell("loaded", { info: this.info, asked: asked?.note });
      asked?.done(this.info);
    } else if (message.watching) {
      this.watching = message.watching;
      this.watchedFrom = message.from;
    } else if (message.echo) this.listenFor(message.echo);
    else if (message.recorded) this.tell("recorded", message.recorded);
    else if (message.problem) {
      const asked = this.waiting.get(message.of);
      this.waiting.delete(message.of);
      if (asked) {
        asked.names.free();
        asked.failed(new Error(message.problem));
      } else this.tell("problem", message.problem);
    }
  }

  /** Takes a scene; what was sounding goes on where it can. Rejects with one line and keeps the old scene. `note` is told again with the answer. */
  async load(scene, fresh = false, note = undefined) {
    const names = this.abi.names(scene, this.rate); // what is wrong is found here, not on the audio side
    const info = names.describe();
    const id = (this.serial += 1);
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, names, info, note });
      this.node.port.postMessage({ load: scene, id, fresh, shown: info.outputs[0]?.channels[0] ?? 0, steps: stepsFor(info) });
    });
  }

  /** The scene that sounds, as another text describes it that has the same names. */
  renew(scene) {
    const names = this.abi.names(scene, this.rate);
    this.names?.free();
    Object.assign(this, { names, info: names.describe() });
  }

  // The scene sounds: these are its names from now on.
  adopt({ names, info }, id) {
    this.names?.free();
    Object.assign(this, { names, info, scene: id });
    const { destination } = this.context;
    const wanted = 1 + Math.max(1, ...info.outputs.flatMap(({ channels }) => channels));
    const opened = Math.min(wanted, this.channels, destination.maxChannelCount);
    if (opened >= 2 && destination.channelCount !== opened) destination.channelCount = opened;
    const lost = info.outputs.filter(({ channels }) => channels.some((channel) => channel >= this.channels)).map(({ name }) => name);
    if (lost.length) this.tell("remark", `this device has ${this.channels} channels: of ${lost.join(", ")} the channels beyond are not heard`);
    this.listen(info.inputs);
  }

  /** Lets a scene hear the microphone, which is asked for only now; without it the scene hears silence. */
  async listen(channels) {
    this.inputs = channels;
    this.source?.disconnect();
    this.source = null;
    if (channels === 0) return this.stopListening();
    const { context, node } = this;
    node.channelCount = Math.min(channels, MOST_CHANNELS);
    try {
      // As it is: what browsers do for speech would be heard as a fault.
      const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
      this.microphone ??= navigator.mediaDevices.getUserMedia({ audio: { ...plain, channelCount: channels } });
      const stream = await this.microphone;
      if (this.context !== context || this.inputs !== channels) return; // another scene, or another context
      this.source = context.createMediaStreamSource(stream);
      this.source.connect(node);
    } catch {
      this.microphone = null;
      this.tell("remark", "this scene listens, but there is no microphone or it was refused; the scene hears silence");
    }
  }

  // A microphone that hears what is played would play it again: it is said, and the gate is told how much comes back and when.
  listenFor({ played, heard }) {
    const found = compare(played, heard);
    if (!found) return;
    if (found.is) {
      const seconds = (found.steps * TOGETHER) / this.rate;
      this.echo = { part: Math.max(found.part, 0.7 * (this.echo?.part ?? 0)), seconds, without: 0 };
      this.post({ learn: [this.echo.part, seconds] });
    } else if (this.echo && (this.echo.without += 1) >= FORGETS) {
      this.echo = null;
      this.post({ learn: [0, 0] });
    }
    this.tell("echo", this.echo ?? null);
  }

  async stopListening() {
    const asked = this.microphone;
    this.microphone = null;
    const stream = await asked?.catch(() => null);
    stream?.getTracks().forEach((track) => track.stop());
  }

  /** Plays a gesture, as a take has it, for now or so many seconds later, and tells the bridge of it, if there is one. */
  send(gesture, after = 0) {
    this.play(gesture, after);
    this.told?.(gesture);
  }

  /** The same without telling. Where it touches is solved here, so that the audio side only copies. */
  play(gesture, after = 0) {
    if (!this.node) return;
    try {
      const shape = "touch" in gesture ? this.names?.shapeAt(gesture) : undefined;
      this.post({ gesture: JSON.stringify(gesture), shape, of: this.scene, after });
    } catch (error) {
      this.tell("problem", error.message);
    }
  }

  /** Moves the place where a port is touched. */
  touch(site, place) {
    this.send({ touch: site, place });
  }

  set(path, value) {
    this.send({ set: path, value });
  }

  watch(signals) {
    this.post({ watch: signals });
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
