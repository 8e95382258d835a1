"""Prints SHA-256 of what the extension computes, without NumPy: for every Python the same; see tools/test_python.sh.

SPDX-License-Identifier: MIT

    other_python.py FOLDER    with the package unpacked in FOLDER
"""

import array
import hashlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import isinglass
from isinglass import _core

assert sys.modules.get("numpy") is None
assert isinglass.__file__.startswith(sys.argv[1]), isinglass.__file__


def say(what: str, content: bytes) -> None:
    print(what, hashlib.sha256(content).hexdigest())


# Spins of a small generator of its own: patterns are columns.
n_visible, n_patterns, state = 100, 3, 1
spins = array.array("b")
for _ in range(n_visible * n_patterns):
    state = (6364136223846793005 * state + 1442695040888963407) % 2**64
    spins.append(1 if state >> 63 else -1)
xi = memoryview(spins).cast("B").cast("b", (n_visible, n_patterns))

patterns = _core.Patterns.from_array(xi, ["a", "b", "ü"])
rows = bytearray(n_patterns * n_visible)
patterns.spins(memoryview(rows).cast("b", (n_patterns, n_visible)))
say("patterns", bytes(rows))
assert patterns.labels() == ["a", "b", "ü"] and patterns.rank()[0] == n_patterns

overlaps = array.array("d", bytes(8 * n_patterns**2))
patterns.overlaps(memoryview(overlaps).cast("B").cast("d", (n_patterns, n_patterns)))
say("overlaps", overlaps.tobytes())

for wrong, error in [(spins, ValueError), (None, TypeError), (memoryview(rows).cast("B", (n_patterns, n_visible)),
                                                             (TypeError, ValueError))]:
    try:
        _core.Patterns.from_array(wrong)
    except error:
        continue
    sys.exit(f"{wrong!r} was accepted")
try:
    _core.Patterns.from_array(xi, ["a", None, "c"])
    sys.exit("a pattern without a label was accepted")
except ValueError:
    pass
