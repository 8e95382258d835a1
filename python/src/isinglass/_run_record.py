"""run.json: what a run directory says about its training, in the form of the program.

SPDX-License-Identifier: MIT

The program and the package resume each other's runs, so both write the same names: the options of ``isinglass train``,
under which the package's arguments are kept, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Union

from . import _core

#: What a ``learning_rate`` argument may be: a number, or pairs of a rate and the epoch from which it holds.
Rate = Union[float, Sequence[tuple[float, int]]]

#: The names of arguments, and those that the program gives to the same thing.
OPTIONS = {
    "epochs": "epochs",
    "batch_size": "batch",
    "gibbs_steps": "sweeps",
    "persistent": "pcd",
    "chains": "chains",
    "equilibrium": "equilibrium",
    "jumps": "jumps",
    "refit_every": "refit-every",
    "learning_rate": "rate",
    "fields": "fields",
    "estimator": "estimator",
    "shuffle": "shuffle",
    "constraint": "constraint",
    "learn_beta": "learn-beta",
    "patience": "patience",
    "impute_sweeps": "impute-sweeps",
}
_OLDER = {"sweeps": "cd"}

#: What may differ when a run is resumed.
MAY_CHANGE = ("epochs", "patience")


def as_rates(learning_rate: Any) -> list[tuple[float, int]]:
    """Pairs of a rate and the epoch it holds from.

    >>> as_rates(1e-4), as_rates([(5e-4, 0), (1e-4, 25)])
    ([(0.0001, 0)], [(0.0005, 0), (0.0001, 25)])
    """
    problem = (f"learning_rate: expected a positive number, or pairs of a rate and the epoch from which it holds, "
               f"the first 0, found {learning_rate!r}")
    if isinstance(learning_rate, (str, bytes)):
        raise ValueError(problem)
    try:
        pairs = ([(float(rate), int(epoch)) for rate, epoch in learning_rate] if hasattr(learning_rate, "__len__")
                 else [(float(learning_rate), 0)])
    except (TypeError, ValueError):
        raise ValueError(problem) from None
    epochs = [epoch for _, epoch in pairs]
    if (not pairs or epochs[0] != 0 or sorted(set(epochs)) != epochs or epochs[-1] >= 2**63
            or not all(0 < rate < float("inf") for rate, _ in pairs)):
        raise ValueError(problem)
    return pairs


def rates_text(rates: Sequence[tuple[float, int]]) -> str:
    """As the program writes them, "0.0005,0.0001@25".

    >>> rates_text([(5e-4, 0), (2.0, 25)])
    '0.0005,2@25'
    """
    return ",".join(f"{repr(float(rate)).removesuffix('.0')}{f'@{epoch}' if epoch else ''}" for rate, epoch in rates)


def read_rates(text: str) -> list[tuple[float, int]]:
    """The other way round."""
    parts = [part.split("@") for part in text.split(",")]
    return as_rates([(float(part[0]), int(part[1]) if len(part) > 1 else 0) for part in parts])


def _canonical(value: Any) -> str:
    """Compact JSON with sorted keys, exactly as jansson has it, which is what the checksum is of."""
    if isinstance(value, dict):
        items = (f"{json.dumps(key, ensure_ascii=False)}:{_canonical(value[key])}"
                 for key in sorted(value, key=lambda key: str(key).encode("utf-8", "surrogateescape")))
        return "{" + ",".join(items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if not isinstance(value, float):
        return json.dumps(value, ensure_ascii=False)
    text = f"{value:.17g}"
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return f"{mantissa}e{int(exponent)}"
    return text if "." in text else text + ".0"


def _checksum(record: dict[str, Any]) -> str:
    value = 0xCBF29CE484222325  # FNV-1a
    for byte in _canonical(record).encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def write(record: dict[str, Any]) -> str:
    """The text of run.json, which ends with a checksum of its content."""
    content = {key: value for key, value in record.items() if key != "checksum"}
    return json.dumps({**content, "checksum": _checksum(content)}, indent=2, ensure_ascii=False) + "\n"


def read(text: str, directory: str) -> dict[str, Any]:
    """The content of run.json, if it is that of a training."""
    def refuse(what: str) -> _core.FormatError:
        return _core.FormatError(f"{os.path.join(directory, 'run.json')}: {what}")

    try:
        record = json.loads(text)
    except ValueError as error:
        raise refuse(str(error)) from None
    if not isinstance(record, dict):
        raise refuse("not as a training writes it")
    checksum = record.pop("checksum", None)
    if checksum is not None and checksum != _checksum(record):
        raise refuse("does not match its checksum; if you changed it on purpose, remove the checksum")
    verb = record.get("verb")
    if isinstance(verb, str) and verb != "train":
        raise ValueError(f"directory: {directory} holds a run of 'isinglass {verb}', not of a training of one RBM")
    texts = [record.get(key) for key in ("verb", "version", "command", "data", "data_sha256", "seed")]
    if not all(isinstance(found, str) for found in texts) or not isinstance(record.get("options"), dict):
        raise refuse("not as a training writes it")
    return record


def options_of(record: dict[str, Any], directory: str) -> dict[str, Any]:
    """The arguments of the training, and its ``seed``."""
    kept = record["options"]
    found: dict[str, Any] = {}
    for name, theirs in OPTIONS.items():
        value = kept.get(theirs, kept.get(_OLDER.get(theirs, theirs)))
        if value is not None:
            found[name] = value
    try:
        found["seed"] = int(record["seed"])
        if "learning_rate" in found:
            found["learning_rate"] = read_rates(found["learning_rate"])
    except (ValueError, TypeError, AttributeError):
        raise _core.FormatError(
            f"{os.path.join(directory, 'run.json')}: the seed or the rate is not valid") from None
    return found
