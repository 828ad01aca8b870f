// SPDX-License-Identifier: MIT OR Apache-2.0
// The way to the program that serves this page, if it is one: OSC that reaches it is played here, and what is played
// here can be sent on. A plain web server has no bridge, and the list of scenes it serves says so.

const AGAIN_MS = 2000;

export class Bridge {
  /** `heard(gesture)` is told what came from outside. */
  constructor(engine, say, heard) {
    Object.assign(this, { engine, say, heard });
    engine.told = (gesture) => {
      // What fits into no packet (a scene's text) is nobody's to hear, and the server lets go who sends more.
      const line = JSON.stringify(gesture);
      if (this.socket?.readyState === 1 && line.length < 60_000) this.socket.send(line);
    };
    this.join();
  }

  join() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/bridge`);
    socket.onopen = () => {
      this.say("joined to the program: OSC reaches this page");
      this.socket = socket;
    };
    socket.onmessage = ({ data }) => {
      const gesture = JSON.parse(data);
      if (!["set", "jump", "strike", "hit", "touch", "join", "trigger", "hush"].some((word) => word in gesture)) return;
      this.engine.play(gesture); // not back to where it came from
      this.heard(gesture);
    };
    // The program may have been started anew.
    socket.onclose = () => {
      if (this.socket) this.say("the program has gone; what you play stays here");
      this.socket = null;
      setTimeout(() => this.join(), AGAIN_MS);
    };
  }
}
