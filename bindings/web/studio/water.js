// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker that computes water in a tank, sixty frames a second: what it looks like and what is heard of it.
import { instantiateNow } from "./abi.js";

const FRAME_MS = 1000 / 60;
/** Frames by which the water is ahead of what is shown, so that a browser that has something else to do now and then shows it in time: at first,
 * and at most; as few as the machine needs after that, for the hand is felt so much later. */
const MOST_AHEAD = 7;
/** After so many frames of which each was out within the time of one, one less is enough; four times as many each time that it was not. */
let patience = 300;
let tank;
let pouring = null;
let stirring = null;
/** When the coming frame is shown, ms. */
let due = 0;
let ahead = MOST_AHEAD;
/** How long before they were due frames came out, ms, at least, and how many of them. */
let spare = Infinity;
let seen = 0;
let late = 0;
let frames = 0;
/** Frames that were out more than a frame after they were due: when, ms since 1970, and the newest of them. */
let slow = [];
const MOST_SLOW = 500;

onmessage = ({ data }) => {
  if (data.module) {
    tank = instantiateNow(data.module).tank(data.tank);
    for (const block of data.blocks) tank.fill(...block);
    due = performance.now() + (ahead + 1) * FRAME_MS;
    setTimeout(go, 0);
  } else if ("pour" in data) {
    pouring = data.pour;
    if (data.calm) [late, slow] = [0, []]; // whoever measures begins here
  } else if (data.stir) stirring = data.stir;
  else if (data.tilt) tank.tilt(...data.tilt);
};

function go() {
  const now = performance.now();
  if (pouring) tank.pour(...pouring, 0.03, 0, -0.8);
  if (stirring) {
    tank.stir(...stirring);
    stirring = null;
  }
  const began = tank.time;
  const sounds = tank.frame();
  const points = tank.look();
  frames += 1;
  const out = performance.now();
  // How much later than the screen wants it is it out: the page reads the worst.
  late = Math.max(late, out - due);
  if (out - due > FRAME_MS) slow = [...slow, [performance.timeOrigin + due, performance.timeOrigin + out]].slice(-MOST_SLOW);
  const shown = performance.timeOrigin + due;
  postMessage({ points, sounds, began, frames, late, slow, ahead, shown, spent: out - now }, [points.buffer, sounds.buffer]);
  keepAhead(due - out);
  // What came out too late by more than a frame stands still once until the water is ahead again, instead of running after for long.
  due = out - due > FRAME_MS ? out + (ahead + 1) * FRAME_MS : due + FRAME_MS;
  setTimeout(go, Math.max(0, due - ahead * FRAME_MS - performance.now()));
}

/** One frame came out so long before it was due: is the water as far ahead as this machine needs? */
function keepAhead(early) {
  [spare, seen] = [Math.min(spare, early), seen + 1];
  if (early < FRAME_MS && ahead < MOST_AHEAD && frames > MOST_AHEAD) {
    [ahead, patience, spare, seen] = [MOST_AHEAD, 4 * patience, Infinity, 0];
  } else if (seen >= patience) {
    if (spare > (ahead - 1) * FRAME_MS && ahead > 1) ahead -= 1;
    [spare, seen] = [Infinity, 0];
  }
}
