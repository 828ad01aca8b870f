# SPDX-License-Identifier: MIT OR Apache-2.0
"""The notebooks are run from top to bottom; what they claim, they assert."""

import pathlib
import unittest

NOTEBOOKS = sorted((pathlib.Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))

try:
    import nbclient
    import nbformat
except ImportError:
    nbclient = None


@unittest.skipIf(nbclient is None, "nbclient is not installed")
class Notebooks(unittest.TestCase):
    def test_every_notebook_runs_and_draws(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
                outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
                self.assertTrue(any("image/png" in output.get("data", {}) for output in outputs), "a picture")


if __name__ == "__main__":
    unittest.main()
