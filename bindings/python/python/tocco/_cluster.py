# SPDX-License-Identifier: MIT OR Apache-2.0
"""A sweep on a dask cluster: workers make shares of the sounds. Who sees the folder puts them there, others send them to this machine.

What vouches for them, the journal, is written by this machine alone. Files and journal are those that a sweep in place would have
made, and it is run over them in the end: what is missing or broken is made then.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time

import numpy as np

from . import Error, __version__, _native

# Sounds of a share: enough that sending it costs little, few enough that nobody waits for the last one.
SHARES_A_THREAD, MOST_IN_A_SHARE = 8, 250
# Where workers make their shares, in the folder of the sweep. One that nobody has touched for an hour is of a sweep that was killed.
WORKSHOP, HOUR_S = ".tocco-cluster-", 3600.0
# How often an answer is asked for before the sweep ends.
TRIES = 4


def share(job, only, lowered_db, version, workshop):
    """On a worker: names and sizes of what is handed over, and its bytes as one array, which is sent without a copy."""
    if version != __version__:
        raise Error(f"this worker has tocco {__version__}, and the sweep was begun by {version}; install the same")
    design, axes, seconds = job
    here = sees(workshop)
    with tempfile.TemporaryDirectory(prefix="share-" if here else "tocco-", dir=workshop if here else None) as made:
        _native.sweep_share(design, made, axes, seconds, only, lowered_db)
        if here:
            move(made, os.path.dirname(workshop))
        names, contents = sorted(os.listdir(made)), []
        for name in names:
            with open(os.path.join(made, name), "rb") as file:
                contents.append(file.read())
    return len(only), names, [len(content) for content in contents], np.frombuffer(b"".join(contents), np.uint8)


def sees(workshop):
    """True on a worker that has the folder of the sweep under the same path, and may write there."""
    return os.access(workshop, os.W_OK)


def move(made, folder):
    """Sounds into the folder, then what is said of them; journals stay. What another has made of the same share has the same bits."""
    names = [name for name in os.listdir(made) if not name.startswith(".")]
    said = [name for name in names if name.endswith(".json")]
    for name in said:
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(folder, name))
    for name in [name for name in names if not name.endswith(".json")] + said:
        os.replace(os.path.join(made, name), os.path.join(folder, name))


def sweep_out(folder):
    """Removes what killed sweeps have left."""
    for entry in os.scandir(folder):
        if entry.name.startswith(WORKSHOP) and time.time() - entry.stat().st_mtime > HOUR_S:
            shutil.rmtree(entry.path, ignore_errors=True)


def fetch(future):
    """What a worker answered, asked for again where only the way to here failed. (as_completed(with_results=True) would wait for ever:
    it forgets a share whose answer broke off.)"""
    for tries_left in reversed(range(TRIES)):
        try:
            return future.result()
        except Exception as broken:
            if future.status not in ("finished", "pending"):
                raise
            if not tries_left:
                raise Error(
                    f"an answer of the cluster does not arrive ({broken!r}); what was made stays, and the next sweep goes on"
                ) from broken


def render(client, job, folder, progress):
    """Makes what is missing on the cluster; how many sounds were there."""
    from distributed import KilledWorker, as_completed

    design, axes, seconds = job
    job = (os.path.abspath(design) if os.path.isfile(design) else design, axes, seconds)
    found = None
    # A second round where sounds that arrived late lower all the others.
    for _ in range(3):
        total, missing, lowered_db = _native.sweep_left(design, folder, axes, seconds)
        if found is None:
            found = total - len(missing)
        if not missing:
            break
        # Every thread takes a share at a time. (What the scheduler says of its workers names five of them at most in some versions.)
        threads = max(1, sum(client.nthreads().values()))
        size = min(MOST_IN_A_SHARE, max(1, -(-len(missing) // (SHARES_A_THREAD * threads))))
        shares = [missing[at : at + size] for at in range(0, len(missing), size)]
        sweep_out(folder)
        workshop = tempfile.mkdtemp(prefix=WORKSHOP, dir=os.path.abspath(folder))
        # The same share twice is the same sounds, but a second sweep must not find the answers of the first.
        futures = [client.submit(share, job, only, lowered_db, __version__, workshop, pure=False) for only in shares]
        done = total - len(missing)
        try:
            for future in as_completed(futures):
                count, names, sizes, content = fetch(future)
                _native.sweep_keep(folder, names, sizes, content)
                future.release()
                done += count
                if progress is not None:
                    progress(done, total)
        except KilledWorker as died:
            raise Error(
                "a worker of the cluster died again and again over one share; has it the memory? What was made stays, and the next sweep goes on"
            ) from died
        finally:
            client.cancel(futures)
            shutil.rmtree(workshop, ignore_errors=True)
        if axes:  # on a grid no sound changes another
            break
    return found
