# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps on a real dask cluster, of processes on this machine."""

import contextlib
import os
import pathlib
import tempfile
import threading
import time
import unittest
import unittest.mock

import tocco
import tocco._cluster

try:
    import dask
    import distributed
except ImportError:
    distributed = None

GRID = {"hit/stiffness": [1e6, 1e7, 1e8], "hammer/mass_kg": [0.01, 0.02, 0.03, 0.05]}
# The loudest of these lowers all the others.
DESIGN = """
title = "Harder and harder"
scene = "bar"
duration_s = 0.4
seed = 1
[[factor]]
name = "stiffness"
log = [1e5, 1e9, 8]
[set]
"hit/stiffness" = "stiffness"
[level]
lufs = -9.0
peak_dbtp = -1.0
over = "lower-all"
"""

SOFT = DESIGN.partition("lufs")[0] + "lufs = -30.0\n"


def files(folder):
    """Name and content of everything but journals, whose lines come as they come."""
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    return {name: pathlib.Path(folder, name).read_bytes() for name in names}


def deadly(dies_in, when, sight):
    """On a worker that has the folder or not: ends its process in the middle of a share, before its sounds are made, after, or with half of
    them handed over; once in all, or always if there is no file to say that it was."""
    from tocco import _cluster, _native

    healthy()
    move = _cluster.move

    def dies():
        try:
            return dies_in is None or os.close(os.open(dies_in, os.O_CREAT | os.O_EXCL)) is None
        except FileExistsError:
            return False

    class Native:
        @staticmethod
        def sweep_share(*job):
            if when == "before" and dies():
                os._exit(1)
            _native.sweep_share(*job)
            if when == "after" and dies():
                os._exit(1)

    def half(made, folder):
        if when == "halfway" and dies():
            names = sorted(name for name in os.listdir(made) if not name.startswith("."))
            for name in names[: len(names) // 2]:
                os.replace(os.path.join(made, name), os.path.join(folder, name))
            os._exit(1)
        move(made, folder)

    _cluster._native, _cluster.move = Native, half
    _cluster.sees = lambda workshop: sight and os.path.isdir(workshop)


def healthy():
    """On a worker: it dies no more."""
    import importlib

    from tocco import _cluster

    importlib.reload(_cluster)


def sees_the_folder(sight):
    """On a worker: as one on a machine that has the folder, or has not."""
    from tocco import _cluster

    _cluster.sees = lambda workshop: sight and os.path.isdir(workshop)


@unittest.skipIf(distributed is None, "dask.distributed is not installed")
class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # On a busy machine a worker that died may take longer than 15 s to be there again: its place would be given up, for good.
        patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
        cls.addClassCleanup(patient.__exit__, None, None, None)
        cls.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def on_workers(self, act, *how):
        """Both workers do it; one that is just dying is waited for until another has its place."""
        for tries_left in reversed(range(100)):
            self.client.wait_for_workers(2)
            try:
                return self.client.run(act, *how)
            except OSError:  # what its connection is closed with
                if not tries_left:
                    raise
                time.sleep(0.1)

    def on_both_kinds_of_clusters(self):
        """Workers that put files into the folder, then workers that have none and send them."""
        for sight in (True, False):
            self.on_workers(sees_the_folder, sight)
            with self.subTest(sight=sight):
                yield
        self.on_workers(sees_the_folder, True)

    def test_a_cluster_makes_the_files_of_a_sweep_in_place_and_goes_on_where_it_was(self):
        for _ in self.on_both_kinds_of_clusters():
            with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
                tocco.sweep("bar", here, over=GRID, seconds=0.1)
                told = []
                made = tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client, progress=lambda *at: told.append(at))
                self.assertEqual((made.files, made.found, told[-1]), (12, 0, (12, 12)))
                self.assertEqual(files(there), files(here))
                self.assertEqual([name for name in os.listdir(there) if name.startswith(".")], [".journal.tsv"])
                # One is lost, one is broken: two are made again.
                os.remove(os.path.join(there, "bar-003.wav"))
                with open(os.path.join(there, "bar-007.wav"), "ab") as file:
                    file.write(b"more")
                made = tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
                self.assertEqual((made.files, made.found), (12, 10))
                self.assertEqual(files(there), files(here))

    def test_every_thread_of_every_worker_gets_its_shares(self):
        for workers, threads in ((6, 1), (1, 2)):
            with self.subTest(workers=workers, threads=threads), contextlib.ExitStack() as at_the_end:
                enter = at_the_end.enter_context
                cluster = enter(
                    distributed.LocalCluster(
                        n_workers=workers, threads_per_worker=threads, processes=False, dashboard_address=":0"
                    )
                )
                client, folder = enter(distributed.Client(cluster)), enter(tempfile.TemporaryDirectory())
                enter(unittest.mock.patch.object(tocco._cluster, "SHARES_A_THREAD", 1))
                told = []
                tocco.sweep("bar", folder, over=GRID, seconds=0.05, client=client, progress=lambda *at: told.append(at))
                self.assertEqual((len(told), told[-1]), (workers * threads, (12, 12)))

    def test_shards_of_sounds_that_a_cluster_made_are_the_same_bytes(self):
        for _ in self.on_both_kinds_of_clusters():
            with tempfile.TemporaryDirectory() as folder:
                design, here, there = (os.path.join(folder, name) for name in ("d.toml", "here", "there"))
                for text in (DESIGN, SOFT):
                    pathlib.Path(design).write_text(text, encoding="utf-8")
                    tocco.dataset(design, here, shard=3)
                    told = []
                    with unittest.mock.patch.object(tocco._cluster, "render", wraps=tocco._cluster.render) as asked:
                        made = tocco.dataset(
                            design, there, shard=3, client=self.client, progress=lambda *at: told.append(at)
                        )
                    self.assertEqual((made.sounds, made.shards, made.found, asked.call_count), (8, 3, 0, 1))
                    self.assertEqual(files(there), files(here))
                # Told once when a sound was made, and once when it was in its shard.
                self.assertEqual(told, sorted(set(told)))
                self.assertEqual([at for at in told if at[0] >= 8], [(n, 16) for n in range(8, 17)])
                # What is wrong is said before the cluster has anything to do.
                with unittest.mock.patch.object(tocco._cluster, "render", side_effect=AssertionError("asked")):
                    for words, how in [("did you mean 'hit.force'", {"truth": "hit.fource"}), ("is no design", {"design": "bar"})]:
                        with self.assertRaisesRegex(tocco.Error, words):
                            tocco.dataset(**{"design": design, "folder": there, "client": self.client, **how})

    def test_a_design_whose_loudest_sound_lowers_all_is_the_same_set(self):
        for _ in self.on_both_kinds_of_clusters():
            with tempfile.TemporaryDirectory() as folder:
                design, here, there = (os.path.join(folder, name) for name in ("d.toml", "here", "there"))
                with open(design, "w", encoding="utf-8") as file:
                    file.write(DESIGN)
                tocco.sweep(design, here)
                rows = tocco.sweep(design, there, client=self.client).manifest()
                self.assertGreater(float(rows[0]["lowered_db"]), 0.0)
                self.assertEqual(files(there), files(here))

    def test_what_a_killed_sweep_has_left_goes_and_what_another_is_at_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            left, busy = (os.path.join(folder, f".tocco-cluster-{name}") for name in ("left", "busy"))
            os.makedirs(os.path.join(left, "share-1"))
            os.mkdir(busy)
            os.utime(left, (0, 0))
            tocco.sweep("bar", folder, over=GRID, seconds=0.05, client=self.client)
            self.assertEqual((os.path.exists(left), os.path.exists(busy)), (False, True))

    def test_a_sweep_that_is_stopped_by_whoever_is_told_goes_on_where_it_was(self):
        def stop(done, total):
            raise InterruptedError

        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            tocco.sweep("bar", here, over=GRID, seconds=0.1)
            with self.assertRaises(InterruptedError):
                tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client, progress=stop)
            made = tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
            self.assertTrue(1 <= made.found < 12)
            self.assertEqual(files(there), files(here))

    def ways_to_die(self):
        """Whether workers have the folder, and when one of them dies; who has none hands nothing over by halves."""
        self.addCleanup(self.on_workers, healthy)
        for sight, whens in ((True, ("before", "after", "halfway")), (False, ("before", "after"))):
            for when in whens:
                with self.subTest(sight=sight, when=when):
                    yield sight, when

    def test_a_worker_that_dies_in_the_middle_loses_nothing_and_nothing_comes_twice(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tocco._cluster, "SHARES_A_THREAD", 1):
            here = os.path.join(folder, "here")
            tocco.sweep("bar", here, over=GRID, seconds=0.1)
            for sight, when in self.ways_to_die():
                died, there = (os.path.join(folder, f"{what}-{when}-{sight}") for what in ("died", "there"))
                self.on_workers(deadly, died, when, sight)
                tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
                self.assertTrue(os.path.exists(died))
                self.assertEqual(files(there), files(here))
                with open(os.path.join(there, ".journal.tsv"), encoding="utf-8") as file:
                    keys = [line.split("\t")[0] for line in file]
                self.assertEqual((len(keys), len(set(keys))), (12, 12))

    def test_shards_are_whole_though_a_worker_dies_while_their_sounds_are_made(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(tocco._cluster, "SHARES_A_THREAD", 1):
            design, here = (os.path.join(folder, name) for name in ("d.toml", "here"))
            pathlib.Path(design).write_text(DESIGN, encoding="utf-8")
            tocco.dataset(design, here, shard=3)
            for sight, when in self.ways_to_die():
                died, there = (os.path.join(folder, f"{what}-{when}-{sight}") for what in ("died", "there"))
                self.on_workers(deadly, died, when, sight)
                made = tocco.dataset(design, there, shard=3, client=self.client)
                self.assertTrue(os.path.exists(died))
                self.assertEqual((made.sounds, made.shards, made.found), (8, 3, 0))
                self.assertEqual(files(there), files(here))

    def breaking(self, times):
        """The way from the cluster to here breaks off so many times."""
        whole, left = distributed.Client._gather_remote, [times]

        async def broken(client, *how):
            answer = await whole(client, *how)
            left[0] -= 1
            assert left[0] < 0
            return answer

        return unittest.mock.patch.object(distributed.Client, "_gather_remote", broken)

    def within(self, seconds, act):
        """What it raised; fails where it has not ended by then."""
        raised = []

        def run():
            try:
                act()
            except Exception as error:
                raised.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds)
        self.assertFalse(thread.is_alive(), f"it waits for an answer that does not come, {seconds} s by now")
        return raised[0] if raised else None

    def test_an_answer_that_breaks_off_is_asked_for_again(self):
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            tocco.sweep("bar", here, over=GRID, seconds=0.1)
            on_cluster = lambda: tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
            with self.breaking(1000):
                self.assertRegex(str(self.within(60, on_cluster)), "does not arrive .*the next sweep goes on")
            with self.breaking(tocco._cluster.TRIES - 1):
                self.assertIsNone(self.within(60, on_cluster))
            self.assertEqual(files(there), files(here))

    def test_workers_that_always_die_are_an_error_in_words_and_what_was_made_stays(self):
        scheduler = self.cluster.scheduler
        patience, scheduler.allowed_failures = scheduler.allowed_failures, 0
        self.addCleanup(setattr, scheduler, "allowed_failures", patience)
        self.addCleanup(self.on_workers, healthy)
        self.on_workers(deadly, None, "after", True)
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            with self.assertRaisesRegex(tocco.Error, "a worker of the cluster died"):
                tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
            self.on_workers(healthy)
            tocco.sweep("bar", here, over=GRID, seconds=0.1)
            tocco.sweep("bar", there, over=GRID, seconds=0.1, client=self.client)
            self.assertEqual(files(there), files(here))

    def test_a_scene_by_name_goes_on_in_a_folder_of_that_name(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            tocco.sweep("bar", "here", over=GRID, seconds=0.05)
            for found in (0, 11):
                made = tocco.sweep("bar", "bar", over=GRID, seconds=0.05, client=self.client)
                self.assertEqual((made.files, made.found), (12, found))
                self.assertEqual(files("bar"), files("here"))
                os.remove(os.path.join("bar", "bar-003.wav"))

    def test_what_is_wrong_is_said_before_any_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            for over, words in [({"hit/stifness": [1.0]}, "did you mean"), ({"hit/stiffness": [-1.0]}, "out of range")]:
                with self.assertRaisesRegex(tocco.Error, words):
                    tocco.sweep("bar", folder, over=over, client=self.client)


if __name__ == "__main__":
    unittest.main()
