# SPDX-License-Identifier: MIT OR Apache-2.0
"""A sweep on a dask cluster: workers make shares of the sounds in folders of their own, this machine puts them together.

Files and journal are those that a sweep in place would have made, and it is run over them in the end: what is missing or
broken is made then.
"""

from __future__ import annotations

import os
import tempfile

from . import Error, __version__, _native

# Sounds of a share: enough that sending it costs little, few enough that nobody waits for the last one.
SHARES_A_WORKER, MOST_IN_A_SHARE = 8, 250
JOURNALS = (".journal.tsv", ".levels.tsv")


def share(job, only, lowered_db, version):
    """On a worker: names and bytes of what was made, journals first."""
    if version != __version__:
        raise Error(f"this worker has tocco {__version__}, and the sweep was begun by {version}; install the same")
    design, axes, seconds = job
    with tempfile.TemporaryDirectory(prefix="tocco-") as folder:
        _native.sweep_share(design, folder, axes, seconds, only, lowered_db)
        made = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                made.append((name, file.read()))
    return len(only), made


def keep(folder, made):
    """Puts a share into the folder: a sound, then what vouches for it."""
    later = [part for part in made if part[0] in JOURNALS or part[0].endswith(".json")]
    for name, _ in later:
        if name not in JOURNALS and os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    for name, content in [part for part in made if part not in later] + later:
        path = os.path.join(folder, name)
        if name in JOURNALS:
            with open(path, "ab") as file:
                file.write(content)
            continue
        part = os.path.join(folder, f".tocco-{os.getpid()}-0.part")
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)


def render(client, job, folder, progress):
    """Makes what is missing on the cluster; how many sounds were there."""
    from distributed import as_completed

    design, axes, seconds = job
    job = (os.path.abspath(design) if os.path.exists(design) else design, axes, seconds)
    found = None
    # A second round where sounds that arrived late lower all the others.
    for _ in range(3):
        total, missing, lowered_db = _native.sweep_left(design, folder, axes, seconds)
        if found is None:
            found = total - len(missing)
        if not missing:
            break
        workers = max(1, len(client.scheduler_info()["workers"]))
        size = min(MOST_IN_A_SHARE, max(1, -(-len(missing) // (SHARES_A_WORKER * workers))))
        shares = [missing[at : at + size] for at in range(0, len(missing), size)]
        # The same share twice is the same sounds, but a second sweep must not find the answers of the first.
        futures = [client.submit(share, job, only, lowered_db, __version__, pure=False) for only in shares]
        done = total - len(missing)
        arriving = as_completed(futures, with_results=True)
        try:
            for future, (count, made) in arriving:
                keep(folder, made)
                future.release()
                done += count
                if progress is not None:
                    progress(done, total)
        finally:
            client.cancel(futures)
    return found
