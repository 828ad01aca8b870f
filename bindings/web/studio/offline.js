// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker that renders whole scenes faster than they sound: files for the user, pictures for the gallery.
import { instantiateNow } from "./abi.js";

let abi;

onmessage = ({ data }) => {
  if (data.module) abi = instantiateNow(data.module);
  else {
    try {
      postMessage({ id: data.id, ...render(data) });
    } catch (error) {
      postMessage({ id: data.id, problem: error.message });
    }
  }
};

/** Plays the scene from its start, with a take's gestures if there are any. */
function render({ id, scene, rate, seconds, gestures = [], progress }) {
  const session = abi.load(scene, rate);
  const frames = Math.round(seconds * session.rate);
  const out = new Float32Array(frames * session.channels);
  for (const gesture of gestures) session.gesture(JSON.stringify(gesture), gesture.at);
  const block = 4096;
  for (let at = 0; at < frames; at += block) {
    const count = Math.min(block, frames - at);
    out.set(session.render(count), at * session.channels);
    if (progress && at % (16 * block) === 0) postMessage({ id, part: at / frames });
  }
  const { channels, rate: own } = session;
  session.free();
  return { samples: out, channels, rate: own };
}
