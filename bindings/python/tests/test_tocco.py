# SPDX-License-Identifier: MIT OR Apache-2.0
"""The Python binding as its callers see it: python -m unittest discover bindings/python/tests"""

import ast
import doctest
import gc
import inspect
import io
import os
import subprocess
import tempfile
import threading
import time
import unittest
import wave

import numpy
import tocco

PROGRAM = os.environ.get("TOCCO_PROGRAM", "")
BAR = """
body.hammer = { type = "mass", mass_kg = 0.01, position_m = -1.0 }
body.bar = { type = "shape", shape = "bar", length_m = 0.3, width_m = 0.03, thickness_m = 0.005, material = "steel", port = { tip = 0.98, ear = 0.02 } }
contact.hit = { type = "impact", between = ["hammer", "bar.tip"], stiffness = 1e8 }
drive = [{ path = "bar.ear/force_n", input = 0, gain = 0.1 }]
tap = [{ of = "bar.ear" }]
"""

KEYS = """
body.hammer = { type = "mass", mass_kg = 0.01, position_m = -1.0 }
body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.2, mass_kg = 0.05 }] }
contact.hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e8 }
tap = [{ of = "bar" }]
control = [{ name = "hard", path = "hit/stiffness", range = [1e6, 1e9], scale = "log" }, { name = "heavy", path = "hammer/mass_kg", range = [0.005, 0.05], scale = "log" }]
[midi]
notes = "pitch"
strike = "hammer"
retune = "bar"
voices = 2
release_s = 0.02
slide = "hard"
pressure = "heavy"
"""

DESIGN = """
title = "Twenty blows"
scene = "bar"
duration_s = 0.5
seed = 1
[[factor]]
name = "stiffness"
log = [1e6, 1e8, 20]
[set]
"hit/stiffness" = "stiffness"
[level]
lufs = -30.0
"""


