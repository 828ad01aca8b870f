# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tocco: the sound of things touching, for Python.

>>> import tocco
>>> bar = tocco.Scene("bar")
>>> sound = bar.render(0.5)
>>> sound.shape, sound.dtype
((24000, 1), dtype('float32'))

What is wrong is said in the words of the program:

>>> tocco.Scene("barr")
Traceback (most recent call last):
tocco.Error: no file and no shipped scene 'barr'; did you mean 'bar'?
"""

from __future__ import annotations

import json as _json
import os as _os
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

import numpy as _np

from . import _native
from ._native import Error, __version__, designs, scenes
from ._dataset import Dataset, Example, dataset, read_dataset

__all__ = [
    "Analysis", "Dataset", "Error", "Example", "Scene", "Sweep", "analyse", "dataset", "designs", "materials", "read_dataset",
    "scenes", "sweep", "__version__",
]


class Scene(_native.Scene):
    """A scene that renders into arrays: from text, from a file, or by the name of one that comes with tocco.

    Time goes on from one ``render`` to the next. Gestures take effect at the start of the next one, or at ``at_s``, seconds
    since the scene began, to the sample. A scene may be used by several threads; rendering lets the interpreter go.

    >>> scene = Scene('''
    ... body.hammer = { type = "mass", mass_kg = 0.01, position_m = -1.0 }
    ... body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }
    ... contact.hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e8 }
    ... tap = [{ of = "bar" }]
    ... ''')
    >>> scene.strike("hammer", 1.0, at_s=0.01)
    1.0
    >>> sound, force = scene.render(0.1, probes=["hit.force"])
    >>> int((sound[:, 0] != 0).argmax()), bool(force["hit.force"].max() > 100)
    (480, True)
    >>> scene.set("hit/stifness", 1e7)
    Traceback (most recent call last):
    tocco.Error: no parameter 'hit/stifness'; did you mean 'hit/stiffness'?

    With ``notes=True`` it has the voices of its ``[midi]`` table, and keys play it:

    >>> piano = Scene("marimba", notes=True)
    >>> piano.note_on(60, 0.8, at_s=0.1)
    60
    >>> int((piano.render(0.2) != 0).any(axis=1).argmax())
    4800
    """

    def __new__(cls, source, rate_hz=None, *, folder=None, sets=None, notes=False):
        source = _os.fspath(source)
        folder = None if folder is None else _os.fspath(folder)
        return super().__new__(cls, source, rate_hz, folder=folder, sets=None if sets is None else dict(sets), notes=notes)

    def render(self, seconds, inputs=None, probes=None):
        """The next so many seconds: a float32 array, frames by channels.

        ``inputs`` is sound that comes in, float32, frames or frames by channels; what is missing is silence, what is too much an error. With ``probes``, names
        of signals (``signals()``), also a dict of float64 arrays, a number for each frame.
        """
        if inputs is not None:
            inputs = _np.asarray(inputs)
            if inputs.dtype != _np.float32:
                raise Error(f"inputs are {inputs.dtype}; give float32, full scale 1")
        if probes is None:
            return super().render(seconds, inputs)
        probes = [probes] if isinstance(probes, str) else list(probes)
        sound, rows = super().render_probed(seconds, probes, inputs)
        return sound, {name: rows[:, index] for index, name in enumerate(probes)}

    def gesture(self, gesture, at_s=None):
        """A gesture in the form of takes: ``{"strike": "hammer", "velocity_m_s": 1.0}``."""
        line = gesture if isinstance(gesture, str) else _json.dumps(gesture)
        return self.gesture_json(line, at_s)

    def describe(self) -> dict[str, Any]:
        """The scene as data: bodies, contacts, paths with unit, range and value, controls, signals, outputs.

        >>> [path["unit"] for path in Scene("bar").describe()["paths"] if path["path"] == "hammer/mass_kg"]
        ['kg']
        """
        return _json.loads(self.describe_json())

    def paths(self) -> dict[str, dict[str, Any]]:
        """Everything that can be set, by path: unit, min, max, value, one sentence."""
        return {row.pop("path"): row for row in self.describe()["paths"]}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_html_(self) -> str:
        text = self.text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<b>{self!r}</b>".replace("<tocco", "&lt;tocco") + f"<pre>{text}</pre>"

    def audio(self, seconds):
        """The next so many seconds as something to hear in a notebook (needs IPython)."""
        from IPython.display import Audio

        return Audio(self.render(seconds).T, rate=self.rate_hz)

    def plot(self, seconds, probes=None, axes=None):
        """Draws the next so many seconds, or signals by name (needs matplotlib); returns the axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            _, axes = plt.subplots()
        began = self.tick / self.rate_hz
        lines = self.render(seconds, probes=probes)
        lines = {self.name: lines} if probes is None else lines[1]
        for name, values in lines.items():
            axes.plot(began + (_np.arange(len(values)) + 1) / self.rate_hz, values, label=name)
        axes.set_xlabel("time, s")
        axes.legend()
        return axes


