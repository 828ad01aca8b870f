# SPDX-License-Identifier: MIT OR Apache-2.0
"""The plug-in as VST3 in two hosts that others wrote: vst3.py BUNDLE PRESETS, in an environment with pedalboard, dawdreamer and tocco.

`vst3.py BUNDLE PRESETS render SCENE NOTES SECONDS` writes what pedalboard hears, 32-bit floats, channels interleaved.
"""

import json
import os
import struct
import sys
import tempfile
import time
import unittest
import unittest.mock

import numpy as np
import pedalboard
import tocco

BUNDLE, PRESETS = sys.argv[1:3]
RATE = 48_000


def preset(name):
    return os.path.join(PRESETS, f"{name}.vstpreset")


def loaded(name):
    """The plug-in with a scene, in pedalboard."""
    plugin = pedalboard.load_plugin(BUNDLE)
    plugin.load_preset(preset(name))
    return plugin


def played(plugin, notes, frames, rate=RATE, block=512, channels=2, goes_on=False):
    """What pedalboard hears: channels by frames; from the beginning, or from where it was."""
    # Half a sample later: the host rounds down.
    midi = [(bytes(message), (tick + 0.5) / rate) for tick, message in notes]
    how = {"sample_rate": rate, "num_channels": channels, "buffer_size": block, "reset": not goes_on}
    return plugin(midi, duration=(frames + 0.5) / rate, **how)


