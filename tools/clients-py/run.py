"""Runs all tests of this folder; the last line counts them in cargo's words, so that one tally reads both."""

import pathlib
import sys
import unittest

folder = str(pathlib.Path(__file__).parent)
suite = unittest.defaultTestLoader.discover(folder, top_level_dir=folder)
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
passed = max(result.testsRun - failed - len(result.skipped), 0)
word = "ok" if result.wasSuccessful() else "FAILED"
print(f"test result: {word}. {passed} passed; {failed} failed; {len(result.skipped)} ignored")
sys.exit(0 if result.wasSuccessful() else 1)
