# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the stubs promise, for mypy; it is also a program that runs."""

import numpy as np
from numpy.typing import NDArray

import tocco

scene: tocco.Scene = tocco.Scene("bar", 48_000.0, sets={"hammer/mass_kg": 0.02})
value: float = scene.set("hammer/mass_kg", 0.01, at_s=0.1)
sound: NDArray[np.float32] = scene.render(0.1)
both: tuple[NDArray[np.float32], dict[str, NDArray[np.float64]]] = scene.render(0.1, probes=["energy"])
rows: NDArray[np.float64] = scene.modes()["bar"]
with tocco.Scene("marimba") as other:
    ticks: int = other.tick
try:
    tocco.Scene("nothing of the kind")
except tocco.Error as error:
    text: str = str(error)
