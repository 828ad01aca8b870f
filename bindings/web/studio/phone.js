// SPDX-License-Identifier: MIT OR Apache-2.0
// The phone page: what a phone feels while one walks becomes footsteps, scraping, a tone and vibration, a log, or OSC for the program.
import { colour, fit, isDue, levelLine } from "./canvas.js";
import { begin, Engine } from "./engine.js";
import { download } from "./keep.js";
import { HAPPENING } from "./press.js";
import { SOLES } from "./walk.js";

const WALKER = "walker";
const SPAN_S = 6;
/** Most readings of a log: an hour at 100 a second. */
const LONGEST_LOG = 360_000;
/** A phone that has said nothing for so long has no accelerometer, or may not tell, ms. */
const PATIENCE_MS = 2500;
/** A buzz that begins ends the one before: not more often than this, ms, and how long the weakest and the strongest are. */
const BUZZ_EVERY_MS = 40;
const BUZZ_MS = [8, 32];

const $ = (id) => document.getElementById(id);
const say = (text) => ($("said").textContent = text);

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text ?? "";
}

/** What is missing for motion to be felt here; null if nothing is. */
export function missing(scope = globalThis) {
  if (!scope.isSecureContext) {
    return "A phone tells its motion only to pages that come by HTTPS, or from itself. Let 'tocco studio --host' serve it; or write this page into a folder with 'tocco studio --export FOLDER', "
      + "put it behind any server with HTTPS, and open phone.html there; or, with a cable, forward the port ('adb reverse tcp:PORT tcp:PORT') and open http://localhost:PORT/phone.html.";
  }
  return "DeviceMotionEvent" in scope ? null : "This browser tells nothing of the motion of its device.";
}

/** A walker whose feet are set from outside, on a floor, and a sole that scrapes. */
export function sceneOf(floor, sole) {
  const has = (inlet) => floor.text.includes(`[signal.${inlet}]`);
  const part = (name, transpose, pan, signals) => `[part.${name}]
scene = "${floor.name}"
transpose = ${transpose}
pan_01 = ${pan}
${signals.map(([inlet, region]) => `signal.${inlet} = "${WALKER}.${region}"\n`).join("")}`;
  // Heel and toe, left and right are four places of the floor. One that tells heel and toe apart is there for each foot, one that tells all four once.
  const regions = [["heel_left", 0.926, 0.42], ["toe_left", 1.044, 0.42], ["heel_right", 0.954, 0.58], ["toe_right", 1.076, 0.58]];
  const feet = [["left", 0.985, 0.42], ["right", 1.015, 0.58]];
  let parts;
  if (has("heel_left")) parts = [part("whole", 1, 0.5, regions.map(([region]) => [region, region]))];
  else if (has("press_toe")) parts = feet.map(([foot, transpose, pan]) => part(foot, transpose, pan, [["press", `heel_${foot}`], ["press_toe", `toe_${foot}`]]));
  else parts = regions.map(([region, transpose, pan]) => part(region, transpose, pan, [["press", region]]));
  return `title = "steps of a phone"
[walk.${WALKER}]
source = "inlets"
sole = "${sole}"
${parts.join("")}[body.scraper]
type = "guided"
[body.scraped]
type = "modal"
modes = [{ freq_hz = 210.0, decay_s = 0.006, mass_kg = 1.5 }, { freq_hz = 390.0, decay_s = 0.004, mass_kg = 0.8 }, { freq_hz = 760.0, decay_s = 0.003, mass_kg = 0.3 }, { freq_hz = 1340.0, decay_s = 0.002, mass_kg = 0.12 }, { freq_hz = 2210.0, decay_s = 0.0015, mass_kg = 0.06 }, { freq_hz = 3480.0, decay_s = 0.001, mass_kg = 0.04 }]
[contact.scrape]
type = "friction"
between = ["scraper", "scraped"]
normal_force_n = 0.0
mu_static = 0.6
mu_dynamic = 0.45
stribeck_m_s = 0.1
bristle_stiffness = 2.0e5
bristle_damping = 20.0
viscosity = 0.5
roughness = 0.25
texture = { beta = 1.0, grain_m = 3.0e-4, longest_m = 0.05 }
[[tap]]
of = "scraped"
quantity = "velocity"
gain = 1.8
[output.main]
channels = [0, 1]
`;
}