def materials() -> dict[str, dict[str, Any]]:
    """The table of materials, by the word in scene files, in SI units.

    >>> materials()["steel"]["density_kg_m3"] > 7000
    True
    """
    return _json.loads(_native.materials_json())


class Analysis(NamedTuple):
    """What strikes show of an object."""

    freq_hz: Any
    """Undamped frequency of every mode, lowest first."""
    decay_s: Any
    """Time to 1/e of each."""
    weights: Any
    """Signed amplitude of each mode in each strike."""
    residual_db: Any
    """Energy that the modes do not explain, of each strike."""
    filling: int
    """So many of the modes fill in for what is not modal."""
    scene: str
    """Text of a scene with the body, to be struck: ``Scene(analysis.scene)``."""


def analyse(
    recordings, rate_hz, *, name="body", mass_kg=0.05, modes=140, min_hz=25.0, max_hz=20_000.0, range_db=80.0, strikes=1
) -> Analysis:
    """A body from recordings of strikes of one object: one array, or a sequence of them, full scale 1.

    >>> t = numpy.arange(48000) / 48000
    >>> ring = numpy.exp(-t / 0.3) * numpy.sin(2 * numpy.pi * 440 * t)
    >>> found = analyse(numpy.concatenate([numpy.zeros(4800), ring]), 48000)
    >>> bool(abs(found.freq_hz[numpy.abs(found.weights[:, 0]).argmax()] - 440) < 0.5)
    True
    """
    if isinstance(recordings, _np.ndarray):
        # Frames by channels, or one recording in a row? Who has several gives a list.
        if recordings.ndim != 1:
            raise Error(f"an array of {recordings.ndim} dimensions; give one channel, or a list of arrays")
        recordings = [recordings]
    arrays = [_np.ascontiguousarray(recording, dtype=_np.float64) for recording in recordings]
    for array in arrays:
        if array.ndim != 1:
            raise Error(f"a recording has {array.ndim} dimensions; give one channel")
    found = _json.loads(
        _native.analyse_json(arrays, rate_hz, name, mass_kg, modes, min_hz, max_hz, range_db, strikes)
    )
    rows = found["modes"]
    return Analysis(
        _np.array([row["freq_hz"] for row in rows]),
        _np.array([row["decay_s"] for row in rows]),
        _np.array([row["weights"] for row in rows]).reshape(len(rows), -1),
        _np.array(found["residual_db"]),
        found["filling"],
        found["scene"],
    )


class Sweep(NamedTuple):
    """What a sweep has made."""

    folder: str
    """Where the files are; ``manifest.tsv`` lists them."""
    files: int
    """Files in the manifest."""
    found: int
    """Of these, files that were there already, from a run that was stopped."""

    def manifest(self) -> list[dict[str, str]]:
        """The rows of the manifest, by column."""
        with open(_os.path.join(self.folder, "manifest.tsv"), encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        return [dict(zip(lines[0], row)) for row in lines[1:]]


def sweep(
    design,
    folder,
    *,
    over: Mapping[str, Iterable[float]] | None = None,
    seconds=None,
    jobs=None,
    client=None,
    progress: Callable[[int, int], Any] | None = None,
) -> Sweep:
    """Many sounds: of a design, by file or by name, or of a scene over a grid of values.

    The files, the manifest and every bit are those of ``tocco sweep``; a run that was stopped goes on where it was. All
    cores of this machine work, or, with a ``dask.distributed`` ``client``, those of a cluster: workers need tocco of the same
    version, and to read the files that are named here under the same path (names of shipped scenes and designs need none);
    those that see the folder write there themselves. What a worker that died was at is done again. ``progress(done, total)`` is called as sounds are made, or arrive from a cluster; what
    it raises ends the sweep, which goes on from there when it is called again.
    """
    axes = [f"{path}=list({','.join(repr(float(value)) for value in values)})" for path, values in (over or {}).items()]
    design, folder = _os.fspath(design), _os.fspath(folder)
    found = 0
    if client is not None:
        from ._cluster import render

        found = render(client, (design, axes, seconds), folder, progress)
    files, there = _native.sweep(design, folder, axes, seconds, jobs, progress if client is None else None)
    return Sweep(folder, files, there if client is None else found)
