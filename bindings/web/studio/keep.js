// SPDX-License-Identifier: MIT OR Apache-2.0
// Keeping: files in and out, links that hold a scene, takes, WAVs, offline renders.

/** Largest scene text that is taken, bytes: the engine's own limit. */
export const LARGEST_SCENE = 16 << 20;
/** Largest scene that goes into a link; longer links break in mail and chat. */
const LARGEST_LINK = 16 << 10;
const LONGEST_LINK_MS = 3000;

/** Hands the user a file. */
export function download(name, parts, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name that any file system takes. */
export function fileName(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "scene";
}

/** Float WAV of interleaved samples. */
export function wav(samples, channels, rate) {
  const header = new DataView(new ArrayBuffer(58));
  const word = (at, text) => [...text].forEach((c, i) => header.setUint8(at + i, c.charCodeAt(0)));
  const bytes = samples.length * 4;
  word(0, "RIFF");
  header.setUint32(4, 50 + bytes, true);
  word(8, "WAVEfmt ");
  header.setUint32(16, 18, true);
  header.setUint16(20, 3, true); // IEEE float
  header.setUint16(22, channels, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * channels * 4, true);
  header.setUint16(32, channels * 4, true);
  header.setUint16(34, 32, true);
  word(38, "fact");
  header.setUint32(42, 4, true);
  header.setUint32(46, samples.length / channels, true);
  word(50, "data");
  header.setUint32(54, bytes, true);
  return [header.buffer, samples.buffer];
}

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** The page's address with the scene in its fragment, which no server ever sees. */
export async function linkTo(scene) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(scene));
  if (packed.length > LARGEST_LINK) {
    throw new Error(`this scene is too long for a link (${packed.length} bytes packed); save it as a file instead`);
  }
  const text = btoa(String.fromCharCode(...packed)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}#scene=${text}`;
}

/** What a stream brings, if that is at most so many bytes and has ended in time, whether it brings something or nothing meanwhile. */
export async function gathered(stream, most, longestMs) {
  const reader = stream.getReader();
  const [parts, until] = [[], performance.now() + longestMs];
  let [length, timer] = [0, 0];
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error("too late")), longestMs);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      length += value.length;
      // Whoever always has something ready leaves the timer no turn.
      if (length > most || performance.now() > until) throw new Error("too long");
      parts.push(value);
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

/** What deflated bytes hold, if that is at most so many bytes and comes within a few seconds: a short link may hold a flood. */
function unpacked(packed, most) {
  return gathered(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), most, LONGEST_LINK_MS);
}

/** The scene in a fragment, null if there is none; throws one line if it is broken. */
export async function sceneIn(fragment) {
  const found = /^#scene=(.*)$/.exec(fragment);
  if (!found) return null;
  const broken = "the link holds no readable scene; ask for it again, or open a file";
  try {
    const packed = Uint8Array.from(atob(found[1].replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    if (packed.length > LARGEST_LINK) throw new Error(broken);
    return new TextDecoder("utf-8", { fatal: true }).decode(await unpacked(packed, LARGEST_SCENE));
  } catch {
    throw new Error(broken);
  }
}

/** Renders in a worker; `onPart(0..1)` hears of progress. */
export class Offline {
  constructor(module) {
    this.worker = new Worker("offline.js", { type: "module" });
    this.worker.postMessage({ module });
    this.jobs = new Map();
    this.serial = 0;
    this.worker.onmessage = ({ data }) => {
      const job = this.jobs.get(data.id);
      if (data.part !== undefined) return job?.onPart?.(data.part);
      this.jobs.delete(data.id);
      if (data.problem) job?.failed(new Error(data.problem));
      else job?.done(data);
    };
  }

  /** What a picture needs of a scene. */
  async about(scene) {
    return (await this.render({ scene, isAsked: true })).info;
  }

  render(job, onPart) {
    const id = (this.serial += 1);
    return new Promise((done, failed) => {
      this.jobs.set(id, { done, failed, onPart });
      this.worker.postMessage({ ...job, id, progress: Boolean(onPart) });
    });
  }
}
