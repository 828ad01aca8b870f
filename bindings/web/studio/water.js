// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker that computes water in a tank, sixty frames a second: what it looks like and what is heard of it.
import { instantiateNow } from "./abi.js";

const FRAME_MS = 1000 / 60;
let tank;
let pouring = null;
let stirring = null;
let due = 0;
let late = 0;
let frames = 0;
/** Frames that were out more than a frame after they were due: when, ms since 1970, and the newest of them. */
let slow = [];
const MOST_SLOW = 500;

onmessage = ({ data }) => {
  if (data.module) {
    tank = instantiateNow(data.module).tank(data.tank);
    for (const block of data.blocks) tank.fill(...block);
    due = performance.now();
    setTimeout(go, 0);
  } else if ("pour" in data) {
    pouring = data.pour;
    if (data.calm) [late, slow] = [0, []]; // whoever measures begins here
  } else if (data.stir) stirring = data.stir;
  else if (data.tilt) tank.tilt(...data.tilt);
};

function go() {
  const now = performance.now();
  const wanted = due;
  // After a long stall the water goes on from here instead of running after.
  due = Math.max(due + FRAME_MS, now - 2 * FRAME_MS);
  if (pouring) tank.pour(...pouring, 0.03, 0, -0.8);
  if (stirring) {
    tank.stir(...stirring);
    stirring = null;
  }
  const began = tank.time;
  const sounds = tank.frame();
  const points = tank.look();
  frames += 1;
  postMessage({ points, sounds, began, frames, late, slow, spent: performance.now() - now }, [points.buffer, sounds.buffer]);
  // How much later than the screen wants it is it out: the page reads the worst.
  const out = performance.now();
  late = Math.max(late, out - wanted);
  if (out - wanted > FRAME_MS) slow = [...slow, [performance.timeOrigin + wanted, performance.timeOrigin + out]].slice(-MOST_SLOW);
  setTimeout(go, Math.max(0, due - performance.now()));
}
