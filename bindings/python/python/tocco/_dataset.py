# SPDX-License-Identifier: MIT OR Apache-2.0
"""Data sets in shards: made by the program's own code, read with the standard library and numpy."""

from __future__ import annotations

import io
import json
import os
import tarfile
from dataclasses import dataclass
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from . import Error, _native


@dataclass(frozen=True)
class Dataset:
    """A set in shards; iterate over it for its sounds."""

    folder: str
    """Where the shards are; ``dataset.json`` tells about them."""
    sounds: int
    shards: int
    found: int
    """Shards that were there already, from a run that was stopped."""

    def __iter__(self) -> Iterator[Example]:
        return read_dataset(self.folder)


class Example(NamedTuple):
    """A sound and the truth about it."""

    name: str
    sound: Any
    """float32, frames by channels, full scale 1."""
    rate_hz: float
    truth: dict[str, Any]
    """Signals by name, float32, a number for each frame."""
    labels: dict[str, Any]
    """Factors of the design, and what follows from them."""
    about: dict[str, Any]
    """Everything in ``NAME.json``: parameters, modes, level, seed."""


def dataset(
    design, folder, *, shard=1000, truth=(), jobs=None, client=None, progress: Callable[[int, int], Any] | None = None
) -> Dataset:
    """The sounds of a design in tar files that WebDataset reads, with the truth about each: labels, parameters and modes, and signals
    by the sample, ``truth`` or the force of every contact and the energy. The files are those of ``tocco dataset``. With a
    ``dask.distributed`` ``client`` the sounds are made by a cluster, as by ``sweep``; the truth and the shards by this machine.

    ``progress(done, total)`` is called twice for every sound, when it has been made and when it is in its shard; what it raises, or
    Ctrl-C, ends the work, which goes on from there when it is called again.
    """
    if shard < 1:
        raise Error(f"shard = {shard}: give sounds of a shard, 1 or more")
    truth = [truth] if isinstance(truth, str) else list(truth)
    design, folder = os.fspath(design), os.fspath(folder)
    if client is not None:
        from . import _cluster

        _native.dataset_check(design, truth)
        sounds, tell = os.path.join(folder, ".sounds"), progress
        os.makedirs(sounds, exist_ok=True)
        _cluster.render(client, (design, [], None), sounds, tell and (lambda done, total: tell(done, 2 * total)))
        # The sounds are all found there, which need not be told again.
        progress = tell and (lambda done, total: tell(done, total) if 2 * done > total else None)
    return Dataset(folder, *_native.dataset(design, folder, shard, truth, jobs, progress))


def read_dataset(folder) -> Iterator[Example]:
    """The sounds of a data set, in order."""
    with open(os.path.join(folder, "dataset.json"), encoding="utf-8") as file:
        facts = json.load(file)
    names = [signal["name"] for signal in facts["truth"]]
    for part in facts["shards"]:
        with tarfile.open(os.path.join(folder, part["file"])) as tar:
            members: dict[str, bytes] = {}
            for member in tar:
                name, _, kind = member.name.partition(".")
                content = tar.extractfile(member)
                assert content is not None
                members[kind] = content.read()
                if len(members) < 3:
                    continue
                about = json.loads(members["json"])
                rows = np.load(io.BytesIO(members["truth.npy"]))
                truth = {signal: rows[:, at] for at, signal in enumerate(names)}
                labels = {**about["factors"], **about["derived"]}
                yield Example(name, samples(members["wav"]), about["rate_hz"], truth, labels, about)
                members = {}


def samples(wav: bytes):
    """Samples of a WAV file of 16 or 24 bits or floats, as float32."""
    at, bits, code, channels = 12, 0, 0, 1
    while at + 8 <= len(wav):
        chunk, size = wav[at : at + 4], int.from_bytes(wav[at + 4 : at + 8], "little")
        body = wav[at + 8 : at + 8 + size]
        if chunk == b"fmt ":
            code, channels = (int.from_bytes(body[i : i + 2], "little") for i in (0, 2))
            bits = int.from_bytes(body[14:16], "little")
            code = int.from_bytes(body[24:26], "little") if code == 0xFFFE else code
        elif chunk == b"data":
            if code == 3:
                flat = np.frombuffer(body, "<f4").copy()
            elif bits == 16:
                flat = np.frombuffer(body, "<i2").astype(np.float32) / 2**15
            else:
                padded = np.zeros((len(body) // 3, 4), np.uint8)
                padded[:, 1:] = np.frombuffer(body, np.uint8).reshape(-1, 3)
                flat = (padded.view("<i4")[:, 0] / 2.0**31).astype(np.float32)
            return flat.reshape(-1, channels)
        at += 8 + size + size % 2
    raise Error("a WAV file without samples")
