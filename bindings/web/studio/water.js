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

onmessage = ({ data }) => {
  if (data.module) {
    tank = instantiateNow(data.module).tank(data.tank);
    for (const block of data.blocks) tank.fill(...block);
    due = performance.now();
    setTimeout(go, 0);
  } else if ("pour" in data) {
    pouring = data.pour;
    if (data.calm) late = 0; // whoever measures begins here
  } else if (data.stir) stirring = data.stir;
  else if (data.tilt) tank.tilt(...data.tilt);
};

function go() {
  const now = performance.now();
  // How much later than the screen wants it: the page reads the worst.
  late = Math.max(late, now - due);
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
  postMessage({ points, sounds, began, frames, late, spent: performance.now() - now }, [points.buffer, sounds.buffer]);
  setTimeout(go, Math.max(0, due - performance.now()));
}
