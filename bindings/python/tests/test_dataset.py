# SPDX-License-Identifier: MIT OR Apache-2.0
"""Data sets in shards, read by programs that nobody here wrote: tarfile, numpy, wave."""

import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest
import wave

import numpy
import tocco

try:
    import webdataset
except ImportError:
    webdataset = None

PROGRAM = os.environ.get("TOCCO_PROGRAM", "")
DESIGN = """
title = "Blows of three speeds and two masses"
scene = "bar"
duration_s = 0.3
seed = 1
bits = 16
[[factor]]
name = "speed_m_s"
list = [0.5, 1.0, 2.0]
[[factor]]
name = "mass_kg"
list = [0.01, 0.03]
[set]
"event[0].velocity_m_s" = "speed_m_s"
"body.hammer.mass_kg" = "mass_kg"
"hammer/vary_01" = "0"
[level]
lufs = -30.0
"""


class Datasets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.design = os.path.join(self.folder.name, "blows.toml")
        pathlib.Path(self.design).write_text(DESIGN, encoding="utf-8")

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_shard_holds_the_sounds_of_the_sweep_and_forces_that_bring_the_momentum_of_the_blow(self):
        made = tocco.dataset(self.design, self.at("set"), shard=4, truth=["hit.force", "hammer.velocity", "energy"])
        self.assertEqual((made.sounds, made.shards, made.found), (6, 2, 0))
        tocco.sweep(self.design, self.at("sweep"))
        seen = []
        for shard in ("blows-000000.tar", "blows-000001.tar"):
            with tarfile.open(os.path.join(self.at("set"), shard)) as tar:
                names = tar.getnames()
                content = {name: tar.extractfile(name).read() for name in names}
            for name in sorted({name.partition(".")[0] for name in names}):
                seen.append(name)
                wav = content[name + ".wav"]
                self.assertEqual(wav, pathlib.Path(self.at("sweep"), name + ".wav").read_bytes())
                about = json.loads(content[name + ".json"])
                truth = numpy.load(io.BytesIO(content[name + ".truth.npy"]))
                with wave.open(io.BytesIO(wav)) as sound:
                    self.assertEqual((sound.getnframes(), 3), truth.shape)
                # The force over time is what the hammer's momentum changed by.
                impulse = truth[:, 0].sum(dtype=float) / about["rate_hz"]
                speeds = truth[:, 1].astype(float)
                moved = about["factors"]["mass_kg"] * (about["factors"]["speed_m_s"] - speeds[-1])
                self.assertLess(abs(impulse / moved - 1), 0.01, f"{name}: {impulse} N s, {moved} kg m/s")
                self.assertTrue("bar" in about["modes"] and (truth[:, 2] >= 0).all())
        self.assertEqual(seen, [f"blows-{n:03}" for n in range(1, 7)])
        facts = json.loads(pathlib.Path(self.at("set"), "dataset.json").read_text(encoding="utf-8"))
        self.assertEqual([signal["unit"] for signal in facts["truth"]], ["N", "m/s", "J"])
        examples = list(made)
        self.assertEqual(([one.name for one in examples], len(examples[0].labels)), (seen, 2))
        self.assertEqual(examples[0].sound.shape[0], len(examples[0].truth["hit.force"]))
        self.assertGreater(abs(examples[0].sound).max(), 0.001)

    def test_shards_are_the_same_bytes_for_any_number_of_threads_and_whole_ones_stay(self):
        tocco.dataset(self.design, self.at("one"), shard=2, jobs=1)
        tocco.dataset(self.design, self.at("two"), shard=2, jobs=2)
        read = lambda folder: {p.name: p.read_bytes() for p in pathlib.Path(self.at(folder)).iterdir() if not p.name.startswith(".")}
        self.assertEqual(read("one"), read("two"))
        pathlib.Path(self.at("two"), "blows-000001.tar").write_bytes(b"broken")
        made = tocco.dataset(self.design, self.at("two"), shard=2)
        self.assertEqual((made.shards, made.found), (3, 2))
        self.assertEqual(read("one"), read("two"))

    def test_how_far_it_is_is_told_and_whoever_is_told_may_stop_it(self):
        told = []
        tocco.dataset(self.design, self.at("whole"), shard=2, jobs=1, progress=lambda *at: told.append(at))
        self.assertEqual(told, [(n, 12) for n in range(1, 13)])
        read = lambda folder: {p.name: p.read_bytes() for p in pathlib.Path(self.at(folder)).iterdir() if not p.name.startswith(".")}

        def stop(done, total):
            if done == last:
                raise InterruptedError

        # While sounds are made, and while they go into the second of three shards.
        for last, found in ((3, 0), (9, 1)):
            folder = f"stopped-{last}"
            with self.assertRaises(InterruptedError):
                tocco.dataset(self.design, self.at(folder), shard=2, jobs=1, progress=stop)
            self.assertFalse(os.path.exists(os.path.join(self.at(folder), "dataset.json")))
            made = tocco.dataset(self.design, self.at(folder), shard=2)
            self.assertEqual((made.found, read(folder) == read("whole")), (found, True))

    @unittest.skipUnless(os.path.isfile(PROGRAM), "TOCCO_PROGRAM does not say where the program is")
    def test_the_program_makes_the_same_bytes(self):
        tocco.dataset(self.design, self.at("here"), shard=4, truth=["hit.force", "energy"])
        words = ["dataset", self.design, "--shard", "4", "--truth", "hit.force", "--truth", "energy", "-o", self.at("there")]
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = lambda folder: {p.name: p.read_bytes() for p in pathlib.Path(self.at(folder)).iterdir() if not p.name.startswith(".")}
        here, there = read("here"), read("there")
        self.assertEqual(sorted(here), ["blows-000000.tar", "blows-000001.tar", "dataset.json", "manifest.tsv"])
        self.assertEqual([name for name in here if here[name] != there.get(name)], [])

    @unittest.skipUnless(os.path.isfile(PROGRAM), "TOCCO_PROGRAM does not say where the program is")
    def test_the_program_sweeps_the_same_files(self):
        grid = {"hit/stiffness": [1e6, 1e8], "hammer/mass_kg": [0.01, 0.05]}
        over = [f"--over={path}=list({','.join(map(str, values))})" for path, values in grid.items()]
        for design, how, words in [(self.design, {}, []), ("bar", {"over": grid, "seconds": 0.2}, [*over, "--duration", "0.2"])]:
            here, there = self.at(f"here-{len(words)}"), self.at(f"there-{len(words)}")
            made = tocco.sweep(design, here, **how)
            done = subprocess.run([PROGRAM, "sweep", design, *words, "-o", there], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            read = lambda folder: {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir() if not p.name.startswith(".")}
            self.assertEqual(read(here), read(there))
            self.assertEqual(sum(name.endswith(".wav") for name in read(here)), made.files)

    @unittest.skipIf(webdataset is None, "webdataset is not installed")
    def test_webdataset_itself_reads_the_shards_as_the_page_says(self):
        made = tocco.dataset(self.design, self.at("set"), shard=4)
        shards = os.path.join(self.at("set"), "blows-{000000..000001}.tar")
        read = list(webdataset.WebDataset(shards, shardshuffle=False).decode())
        self.assertEqual([one["__key__"] for one in read], [f"blows-{n:03}" for n in range(1, 7)])
        for theirs, ours in zip(read, made):
            self.assertEqual(theirs["json"], ours.about)
            truth = numpy.stack(list(ours.truth.values()), axis=1)
            self.assertTrue(numpy.array_equal(theirs["truth.npy"], truth) and truth.any())
            with wave.open(io.BytesIO(theirs["wav"])) as sound:
                self.assertEqual((sound.getframerate(), sound.getnframes()), (ours.rate_hz, len(ours.sound)))

    def test_what_is_wrong_is_said(self):
        for act, words in [
            (lambda: tocco.dataset("bar", self.at("x")), "is no design"),
            (lambda: tocco.dataset(self.design, self.at("x"), shard=0), "1 or more"),
            (lambda: tocco.dataset(self.design, self.at("x"), truth="hit.fource"), "did you mean 'hit.force'"),
        ]:
            with self.assertRaisesRegex(tocco.Error, words):
                act()


if __name__ == "__main__":
    unittest.main()
