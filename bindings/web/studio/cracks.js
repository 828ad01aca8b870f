// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker that grows the crack lines of a sheet of ice from the fractures that were heard.
import { instantiateNow } from "./abi.js";

let cracks;

onmessage = ({ data }) => {
  if (data.module) {
    const abi = instantiateNow(data.module);
    try {
      cracks = abi.cracks(data.scene, data.process);
    } catch (error) {
      postMessage({ problem: error.message });
    }
  } else if (cracks) {
    for (let i = 0; i < data.fractures.length; i += 3) cracks.fracture(...data.fractures.slice(i, i + 3));
    const pieces = cracks.grown();
    postMessage({ pieces }, [pieces.buffer]);
  }
};
