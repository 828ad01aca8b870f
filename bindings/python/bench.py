# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the Python binding costs, as ratios within one run: ./run bench python. Prints reached or missed, exits 1 on a miss."""

import os
import statistics
import sys
import tempfile
import threading
import time

import tocco

missed = False


def figure(what, value, unit, bound, least=False):
    global missed
    reached = value >= bound if least else value <= bound
    missed |= not reached
    sign = "at least" if least else "at most"
    print(f"{what:58} {value:8.2f} {unit:3} {sign} {bound:g} {unit:3} {'reached' if reached else 'MISSED'}", flush=True)


def timed(act):
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def main():
    # A call: the middle of many rounds, as the machine has other things to do.
    scene = tocco.Scene("bar")
    calls = 20_000
    for what, call in [
        ("value of a path", lambda: [scene.value("hammer/mass_kg") for _ in range(calls)]),
        ("set of a path", lambda: [scene.set("hammer/mass_kg", 0.02) for _ in range(calls)]),
        ("strike", lambda: [scene.strike("hammer", 1.0) for _ in range(calls)]),
    ]:
        rounds = []
        for _ in range(9):
            rounds.append(timed(call) / calls)
            scene.hush()  # what waits is forgotten: the next round begins as the first did
        figure(f"a call ({what})", 1e6 * statistics.median(rounds), "us", 2.0)


    # Two threads with a scene each, against one after the other.
    def render():
        tocco.Scene("marimba").render(6.0)


    def both():
        threads = [threading.Thread(target=render) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]


    render()
    gains = [timed(lambda: (render(), render())) / timed(both) for _ in range(7)]
    figure("two threads against one (best of seven)", max(gains), "x", 1.7, least=True)

    # 10 000 short sounds on a dask cluster of one worker and of two, start-up apart.
    try:
        import distributed
    except ImportError:
        print("dask: not tried, as distributed is missing")
        return

    GRID = {"hit/stiffness": [1e6 * 1.07**n for n in range(100)], "hammer/mass_kg": [0.005 + 0.0004 * n for n in range(100)]}


    # In memory where it can be had: a disk takes two to four times as long as the sounds, and another time in every run.
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def sweep(client, grid=GRID):
        with tempfile.TemporaryDirectory(dir=where) as folder:
            tocco.sweep("single-mode", folder, over=grid, seconds=0.1, client=client)


    clusters = [distributed.LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0") for n in (1, 2)]
    clients = [distributed.Client(cluster) for cluster in clusters]
    for client in clients:
        sweep(client, {"hit/stiffness": [1e6, 2e6, 3e6, 4e6]})
    took = list(zip(*[[timed(lambda: sweep(client)) for client in clients] for _ in range(3)]))
    for client, cluster in zip(clients, clusters):
        client.close()
        cluster.close()
    print(f"  one worker {min(took[0]):.1f} s, two {min(took[1]):.1f} s for 10 000 sounds of 0.1 s")
    figure("dask: two workers against one (best of three)", min(took[0]) / min(took[1]), "x", 1.6, least=True)


if __name__ == "__main__":  # workers of dask import this file
    main()
    sys.exit(missed)
