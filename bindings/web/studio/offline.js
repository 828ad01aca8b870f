// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker that renders whole scenes faster than they sound: files for the user, pictures for the gallery.
import { instantiateNow } from "./abi.js";

let abi;

onmessage = ({ data }) => {
  if (data.module) abi = instantiateNow(data.module);
  else {
    try {
      postMessage({ id: data.id, ...(data.isAsked ? { info: about(data.scene) } : render(data)) });
    } catch (error) {
      postMessage({ id: data.id, problem: error.message });
    }
  }
};

const BLOCK = 4096;

/** Plays the scene from its start, with a take's gestures if there are any: for so many seconds, or for as long as the scene says. */
function render({ id, scene, rate, seconds, gestures = [], progress }) {
  const { auto, duration_s: own } = seconds === undefined ? describe(scene, rate) : {};
  const session = abi.load(scene, rate);
  const { channels } = session;
  const length = seconds ?? own ?? null;
  const most = Math.max(1, Math.round((length ?? auto.most_s) * session.rate));
  for (const gesture of gestures) session.gesture(JSON.stringify(gesture), gesture.at);
  const ear = length === null ? new Ear(auto, session) : null;
  const blocks = [];
  let frames = 0;
  for (let ended = false; frames < most && !ended;) {
    const count = Math.min(BLOCK, most - frames);
    const block = session.render(count);
    const heard = ear?.hear(block, frames) ?? null;
    ended = heard !== null;
    blocks.push(block.slice(0, (heard ?? count) * channels));
    frames += heard ?? count;
    if (progress && blocks.length % 16 === 1) postMessage({ id, part: frames / most });
  }
  const out = new Float32Array(frames * channels);
  blocks.reduce((at, block) => {
    out.set(block, at);
    return at + block.length;
  }, 0);
  const result = { samples: out, channels, rate: session.rate };
  session.free();
  return result;
}

function describe(scene, rate) {
  const names = abi.names(scene, rate);
  const info = names.describe();
  names.free();
  return info;
}

/** What a picture needs of a scene: without its thousands of parameters. */
function about(scene) {
  const { title, bodies, contacts, paths, processes, walks } = describe(scene, 0);
  return { title, bodies, contacts, processes, walks, paths: paths.filter(({ path }) => path.endsWith("/freq_hz")) };
}

/** Hears when an automatic length ends: as the program does, to the sample. */
class Ear {
  constructor(auto, { rate, channels }) {
    Object.assign(this, { ...auto, channels, hold: Math.ceil(auto.hold_s * rate), peak: 0, still: 0 });
  }

  /** Frames of this block up to the end; null if it is not in it. */
  hear(block, from) {
    const { channels } = this;
    for (let i = 0; i < block.length / channels; i += 1) {
      let loud = 0;
      for (let c = 0; c < channels; c += 1) loud = Math.max(loud, Math.abs(block[i * channels + c]));
      this.peak = Math.max(this.peak, loud);
      this.still = loud <= this.quiet * this.peak && this.peak > 0 ? this.still + 1 : 0;
      if (this.still >= this.hold && from + i >= this.last_cue) return i + 1;
    }
    return null;
  }
}