/** Buzzes by what happens in the scene: nearer than 40 ms only the strongest counts, which takes the place of a weaker one. */
export class Buzz {
  constructor(vibrate) {
    this.vibrate = vibrate;
    this.largest = new Map();
    this.last = -Infinity;
    this.strength = 0;
    this.count = 0;
  }

  /** Events of processes, each as strong as it is among its own. */
  happened(happened, now) {
    let strongest = 0;
    for (let i = 0; i < happened.length; i += HAPPENING) {
      const [process, size] = [happened[i + 1], happened[i + 2]];
      const most = Math.max(size, this.largest.get(process) ?? 0);
      this.largest.set(process, most);
      if (most > 0) strongest = Math.max(strongest, Math.sqrt(size / most));
    }
    if (strongest > 0.1) this.buzz(strongest, now);
  }

  /** A buzz of a strength from 0 to 1. */
  buzz(strength, now) {
    if (now - this.last < BUZZ_EVERY_MS && strength <= this.strength) return;
    [this.last, this.strength] = [now, strength];
    this.count += 1;
    this.vibrate(Math.round(BUZZ_MS[0] + Math.min(1, strength) * (BUZZ_MS[1] - BUZZ_MS[0])));
  }
}

class PhonePage {
  constructor(page) {
    const { scenes, bridge } = page;
    this.engine = new Engine(page);
    this.floors = scenes.filter(({ name }) => name.startsWith("floor-"));
    this.readings = [];
    this.marks = [];
    this.log = null;
    this.count = 0;
    this.interval = null;
    this.buzz = new Buzz((ms) => navigator.vibrate?.(ms));
    $("floor").append(...this.floors.map(({ name }) => new Option(name.slice("floor-".length).replaceAll("-", " "), name)));
    $("floor").value = "floor-gravel";
    $("sole").append(...SOLES.map((sole) => new Option(sole.replace("-", " "), sole)));
    $("sole").value = "boot";
    $("send-box").hidden = !bridge;
    $("buzz").textContent = navigator.vibrate ? "" : "This browser cannot vibrate.";
    $("vibrates").disabled = !navigator.vibrate;
    const on = (id, type, act) => $(id).addEventListener(type, act);
    on("start", "click", () => (this.isOn ? this.stop() : this.start()).catch((error) => problem(error.message)));
    for (const id of ["floor", "sole"]) on(id, "change", () => this.engine.load(this.scene(), false).catch((error) => problem(error.message)));
    on("level", "input", () => this.level());
    on("tone", "change", () => this.sing());
    on("send", "change", () => this.join());
    on("log", "click", () => this.keep());
    on("csv", "click", () => download("accelerations.csv", [this.csv()], "text/csv"));
    this.engine.addEventListener("problem", ({ detail }) => problem(detail));
    this.engine.addEventListener("status", ({ detail }) => {
      if ($("vibrates").checked) this.buzz.happened(detail.happened, performance.now());
    });
    addEventListener("devicemotion", (event) => this.isOn && this.feel(event));
    problem(missing());
    this.tell();
    this.frame();
  }

  scene() {
    return sceneOf(this.floors.find(({ name }) => name === $("floor").value), $("sole").value);
  }

  level() {
    const db = Number($("level").value);
    $("level").setAttribute("aria-valuetext", `${db} dB`);
    this.engine.post({ gain: db <= -40 ? 0 : 10 ** (db / 20) });
  }

  /** Browsers ask the user, and only within a gesture of the user's. */
  async start() {
    const lacking = missing();
    if (lacking) return problem(lacking);
    if (typeof DeviceMotionEvent.requestPermission === "function" && (await DeviceMotionEvent.requestPermission()) !== "granted") {
      return problem("Motion was refused. Allow it in the browser's settings for this site, and start again.");
    }
    problem(null);
    if (!this.engine.context) await this.engine.start(this.scene(), "interactive");
    await this.engine.turn(true);
    this.level();
    this.phone ??= this.engine.abi.phone();
    this.isOn = true;
    this.heardFrom = null;
    $("start").textContent = "Stop";
    $("start").setAttribute("aria-pressed", "true");
    $("start").classList.remove("call");
    this.wake = await navigator.wakeLock?.request("screen").catch(() => null);
    setTimeout(() => this.isOn && this.heardFrom === null && problem("This device says nothing of its motion."), PATIENCE_MS);
    this.sing();
    this.tell();
  }

