// SPDX-License-Identifier: MIT OR Apache-2.0
// The page without its server: every file of one version is kept, and given where the server has gone or does not know us any more.
importScripts("files.js"); // TOCCO: version and files, by the program that wrote or serves them
const CACHE = `tocco-${TOCCO.version}`;

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(CACHE);
  await cache.addAll(TOCCO.files.map((file) => new Request(file, { cache: "reload" })));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("tocco-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith((async () => {
    const answer = await fetch(request).catch(() => null);
    if (answer?.ok) return answer;
    const isFront = request.url.split(/[?#]/)[0] === registration.scope;
    const kept = await (await caches.open(CACHE)).match(isFront ? "index.html" : request, { ignoreSearch: true });
    return kept ?? answer ?? Response.error();
  })());
});
