// SPDX-License-Identifier: MIT OR Apache-2.0
// The way to the program that serves this page, if it is one: OSC that reaches it is played here, and what is played
// here can be sent on. A plain web server has no bridge, and the list of scenes it serves says so.

export class Bridge {
  constructor(engine, say) {
    const send = engine.send.bind(engine);
    const socket = new WebSocket(`ws://${location.host}/bridge`);
    socket.onopen = () => {
      say("joined to the program: OSC reaches this page");
      this.socket = socket;
    };
    socket.onmessage = ({ data }) => {
      const command = JSON.parse(data);
      if ("set" in command || "strike" in command || "hit" in command) send(command); // not back to where it came from
    };
    socket.onclose = () => (this.socket = null);
    engine.send = (command) => {
      send(command);
      if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(command));
    };
  }
}