  async stop() {
    this.isOn = false;
    $("start").textContent = "Start";
    $("start").setAttribute("aria-pressed", "false");
    await this.wake?.release();
    this.send({ set: "scrape/normal_force_n", value: 0 });
    await this.engine.turn(false);
  }

  feel({ accelerationIncludingGravity: a, timeStamp }) {
    if (!a || a.x === null) return;
    const t = timeStamp / 1000;
    if (this.heardFrom === null) problem(null);
    if (this.heardFrom !== null && t > this.heardFrom) {
      const interval = t - this.heardFrom;
      this.interval = this.interval === null ? interval : this.interval + 0.05 * (interval - this.interval);
    }
    this.heardFrom = t;
    const felt = this.phone.feel(t, a.x, a.y, a.z);
    let [stepped, scraped] = [0, 0];
    for (const one of felt) {
      if ("foot" in one) {
        stepped = 1;
        this.step(one);
      } else {
        scraped = one.speed;
        this.scrape(one.speed);
      }
    }
    if ($("tone").checked) this.hum();
    this.readings.push([t, Math.hypot(a.x, a.y, a.z)]);
    while (this.readings.length && t - this.readings[0][0] > SPAN_S) this.readings.shift();
    if (this.log && this.log.length < LONGEST_LOG) this.log.push([t, a.x, a.y, a.z, stepped, scraped]);
  }

  /** A foot came down: what heel and toe press from now on. */
  step({ at, foot, force }) {
    this.count += 1;
    this.marks.push({ at, foot });
    this.marks = this.marks.slice(-20);
    const side = foot === 0 ? "left" : "right";
    $("count").textContent = `${this.count} steps, the last with the ${side} foot, ${force.toFixed(2)} body weights`;
    if (!$("steps").checked) return;
    for (const { after, glide_s, heel, toe } of this.phone.step(force)) {
      this.send({ set: `${WALKER}/heel_${side}`, value: heel, glide_s }, after);
      this.send({ set: `${WALKER}/toe_${side}`, value: toe, glide_s }, after);
    }
    if ($("vibrates").checked) this.buzz.buzz(force / 1.8, performance.now());
  }

  /** As fast as it moves to and fro; pressed as long as it does. */
  scrape(speed) {
    if (!$("scrapes").checked) return;
    this.send({ set: "scraper/velocity_m_s", value: speed });
    this.send({ set: "scrape/normal_force_n", value: speed > 0 ? 20 : 0 });
  }

  /** Plays it here, so many seconds from now, and tells the program if it is to know. */
  send(gesture, after = 0) {
    this.engine.send(gesture, after);
    const to = $("send").value;
    if (this.socket?.readyState !== 1 || !gesture.set.startsWith(`${WALKER}/`)) return;
    const { glide_s, ...plain } = gesture; // sensors know no glides
    const line = JSON.stringify(to === "shoe" ? { ...plain, set: gesture.set.replace(WALKER, "shoe") } : gesture);
    // A value that is glided to is a sensor's when it is reached.
    setTimeout(() => this.socket?.readyState === 1 && this.socket.send(line), 1000 * (after + (to === "shoe" ? glide_s ?? 0 : 0)));
  }

