#!/usr/bin/python3
"""real_data.py - real binary sets: size, time, memory and error beside scikit-learn's

    bench/real_data.py [--program build/isinglass] [--sets NAME ...]

SPDX-License-Identifier: MIT

Needs Debian's python3-sklearn and time, and the sets, which `isinglass data get NAME` fetches. All methods see the
same bits and the same split: a share of 30 % of every class, drawn with seed 1, is for testing. Classes of
fewer than 5 samples are left out. Prints a Markdown table.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB

SETS = ["votes", "supermarket", "splice", "mushrooms", "ccle", "spam", "glyphs"]
MOST_GLYPHS = 1000  # per script, the first; scripts of fewer than FEWEST_GLYPHS are left out
FEWEST_GLYPHS = 80


def read(program, name):
    """The samples as numbers, NaN where missing, and their labels."""
    path = json.loads(subprocess.run([program, "data", "get", name, "--json"], check=True, stdout=subprocess.PIPE).stdout)
    with np.load(os.path.join(path["path"], name + ".npz")) as file:
        x, y = file["X"], file["y"]
    x = x.reshape(len(x), -1)
    keep = np.ones(len(y), bool)
    if name == "glyphs":
        keep &= ~np.isin(y, ["box", "other"])
        for script in np.unique(y):
            here = np.flatnonzero(y == script)
            keep[here[MOST_GLYPHS:]] = False
            keep[here] &= len(here) >= FEWEST_GLYPHS
    for label in np.unique(y):
        keep[y == label] &= (y == label).sum() >= 5
    return x[keep], y[keep]


def split(y):
    rng = np.random.RandomState(1)
    test = np.zeros(len(y), bool)
    for label in np.unique(y):
        here = rng.permutation(np.flatnonzero(y == label))
        test[here[: round(0.3 * len(here))]] = True
    return ~test, test


def run(command):
    """Its JSON, seconds and peak memory in MB. Measured by time(1): the peak that wait4() tells of a child of
    ours begins with our own."""
    start = time.monotonic()
    with tempfile.NamedTemporaryFile("r") as peak:
        out = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", peak.name, *command], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
        return json.loads(out), time.monotonic() - start, int(peak.read()) / 1024


def sklearn_error(model, x, y, train, test):
    start = time.monotonic()
    model.fit(x[train], y[train])
    return 100 * np.mean(model.predict(x[test]) != y[test]), time.monotonic() - start


def measure(program, name, scratch):
    x, y = read(program, name)
    train, test = split(y)
    files = [os.path.join(scratch, f"{name}-{part}.npz") for part in ("train", "test")]
    for path, part in zip(files, (train, test)):
        np.savez(path, X=x[part], y=y[part])
    _, load, _ = run([program, "data", "info", files[0], "--json", "--missing", "majority"])
    classify = [program, "classify", *files, "--json", "--missing", "majority", "--per-class", "10"]
    energy, seconds, memory = run(classify)
    hidden, hidden_seconds, _ = run([*classify, "--features", "hidden"])
    # Missing values: the majority of the unit in the training part, as isinglass does it.
    bits = np.where(np.isnan(x), np.nanmean(x[train], axis=0) > 0.5, x) if x.dtype.kind == "f" else x
    bits = (bits > 0).astype(np.float64)
    logistic, logistic_seconds = sklearn_error(LogisticRegression(max_iter=1000), bits, y, train, test)
    bayes, _ = sklearn_error(BernoulliNB(), bits, y, train, test)
    print(f"| {name} | {len(y)} x {x.shape[1]} | {len(np.unique(y))} | {bits.mean():.1%} | {load:.2f} s | {seconds:.1f} s | "
          f"{memory:.0f} MB | {100 * energy['test_error']:.2f} | {100 * hidden['test_error']:.2f} ({hidden_seconds:.1f} s) | "
          f"{logistic:.2f} ({logistic_seconds:.1f} s) | {bayes:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/isinglass")
    parser.add_argument("--sets", nargs="+", default=SETS)
    options = parser.parse_args()
    print("| set | samples x units | classes | on | load | classify | memory | energy % | hidden % | logistic % | BernoulliNB % |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.sets:
            measure(options.program, name, scratch)


if __name__ == "__main__":
    main()