class Scenes(unittest.TestCase):
    def test_doctests(self):
        found = doctest.testmod(tocco, extraglobs={"numpy": numpy})
        self.assertGreater(found.attempted, 10)
        self.assertEqual(found.failed, 0)

    def test_a_scene_is_text_a_path_or_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BAR)
            self.assertEqual((tocco.Scene(path).name, tocco.Scene("marimba").name), ("mine", "marimba"))
            self.assertEqual(tocco.Scene(BAR).inputs, 1)
        self.assertIn("violin", tocco.scenes())
        self.assertGreater(len(tocco.designs()), 0)

    def test_however_it_is_cut_the_bits_are_the_same(self):
        def sound(parts):
            scene = tocco.Scene(BAR)
            scene.strike("hammer", 1.0, at_s=0.0123)
            scene.set("hit/stiffness", 1e6, at_s=0.05)
            return numpy.concatenate([scene.render(part) for part in parts])

        whole = sound([0.2])
        self.assertEqual(whole.shape, (9600, 1))
        self.assertTrue(whole.any() and not whole[:590].any())
        self.assertTrue((sound([0.1, 0.05, 0.05]).view(numpy.uint32) == whole.view(numpy.uint32)).all())

    @unittest.skipUnless(os.path.isfile(PROGRAM), "TOCCO_PROGRAM does not say where the program is")
    def test_shipped_scenes_have_the_bits_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bar", "violin", "marimba"):
                file = os.path.join(folder, f"{name}.wav")
                words = ["render", name, "--duration", "1", "--bits", "32f", "-o", file]
                done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(file, "rb") as sound:
                    wanted = tocco._dataset.samples(sound.read())
                self.assertGreater(abs(wanted).max(), 1e-3)
                self.assertEqual(tocco.Scene(name).render(1.0).tobytes(), wanted.tobytes(), name)

    def test_a_value_is_the_one_last_set_by_whichever_name(self):
        scene = tocco.Scene("bar")
        declared = scene.value("hit/stiffness")
        self.assertEqual((declared, scene.value("/hit/stiffness")), (5e8, 5e8))
        # The control goes from 1e6 to 1e11, by its logarithm.
        scene.set("hardness", 0.2)
        self.assertAlmostEqual(scene.value("hit/stiffness") / 1e7, 1.0, places=12)
        self.assertAlmostEqual(scene.value("hardness"), 0.2, places=12)
        scene.set("/hit/stiffness", 1e8, at_s=1.0)
        self.assertEqual((scene.value("hit/stiffness"), scene.value("/hit/stiffness")), (1e8, 1e8))
        self.assertAlmostEqual(scene.value("hardness"), 0.4, places=12)
        scene.jump("hit/stiffness", 1e9)
        scene.gesture({"set": "hammer/mass_kg", "value": 0.02})
        self.assertEqual((scene.value("/hit/stiffness"), scene.value("hammer/mass_kg")), (1e9, 0.02))
        self.assertEqual(tocco.Scene("bar", sets={"hit/stiffness": 1e7}).value("hit/stiffness"), 1e7)

    def test_notes_play_the_voices_of_the_scene_at_their_samples_and_tell_their_end(self):
        def sound(act=lambda scene: None, cut=1):
            scene = tocco.Scene(KEYS, notes=True)
            self.assertEqual(scene.note_on(69, 100 / 127, at_s=0.01), 69)
            self.assertEqual(scene.note_on(76, 0.5, at_s=0.02, id=1000, tuning=0.25), 1000)
            act(scene)
            # Struck once more, both: what was moved meanwhile is heard in it.
            for hammer in ("hammer", "hammer~2"):
                scene.strike(hammer, 1.0, at_s=0.1)
            heard = numpy.concatenate([scene.render(0.4 / cut) for _ in range(cut)])
            return heard, scene

        still, scene = sound()
        self.assertEqual(int((still[:, 0] != 0).argmax()), 480)
        self.assertTrue((sound(cut=8)[0] == still).all())
        self.assertAlmostEqual(scene.value("bar~2/freq_scale"), 2 ** (7.25 / 12), places=12)
        # What each does is what its voice has of it, set by name.
        for note, name in [
            (lambda s: s.note_tune(0.5, id=1000, at_s=0.05), lambda s: s.set("bar~2/freq_scale", 2 ** (7.5 / 12), at_s=0.05)),
            (lambda s: s.note_press(0.5, 76, at_s=0.05), lambda s: s.set("hammer~2/mass_kg", 0.05 * 0.1**0.5, at_s=0.05)),
            (lambda s: s.note_brighten(0.0, id=1000, at_s=0.05), lambda s: s.set("hit~2/stiffness", 1e6, at_s=0.05)),
        ]:
            one, other = sound(note)[0], sound(name)[0]
            self.assertTrue((one[:2400] == still[:2400]).all() and (one != still).any())
            self.assertLess(abs(one - other).max(), 1e-6 * abs(one).max())
        for note in (lambda s: s.note_off(69, at_s=0.05), lambda s: s.note_choke(at_s=0.05)):
            one = sound(note)[0]
            self.assertTrue((one[:2400] == still[:2400]).all())
            self.assertLess(abs(one[4700:4800]).max(), 0.9 * abs(still[4700:4800]).max())
        scene = tocco.Scene(KEYS, notes=True)
        scene.note_on(69), scene.note_on(76, id=7)
        self.assertEqual(scene.notes_ended(), [])
        scene.note_choke(id=7)
        scene.render(0.5)
        self.assertEqual(scene.notes_ended(), [7])
        scene.render(3.0)
        self.assertEqual((scene.notes_ended(), scene.notes_ended()), ([69], []))
        nan = float("nan")
        for act, words in [
            (lambda: tocco.Scene(KEYS).note_on(60), "notes=True"),
            (lambda: scene.note_on(128), "key 128; wants 0 to 127"),
            (lambda: scene.note_off(-1), "key -1; wants 0 to 127"),
            (lambda: scene.note_on(60, nan), "not a number"),
            (lambda: scene.note_tune(nan), "not a number"),
            (lambda: scene.note_on(60, at_s=nan), "seconds from the start"),
        ]:
            with self.assertRaises(tocco.Error) as said:
                act()
            self.assertIn(words, str(said.exception))
        # What has rung out for 3.5 s at 0.2 s, and nothing new.
        self.assertLess(abs(scene.render(0.1)).max(), 1e-6 * abs(still).max())

    def test_the_array_owns_what_was_written_and_lives_on(self):
        scene = tocco.Scene("bar")
        sound = scene.render(0.1)
        self.assertTrue(sound.flags.writeable and sound.flags.c_contiguous)
        # Nothing was copied: behind the array is what the engine wrote, not another array.
        owner = sound
        while isinstance(owner, numpy.ndarray):
            owner = owner.base
        self.assertIsNotNone(owner)
        scene.close()
        del scene
        gc.collect()
        self.assertTrue(numpy.isfinite(sound).all() and sound.any())

    def test_inputs_are_heard_and_probes_are_arrays(self):
        noise = (numpy.random.default_rng(1).standard_normal(4800) * 0.1).astype(numpy.float32)
        silent, heard = tocco.Scene(BAR), tocco.Scene(BAR)
        self.assertFalse(silent.render(0.1).any())
        sound, probes = heard.render(0.1, inputs=noise, probes=["bar.ear.velocity", "energy"])
        self.assertEqual(probes["energy"].shape, (4800,))
        # A tap hears the velocity of its port; a free bar's own motion as a whole is left out of it.
        self.assertTrue(sound.any() and probes["energy"][-1] > 0.0)
        # Samples that lie apart, or backwards, are those that the array shows.
        two = numpy.stack([noise, noise * 0], axis=1)
        for strided in (two[:, 0], two[:, :1], two[:, ::2], noise[::-1].copy()[::-1], numpy.asfortranarray(two)[:, :1]):
            self.assertTrue((tocco.Scene(BAR).render(0.1, inputs=strided) == sound).all(), strided.strides)
        self.assertFalse(two[:, 0].flags.c_contiguous)
        # What is missing is silence.
        short = numpy.concatenate([noise[:1000], numpy.zeros(3800, numpy.float32)])
        self.assertTrue((tocco.Scene(BAR).render(0.1, inputs=noise[:1000]) == tocco.Scene(BAR).render(0.1, inputs=short)).all())
        energy, work = heard.ledger()
        self.assertLessEqual(energy, work * (1 + 1e-9))
        self.assertEqual(heard.health()["unconverged"], 0)

    def test_shapes_modes_materials_and_words(self):
        scene = tocco.Scene(BAR)
        modes = scene.modes()["bar"]
        self.assertEqual(modes.shape[1], 3)
        # A free bar is alike from both ends: its modes are even or odd, some of each.
        one, other = scene.shape_at("bar.tip", [0.3]), scene.shape_at("bar.tip", [0.7])
        self.assertEqual(one.shape, (len(modes),))
        self.assertTrue(numpy.allclose(numpy.abs(one), numpy.abs(other), rtol=1e-9, atol=1e-12))
        moves = numpy.abs(one) > 1e-6
        self.assertTrue((one[moves] * other[moves] > 0).any() and (one[moves] * other[moves] < 0).any())
        self.assertFalse(numpy.allclose(numpy.abs(one), numpy.abs(scene.shape_at("bar.tip", [0.4]))))
        described = scene.describe()
        self.assertEqual([body["name"] for body in described["bodies"]], ["hammer", "bar"])
        self.assertIn("hit/stiffness", scene.paths())
        self.assertAlmostEqual(tocco.materials()["steel"]["poisson"], 0.3, delta=0.05)
        # A free steel bar by Euler and Bernoulli: f = 22.3733 h / (2 pi sqrt(12) L^2) sqrt(E / rho).
        steel = tocco.materials()["steel"]
        first = 22.3733 * 0.005 / (2 * numpy.pi * 12**0.5 * 0.3**2) * (steel["young_pa"] / steel["density_kg_m3"]) ** 0.5
        bending = modes[numpy.abs(modes[:, 0] - first).argmin(), 0]
        self.assertLess(abs(bending / first - 1), 0.01)

    def test_the_stubs_declare_what_the_module_has_and_nothing_else(self):
        with open(os.path.join(os.path.dirname(tocco.__file__), "__init__.pyi"), encoding="utf-8") as file:
            stubs = ast.parse(file.read())

        def name_of(node):
            return node.target.id if isinstance(node, ast.AnnAssign) else node.name

        def compare(stub, real, what):
            said, parameters = stub.args, inspect.signature(real).parameters
            names = [argument.arg for argument in [*said.posonlyargs, *said.args, *said.kwonlyargs]]
            self.assertEqual(names, list(parameters), what)
            if stub.decorator_list:
                return  # one of two ways to call it: it may want what the other does not
            keywords = {argument.arg for argument in said.kwonlyargs}
            self.assertEqual(keywords, {name for name, one in parameters.items() if one.kind == one.KEYWORD_ONLY}, what)
            optional = {name for name, one in parameters.items() if one.default is not one.empty}
            defaults = [argument for argument, default in zip(said.kwonlyargs, said.kw_defaults) if default is not None]
            defaults += said.args[len(said.args) - len(said.defaults) :]
            self.assertEqual({argument.arg for argument in defaults}, optional, what)

        declared = [node for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AnnAssign))]
        self.assertEqual({name_of(node) for node in declared}, set(tocco.__all__))
        for node in declared:
            real = getattr(tocco, name_of(node))
            if isinstance(node, ast.FunctionDef):
                compare(node, real, node.name)
            if not isinstance(node, ast.ClassDef):
                continue
            members = [member for member in node.body if isinstance(member, (ast.FunctionDef, ast.AnnAssign))]
            fields = [name_of(member) for member in members if isinstance(member, ast.AnnAssign)]
            self.assertEqual(fields, list(getattr(real, "_fields", getattr(real, "__dataclass_fields__", ()))), node.name)
            for member in members:
                what = f"{node.name}.{name_of(member)}"
                if not isinstance(member, ast.FunctionDef):
                    continue
                found = inspect.getattr_static(real, member.name)
                if any(isinstance(one, ast.Name) and one.id == "property" for one in member.decorator_list):
                    self.assertTrue(inspect.isdatadescriptor(found), what)
                elif not member.name.startswith("__") or member.name == "__new__":
                    compare(member, getattr(real, member.name), what)
        scene = next(node for node in declared if name_of(node) == "Scene")
        beneath = {"gesture_json", "describe_json", "render_probed"}
        public = {name for name in dir(tocco.Scene) if not name.startswith("_")} - beneath
        self.assertEqual({member.name for member in scene.body if not member.name.startswith("_")}, public)

    def test_what_is_wrong_is_said_in_the_words_of_the_program(self):
        scene = tocco.Scene(BAR)
        nan = float("nan")
        cases = [
            (lambda: tocco.Scene("body.a.type = 'modle'\n"), "modal"),
            (lambda: tocco.Scene("no/such.toml"), "no such file"),
            (lambda: tocco.Scene("bar", 7.0), "rate"),
            (lambda: tocco.Scene("bar", sets={"hit/stiffness": -1.0}), "out of range"),
            (lambda: scene.set("hit/stifness", 1.0), "did you mean 'hit/stiffness'?"),
            (lambda: scene.set("hit/stiffness", nan), "not a number"),
            (lambda: scene.strike("bar", 1.0), "not a mass"),
            (lambda: scene.strike("hammer", 1.0, at_s=nan), "seconds from the start"),
            (lambda: scene.render(nan), "give seconds above 0"),
            (lambda: scene.render(1e9), "give seconds above 0"),
            # More than any machine can address.
            (lambda: scene.render(2e4, probes=["hit.force"] * 20_000), "no memory for 960000000 by 20000 numbers; render in parts"),
            (lambda: scene.render(0.1, probes=["hit.fource"]), "did you mean 'hit.force'?"),
            (lambda: scene.render(0.1, inputs=numpy.zeros(10)), "give float32"),
            (lambda: scene.render(0.1, inputs=numpy.zeros((2, 2, 2), numpy.float32)), "3 dimensions"),
            (lambda: scene.render(0.1, inputs=numpy.zeros((10, 2), numpy.float32)), "2 channels, and this scene hears 1"),
            (lambda: scene.render(0.1, inputs=numpy.zeros(4801, numpy.float32)), "4801 frames, and 4800 are rendered"),
            (lambda: scene.render(0.1, inputs=numpy.zeros((2, 4800), numpy.float32)), "4800 channels"),
            (lambda: scene.render(0.1, inputs=numpy.float32(0.5)), "0 dimensions"),
            (lambda: scene.render(0.1, inputs=numpy.full(10, nan, numpy.float32)), "not a number"),
            (lambda: tocco.Scene("bar").render(0.1, inputs=numpy.zeros(10, numpy.float32)), "hears nothing"),
            (lambda: scene.gesture({"strike": "hammer"}), "velocity_m_s"),
            (lambda: scene.shape_at("hammer", [0.5]), "hammer"),
            (lambda: tocco.analyse(numpy.zeros((2, 2, 2)), 48000), "dimensions"),
            (lambda: tocco.analyse(tocco.Scene("bar").render(0.1), 48000), "2 dimensions; give one channel, or a list of arrays"),
            (lambda: tocco.analyse([tocco.Scene("bar").render(0.1)], 48000), "2 dimensions; give one channel"),
            (lambda: tocco.analyse(numpy.full(4800, nan), 48000), "not a number"),
            (lambda: tocco.sweep("bar", "nowhere"), "nothing to sweep over"),
        ]
        for act, words in cases:
            with self.assertRaises(tocco.Error) as said:
                act()
            self.assertIn(words, str(said.exception))
        self.assertIsInstance(said.exception, ValueError)
        scene.close()
        for act in (lambda: scene.render(0.1), lambda: scene.strike("hammer", 1.0), lambda: scene.tick):
            with self.assertRaisesRegex(tocco.Error, "closed"):
                act()

    def test_two_threads_share_a_scene_and_none_is_lost(self):
        scene, sounds = tocco.Scene("bar"), []
        threads = [threading.Thread(target=lambda: sounds.append(scene.render(0.25))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(sounds), scene.tick), (4, 48000))
        whole = tocco.Scene("bar").render(1.0)
        parts = sorted(sounds, key=lambda part: [numpy.array_equal(part, whole[i : i + 12000]) for i in range(0, 48000, 12000)], reverse=True)
        self.assertTrue((numpy.concatenate(parts) == whole).all())

    def test_a_scene_is_seen_and_heard_in_a_notebook(self):
        scene = tocco.Scene("bar")
        self.assertIn("&lt;tocco.Scene bar", scene._repr_html_())
        try:
            import IPython
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib or IPython is not installed")
        matplotlib.use("Agg")
        lines = scene.plot(0.1, probes=["hit.force", "energy"]).get_lines()
        self.assertEqual([line.get_label() for line in lines], ["hit.force", "energy"])
        self.assertGreater(lines[0].get_ydata().max(), 1.0)
        (line,) = scene.plot(0.1).get_lines()
        self.assertAlmostEqual(line.get_xdata()[-1], 0.2)
        audio = tocco.Scene("violin").audio(0.25)
        self.assertIsInstance(audio, IPython.display.Audio)
        with wave.open(io.BytesIO(audio.data)) as sound:
            self.assertEqual((sound.getnframes(), sound.getnchannels(), sound.getframerate()), (12_000, 2, 48_000))

    def test_while_a_scene_renders_others_go_on(self):
        # Short enough to be one stretch: were the interpreter held, this thread would stand still for all of it. Other programs may
        # stop it, too, so the best of five counts.
        scene, parts = tocco.Scene("marimba"), []

        def render():
            began = time.perf_counter()
            scene.render(1.3)
            took.append(time.perf_counter() - began)

        for _ in range(5):
            took, longest = [], 0.0
            rendering = threading.Thread(target=render)
            rendering.start()
            before = time.perf_counter()
            while not took:
                now = time.perf_counter()
                longest, before = max(longest, now - before), now
            rendering.join()
            parts.append(longest / took[0])
        self.assertLess(min(parts), 0.3, parts)

    def test_a_sweep_makes_files_and_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            made = tocco.sweep("bar", folder, over={"hit/stiffness": [1e6, 1e7], "hammer/mass_kg": [0.01]}, seconds=0.1)
            self.assertEqual((made.files, made.found, len(made.manifest())), (2, 0, 2))
            self.assertEqual(tocco.sweep("bar", folder, over={"hit/stiffness": [1e6, 1e7], "hammer/mass_kg": [0.01]}, seconds=0.1).found, 2)

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads are counted as Linux tells them")
    def test_a_sweep_in_place_works_on_all_cores_or_as_many_as_it_is_told(self):
        count = lambda: len(os.listdir("/proc/self/task"))
        over = {"hit/stiffness": [1e6 * n for n in range(1, 101)]}
        for jobs in (None, 1):
            with tempfile.TemporaryDirectory() as folder:
                before, seen = count(), []
                # Whoever has made a sound waits until that is told: what works is seen at work.
                tocco.sweep("bar", folder, over=over, seconds=0.05, jobs=jobs, progress=lambda *_: seen.append(count() - before))
            # One thread more gives out the work.
            self.assertEqual(max(seen), 1 + (jobs or len(os.sched_getaffinity(0))), jobs)

    def test_how_far_a_sweep_is_is_told_and_whoever_is_told_may_stop_it(self):
        over = {"hit/stiffness": [1e6 * n for n in range(1, 21)]}

        class Enough(Exception):
            pass

        def stop(done, total):
            if done == 3:
                raise Enough

        for source, grid in [("bar", {"over": over, "seconds": 0.05}), (DESIGN, {})]:
            with tempfile.TemporaryDirectory() as folder:
                if not grid:
                    path = os.path.join(folder, "design.toml")
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(source)
                    source = path
                told, here = [], os.path.join(folder, "here")
                made = tocco.sweep(source, here, **grid, progress=lambda *at: told.append(at))
                self.assertEqual((made.files, sorted(told)), (20, [(n, 20) for n in range(1, 21)]))
                there = os.path.join(folder, "there")
                with self.assertRaises(Enough):
                    tocco.sweep(source, there, **grid, jobs=1, progress=stop)
                self.assertFalse(os.path.exists(os.path.join(there, "manifest.tsv")))
                self.assertIn(tocco.sweep(source, there, **grid).found, (3, 4))


if __name__ == "__main__":
    unittest.main()
