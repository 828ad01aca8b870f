// SPDX-License-Identifier: MIT OR Apache-2.0
// How the page was opened: no module of it runs from a disk or, where there is no secure context, sounds. A plain script, which runs everywhere.
(() => {
  const say = (words) => addEventListener("DOMContentLoaded", () => {
    const [problem, title] = ["problem", "title"].map((id) => document.getElementById(id));
    if (problem.textContent && !problem.hidden) return; // the page has said it better
    problem.textContent = words;
    problem.hidden = false;
    if (title) title.textContent = "not started";
  });
  if (location.protocol === "file:") {
    say("Browsers run no program like this one from a disk: it must come from a web server, and any will do. In this folder type “python3 -m http.server 8733” and open http://localhost:8733/, or type “tocco studio”.");
  } else if (!isSecureContext) {
    say("Browsers let a page make sound like this only if it comes by HTTPS, or from this very machine (http://localhost). Open it by https://, or let “tocco studio --host” serve it.");
  } else if ("serviceWorker" in navigator) {
    // Kept for when the server is away, once there is nothing more urgent. A certificate that is not trusted forbids it; the page plays all the same.
    addEventListener("load", () => setTimeout(() => navigator.serviceWorker.register("service.js").catch(() => {}), 2000));
  }
})();