class InPedalboard(unittest.TestCase):
    def test_it_is_an_instrument_with_the_scene_s_parameters(self):
        plugin = loaded("bar")
        self.assertTrue(plugin.is_instrument)
        names = set(plugin.parameters)
        self.assertTrue({"hardness", "size", "hit_stiffness"} <= names, sorted(names)[:20])
        plugin.hardness = 0.25
        self.assertAlmostEqual(plugin.parameters["hardness"].raw_value, 0.25, places=6)

    def test_notes_play_at_their_samples_for_blocks_of_any_size(self):
        silent = played(loaded("marimba"), [], 9_600)
        one = played(loaded("marimba"), [(1_003, (0x90, 60, 100))], 9_600)
        differs = np.nonzero((one != silent).any(axis=0))[0]
        self.assertEqual(differs[0], 1_003)
        self.assertGreater(np.abs(one).max(), 1e-3)
        for block in (64, 1_000):
            again = played(loaded("marimba"), [(1_003, (0x90, 60, 100))], 9_600, block=block)
            self.assertTrue(np.array_equal(one, again), f"blocks of {block}")

    def test_presets_of_every_kind_sound_each_as_itself(self):
        # Struck, bowed, rubbed, blown into pieces, walked on, poured; with keys and without, on one channel and two.
        names = ("bell", "gong", "kalimba", "felt", "violin", "cello", "door-squeak", "crisps", "maracas", "marble", "floor-gravel", "brook")
        sounds = []
        for name in names:
            heard = played(loaded(name), [(1_003, (0x90, 60, 100))], 24_000)
            self.assertTrue(np.isfinite(heard).all() and np.abs(heard).max() > 1e-4, name)
            self.assertFalse(any(np.array_equal(heard, other) for other in sounds), name)
            sounds.append(heard)

    def test_a_pitch_bend_is_heard_from_its_sample_on(self):
        note = (1_003, (0x90, 74, 100))
        still = played(loaded("bar"), [note], 9_600)
        bent = played(loaded("bar"), [note, (4_001, (0xE0, 0, 96))], 9_600)
        differs = np.nonzero((bent != still).any(axis=0))[0]
        self.assertGreater(len(differs), 1_000)
        # The host may round its time to its block, and the pitch glides from there.
        self.assertIn(differs[0], range(4_001 - 512, 4_001 + 512))

    def test_texts_of_parameters_read_back_to_the_same_place(self):
        plugin = loaded("bar")
        for name in ("hardness", "size", "hit_stiffness", "hammer_mass_kg"):
            parameter = plugin.parameters[name]
            # Hosts keep positions in 32 bits.
            places = [0.0, 0.125, 0.5, 0.7654321, 1.0, *np.random.default_rng(17).random(40)]
            for place in np.asarray(places, np.float32).astype(float):
                text = parameter.get_text_for_raw_value(place)
                self.assertEqual(np.float32(parameter.get_raw_value_for_text(text)), np.float32(place), f"{name}: {text}")
        self.assertIn("kg", plugin.parameters["hammer_mass_kg"].get_text_for_raw_value(0.5))

    def test_a_state_goes_on_in_another_instance(self):
        plugin = loaded("felt")
        plugin.hardness = 0.125
        played(plugin, [], 512)  # hosts send what was turned with the next block
        state = plugin.raw_state
        other = pedalboard.load_plugin(BUNDLE)
        before = played(other, [], 4_800)
        other.raw_state = state
        self.assertAlmostEqual(other.parameters["hardness"].raw_value, 0.125, places=6)
        again = loaded("felt")
        again.raw_state = state
        heard, wanted = played(other, [], 24_000), played(again, [], 24_000)
        self.assertTrue(np.array_equal(heard, wanted) and np.abs(wanted).max() > 1e-4)
        self.assertFalse(np.array_equal(before, wanted[:, :4_800]))

    def test_a_scene_with_other_channels_is_no_harm(self):
        plugin = loaded("bar")
        mono = played(plugin, [], 24_000)
        self.assertTrue(np.array_equal(mono[0], mono[1]))
        plugin.load_preset(preset("violin"))
        self.assertGreater(np.abs(played(plugin, [], 24_000)).max(), 1e-4)
        plugin.load_preset(preset("bar"))
        self.assertGreater(np.abs(played(plugin, [], 24_000)).max(), 1e-4)

    def test_a_preset_is_loaded_while_notes_are_held_without_a_gap_and_other_instances_go_on(self):
        held, half, fade = [(1_003, (0x90, 60, 100)), (5_001, (0x90, 67, 90))], 9_600, 480
        whole = played(loaded("marimba"), held, 2 * half)
        # Another scene with other knobs, one on as many channels as any, and the same one.
        for name in ("bell", "violin", "marimba"):
            plugin, beside = loaded("marimba"), loaded("marimba")
            before = [played(one, held, half) for one in (plugin, beside)]
            plugin.load_preset(preset(name))
            after, same = (played(one, [], half, goes_on=True) for one in (plugin, beside))
            for heard in before:
                self.assertTrue(np.array_equal(heard, whole[:, :half]), name)
            self.assertTrue(np.array_equal(same, whole[:, half:]), f"{name}: heard in another instance")
            # What rang goes on, softer and softer, over 10 ms, and the new scene is there from its first sample on.
            fresh, old = played(loaded(name), [], half), whole[:, half : half + fade]
            gain = np.arange(fade, 0, -1).astype(np.float32) / np.float32(fade)
            wanted = np.concatenate([fresh[:, :fade] + gain * old, fresh[:, fade:]], axis=1)
            self.assertGreater(np.abs(old).max(), 1e-3, "something rings")
            self.assertTrue(np.array_equal(after, wanted), f"{name}: {np.nonzero((after != wanted).any(axis=0))[0][:3]}")
            # And it takes notes.
            struck = played(plugin, [(1_003, (0x90, 60, 100))], half, goes_on=True)
            self.assertGreater(np.abs(struck).max(), 1e-3, name)

    def test_rates_from_8_to_384_khz_run_and_others_are_silent(self):
        for rate in (8_000, 44_100, 192_000, 384_000):
            self.assertGreater(np.abs(played(loaded("bar"), [(10, (0x90, 60, 100))], rate // 4, rate)).max(), 1e-4, rate)
        for rate in (768_000, 1_000):
            try:
                heard = played(loaded("bar"), [(10, (0x90, 60, 100))], rate // 4, rate)
            except Exception as refused:  # the host's own words
                self.assertTrue(str(refused))
            else:
                self.assertEqual(np.abs(heard).max(), 0.0, rate)

    def test_its_last_knob_opens_the_studio_and_closes_it(self):
        def soon(happens):
            until = time.monotonic() + 20
            while not happens() and time.monotonic() < until:
                played(plugin, [], 512)  # hosts send what was turned with the next block
                time.sleep(0.05)
            return happens()

        def runs(process):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return False
            return True

        with tempfile.TemporaryDirectory() as folder:
            program, opened = os.path.join(folder, "tocco"), os.path.join(folder, "opened")
            with open(program, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\ncat >"{folder}/scene"\necho $$ "$@" >"{opened}.new" && mv "{opened}.new" "{opened}"\n')
                file.write("echo 'studio at http://127.0.0.1:9/x'\nexec sleep 100\n")
            os.chmod(program, 0o755)
            with unittest.mock.patch.dict(os.environ, TOCCO_PROGRAM=program):
                plugin = loaded("felt")
                knob = plugin.parameters["studio"]
                self.assertEqual(knob.raw_value, 0.0)
                self.assertFalse(os.path.exists(opened))
                knob.raw_value = 1.0
                self.assertTrue(soon(lambda: os.path.exists(opened)), "nobody opens it")
            with open(opened, encoding="utf-8") as file:
                process, *words = file.read().split()
            self.assertEqual(words[:2], ["studio", "-"])
            with open(os.path.join(folder, "scene"), encoding="utf-8") as file:
                self.assertEqual(file.read(), tocco.Scene("felt").text)
            self.assertTrue(runs(int(process)))
            knob.raw_value = 0.0
            self.assertTrue(soon(lambda: not runs(int(process))), "nobody closes it")

    def test_every_shipped_scene_has_a_preset_that_is_a_state_with_its_text(self):
        self.assertEqual(sorted(os.listdir(PRESETS)), sorted(f"{name}.vstpreset" for name in tocco.scenes()))
        for name in tocco.scenes():
            with open(preset(name), "rb") as file:
                content = file.read()
            at, length = struct.unpack("<QQ", content[-16:])
            state = json.loads(content[at : at + length])
            with open(os.path.join(os.path.dirname(__file__), "../../../scenes", f"{name}.toml"), encoding="utf-8") as file:
                self.assertEqual((state["state"], state["scene"]["text"]), (1, file.read()), name)

    def test_states_that_are_none_change_nothing(self):
        plugin, untouched = loaded("bar"), loaded("bar")
        for one in (plugin, untouched):
            one.hardness = 0.25
            played(one, [], 12_000)
        with open(preset("bar"), "rb") as file:
            whole = file.read()
        for broken in (whole[:60], whole.replace(b'"state":1', b'"state":9')):
            path = os.path.join(PRESETS, "broken.vstpreset")
            with open(path, "wb") as file:
                file.write(broken)
            try:
                plugin.load_preset(path)
            except Exception as refused:
                self.assertTrue(str(refused))
            os.remove(path)
        note = [(1_003, (0x90, 60, 100))]
        heard, wanted = played(plugin, note, 12_000), played(untouched, note, 12_000)
        self.assertTrue(np.array_equal(heard, wanted) and np.abs(wanted).max() > 1e-4)
        values = lambda one: {name: parameter.raw_value for name, parameter in one.parameters.items()}
        self.assertEqual(values(plugin), values(untouched))
        self.assertAlmostEqual(values(plugin)["hardness"], 0.25, places=6)


def in_dawdreamer():
    """An engine of dawdreamer with the plug-in in it."""
    import dawdreamer

    engine = dawdreamer.RenderEngine(RATE, 512)
    plugin = engine.make_plugin_processor("tocco", BUNDLE)
    engine.load_graph([(plugin, [])])
    return engine, plugin


class InDawDreamer(unittest.TestCase):
    def test_a_note_sounds_at_its_sample_and_in_another_instance_the_same(self):
        heard = []
        for _ in range(2):
            engine, plugin = in_dawdreamer()
            self.assertTrue(plugin.load_vst3_preset(preset("marimba")))
            self.assertEqual(plugin.get_parameter_name(0), "c4/freq_scale")
            self.assertEqual(plugin.get_parameter_text(0), "1")
            plugin.add_midi_note(60, 100, 4_800 / RATE, 0.1)
            engine.render(0.25)
            heard.append(engine.get_audio())
        self.assertEqual(np.nonzero(heard[0][0])[0][0], 4_800)
        self.assertGreater(np.abs(heard[0]).max(), 0.01)
        self.assertTrue(np.array_equal(*heard))

    def test_a_state_goes_through_its_file(self):
        path = os.path.join(PRESETS, "dawdreamer.state")
        engine, plugin = in_dawdreamer()
        self.assertTrue(plugin.load_vst3_preset(preset("marimba")))
        plugin.set_parameter(0, 0.25)
        engine.render(0.05)
        plugin.save_state(path)
        engine, other = in_dawdreamer()
        try:
            other.load_state(path)
        except RuntimeError as editor:  # it wants to show what it has loaded, and there is no editor
            self.assertIn("editor", str(editor))
        os.remove(path)
        engine.render(0.05)
        self.assertEqual((other.get_parameter_name(0), other.get_parameter(0)), ("c4/freq_scale", 0.25))


if __name__ == "__main__":
    if sys.argv[3:4] == ["render"]:
        scene, notes, seconds = sys.argv[4:7]
        rows = [tuple(map(int, line.split())) for line in open(notes)]
        heard = played(loaded(scene), [(row[0], row[1:]) for row in rows], round(float(seconds) * RATE))
        sys.stdout.buffer.write(np.ascontiguousarray(heard.T, dtype="<f4").tobytes())
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