  join() {
    this.socket?.close();
    this.socket = null;
    if (!$("send").value) return say("");
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/bridge`);
    this.socket.onopen = () => say(`steps go to the program as /${$("send").value}/heel_left and so on`);
    this.socket.onclose = () => say("the program does not answer; steps stay here");
  }

  /** A pure tone: across is how loud, up is how high. */
  sing() {
    if (!this.engine.context || !this.isOn || !$("tone").checked) {
      this.loudness?.gain.setTargetAtTime(0, this.engine.context.currentTime, 0.02);
      return;
    }
    if (this.oscillator) return;
    const { context } = this.engine;
    this.oscillator = new OscillatorNode(context, { frequency: 440 });
    this.loudness = new GainNode(context, { gain: 0 });
    this.oscillator.connect(this.loudness).connect(context.destination);
    this.oscillator.start();
  }

  hum() {
    const [hz, amplitude] = this.phone.tone();
    const { currentTime } = this.engine.context;
    this.oscillator?.frequency.setTargetAtTime(hz, currentTime, 0.01);
    this.loudness?.gain.setTargetAtTime(0.3 * amplitude, currentTime, 0.01);
  }

  keep() {
    const begins = $("log").getAttribute("aria-pressed") !== "true";
    if (begins) this.log = [];
    else this.kept = this.log;
    if (!begins) this.log = null;
    $("log").setAttribute("aria-pressed", String(begins));
    $("log").textContent = begins ? "Stop the log" : "Log accelerations";
    $("csv").disabled = begins || !this.kept?.length;
    $("logged").textContent = begins ? "" : `${this.kept?.length ?? 0} readings`;
  }

  /** Seconds from the first reading, acceleration with gravity as the phone tells it, whether a step was found, how fast it scraped. */
  csv() {
    const [[first] = [0]] = this.kept;
    const rows = this.kept.map(([t, x, y, z, step, scrape]) => [(t - first).toFixed(4), x.toFixed(4), y.toFixed(4), z.toFixed(4), step, scrape.toFixed(4)].join(","));
    return `time_s,x_m_s2,y_m_s2,z_m_s2,step,scrape_m_s\n${rows.join("\n")}\n`;
  }

  /** What it takes from a foot to a sound, as far as this page can know. */
  tell() {
    const found = 1000 * (this.phone?.delay ?? 0.04);
    const reading = this.interval === null ? null : 1000 * this.interval;
    const { context } = this.engine;
    const sound = context ? 1000 * (context.outputLatency || context.baseLatency || 0) : null;
    $("rate").textContent = reading === null ? "" : `${(1000 / reading).toFixed(0)} readings a second.`;
    const parts = [`${found.toFixed(0)} ms until a step stands out`, reading === null ? null : `${reading.toFixed(0)} ms between readings`,
      sound === null ? null : `${sound.toFixed(0)} ms of sound`].filter(Boolean);
    const total = found + (reading ?? 17) / 2 + (sound ?? 20);
    $("latency").textContent = `A step is heard about ${total.toFixed(0)} ms after the foot: ${parts.join(", ")}. A phone is a trigger, too late to close the loop between foot and ear; Bluetooth adds a tenth of a second and more.`;
  }

  frame() {
    const now = performance.now();
    if (now - (this.told ?? 0) > 1000) {
      this.told = now;
      this.tell();
      if (this.log) $("logged").textContent = `${this.log.length} readings`;
    }
    const head = this.readings.at(-1)?.[0];
    if ((head !== this.drawn || !this.wasDrawn) && isDue(now - (this.drawnAt ?? 0))) {
      this.drawnAt = now;
      this.draw(head ?? 0);
    }
    requestAnimationFrame(() => this.frame());
  }

  draw(head) {
    this.drawn = head;
    this.wasDrawn = true;
    const { pen, w, h } = fit($("felt"));
    const x = (t) => w * (1 - (head - t) / SPAN_S);
    const y = (a) => h - 6 - ((h - 12) * Math.min(30, a)) / 30;
    levelLine(pen, "1 g", w, y(9.81));
    for (const { at, foot } of this.marks) {
      pen.fillStyle = colour(foot ? "--accent" : "--second");
      pen.fillRect(x(at) - 1.5, 8, 3, h - 16);
    }
    pen.strokeStyle = colour("--text");
    pen.lineWidth = 2;
    pen.beginPath();
    for (const [t, a] of this.readings) pen.lineTo(x(t), y(a));
    pen.stroke();
  }
}

async function main() {
  if (!isSecureContext) return problem(missing());
  if (!Engine.isPossible()) {
    problem("This browser has no AudioWorklet, which the page plays with; any browser of the last years has one.");
    return;
  }
  globalThis.tocco = new PhonePage(await begin()); // for the console, and for tests
  document.documentElement.dataset.ready = "yes";
}

main().catch((error) => problem(error.message));
