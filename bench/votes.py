#!/usr/bin/python3
"""votes.py - the House votes of 1984: likelihood, parties, and votes that were hidden and filled in again

    bench/votes.py [--program build/isinglass] [--repeats 10] [--tune]

SPDX-License-Identifier: MIT

Needs Debian's python3-numpy and the set, which `isinglass data get votes` fetches. Every repeat draws its own
30 % of every party for testing. Of the votes known there, a share is hidden; the model, trained on the other
70 % with the votes missing in them drawn anew in every update, fills them in, and so do two rules: the majority
of all members of the training part, and that of the member's party, which the model is not told. Errors are
standard errors over the repeats. --tune tries settings on parts of the training part of the first repeat.
Prints Markdown tables.
"""
import argparse
import itertools
import json
import os
import subprocess
import tempfile

import numpy as np

SHARES = [0.1, 0.3, 0.5]
FOLDS = 10
TOP = 6  # votes of a party
FEATURES = ["energy", "hidden"]
# Chosen by --tune: the largest L of the samples held out, whose noise is less than that of the accuracy.
CHOSEN = {"init": "hopfield", "per-class": 2, "beta": 2, "rate": 0.01, "epochs": 500}

# With half of the votes hidden, patterns may be dependent.
ALL_AT_ONCE = {"init": "pca", "hidden": 4, "beta": 2, "rate": 0.01, "epochs": 200}


def run(program, *words):
    """The JSON of a command."""
    done = subprocess.run([program, *words, "--json", "--quiet", "--threads", "1"], stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def read(program):
    where = run(program, "data", "get", "votes")["path"]
    with np.load(os.path.join(where, "votes.npz")) as file:
        return file["X"], file["y"], file["units"]


def split(y, share, rng):
    """Which samples are for testing: a share of every class."""
    test = np.zeros(len(y), bool)
    for label in np.unique(y):
        here = rng.permutation(np.flatnonzero(y == label))
        test[here[: round(share * len(here))]] = True
    return test


class Bench:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        self.x, self.y, self.units = read(program)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def save(self, name, x, y):
        np.savez(self.path(name), X=x, y=y, units=self.units)
        return self.path(name)

    def train(self, x, y, seed, settings):
        words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
        run(self.program, "train", self.save("train.npz", x, y), "--missing", "impute",
            "--batch", "50", "--fields", "--seed", str(seed), "-o", self.path("run"), "--force", *words)
        return self.path("run")

    def impute(self, model, x, y, seed):
        """The data as the model completes them."""
        run(self.program, "impute", model, self.save("hidden.npz", x, y), "-o", self.path("full.npz"), "--force",
            "--seed", str(seed))
        with np.load(self.path("full.npz")) as file:
            return file["X"]

    def score(self, model, x, y):
        found = run(self.program, "score", model, self.save("score.npz", x, y), "--missing", "impute")
        return found["log_likelihood"]["value"]

    def classify(self, train, test, *words):
        """The share of wrong answers."""
        files = [self.save(f"{name}.npz", self.x[part], self.y[part]) for name, part in
                 (("train", train), ("test", test))]
        return run(self.program, "classify", *files, *words)["test_error"]


def hide(x, share, rng):
    """A copy in which a share of the known values is missing, and which."""
    known = np.argwhere(~np.isnan(x))
    chosen = known[rng.permutation(len(known))[: round(share * len(known))]]
    hidden = np.zeros(x.shape, bool)
    hidden[chosen[:, 0], chosen[:, 1]] = True
    return np.where(hidden, np.nan, x), hidden


def fill_by_party(x, y, test_y):
    by = {label: np.nanmean(x[y == label], axis=0) > 0.5 for label in np.unique(y)}
    return np.array([by[label] for label in test_y])


def accuracies(bench, model, train, test, share, rng, seed):
    x, y = bench.x, bench.y
    given, hidden = hide(x[test], share, rng)
    truth = x[test][hidden] > 0
    by_all = np.broadcast_to(np.nanmean(x[train], axis=0) > 0.5, given.shape)
    answers = {"majority": by_all, "majority of the party": fill_by_party(x[train], y[train], y[test]),
               "model": bench.impute(model, given, y[test], seed) > 0}
    return {name: 100 * np.mean(answer[hidden] == truth) for name, answer in answers.items()}


def tune(bench):
    """Settings by the accuracy of 30 % hidden votes and L, on a part of the training part alone."""
    rng = np.random.RandomState(1)
    inner = np.flatnonzero(~split(bench.y, 0.3, rng))
    grid = {"init": ["hopfield"], "per-class": [1, 2, 3, 5], "beta": [0.5, 1, 2], "rate": [0.01], "epochs": [50, 200, 500]}
    for values in itertools.product(*grid.values()):
        settings = dict(zip(grid, values))
        found, likelihood = [], []
        for k in range(3):
            part = np.random.RandomState(100 + k)
            held = split(bench.y[inner], 0.3, part)
            train, test = inner[~held], inner[held]
            model = bench.train(bench.x[train], bench.y[train], k + 1, settings)
            found.append(accuracies(bench, model, train, test, 0.3, part, k + 1)["model"])
            likelihood.append(bench.score(model, bench.x[test], bench.y[test]))
        print(settings, f"accuracy {np.mean(found):.2f}, L {np.mean(likelihood):.3f}", flush=True)


def with_error(values, digits=1):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{digits}f}"


def fill_in(bench, repeats):
    found = {share: [] for share in SHARES}
    likelihood = {"train": [], "test": []}
    for k in range(repeats):
        rng = np.random.RandomState(k + 1)
        held = split(bench.y, 0.3, rng)
        train, test = ~held, held
        model = bench.train(bench.x[train], bench.y[train], k + 1, CHOSEN)
        for name, part in (("train", train), ("test", test)):
            likelihood[name].append(bench.score(model, bench.x[part], bench.y[part]))
        for share in SHARES:
            found[share].append(accuracies(bench, model, train, test, share, rng, k + 1))
    names = list(found[SHARES[0]][0])
    print(f"\nAccuracy of hidden votes in %, {repeats} repeats:\n")
    print("| hidden | " + " | ".join(names) + " | model - majority |\n|---|" + "---|" * (len(names) + 1))
    for share in SHARES:
        cells = [with_error([one[name] for one in found[share]]) for name in names]
        cells.append(with_error([one["model"] - one["majority"] for one in found[share]]))
        print(f"| {share:.0%} | " + " | ".join(cells) + " |")
    print(f"\nL per member: {with_error(likelihood['train'], 2)} on the training parts, "
          f"{with_error(likelihood['test'], 2)} on the others.")


def parties(bench, share):
    """Cross-validation of classify, with a share of the known votes hidden everywhere; the third way is one model
    of both parties that completes all samples first."""
    rng = np.random.RandomState(5)
    whole, wrong = bench.x, {}
    bench.x, _ = hide(whole, share, rng)
    fold = np.empty(len(bench.y), int)
    for label in np.unique(bench.y):
        here = rng.permutation(np.flatnonzero(bench.y == label))
        fold[here] = np.arange(len(here)) % FOLDS
    given = bench.x
    for k in range(FOLDS):
        train, test = fold != k, fold == k
        model = bench.train(given[train], bench.y[train], k + 1, ALL_AT_ONCE)
        full = bench.impute(model, given, bench.y, k + 1)
        for features, (way, x) in itertools.product(FEATURES, (("majority", given), ("impute", given),
                                                               ("impute first", full))):
            bench.x = x
            wrong.setdefault((features, way), []).append(100 * bench.classify(
                train, test, "--missing", way.split()[0], "--features", features, "--per-class", "2", "--beta", "2",
                "--rate", "0.01", "--epochs", "50", "--batch", "50", "--fields"))
    bench.x = whole
    ways = [way for features, way in wrong if features == FEATURES[0]]
    print(f"\nError of the party in %, {share:.0%} hidden, {FOLDS}-fold cross-validation:\n\n| features | " +
          " | ".join(ways) + " |\n|---|" + "---|" * len(ways))
    for features in FEATURES:
        print(f"| {features} | " + " | ".join(with_error(wrong[features, way]) for way in ways) + " |")


def sweeps(bench):
    """How long it takes until draws have settled, by L of what they complete, and how exact probabilities are."""
    rng = np.random.RandomState(5)
    model = bench.train(bench.x, bench.y, 1, CHOSEN)
    given, _ = hide(bench.x, 0.5, rng)
    data, full, shares = bench.save("half.npz", given, bench.y), bench.path("full.npz"), bench.path("p.npz")
    print("\n| sweeps | L of a draw, half of the votes hidden |\n|---|---|")
    for count in (1, 2, 5, 10, 20, 50, 100, 1000):
        found = []
        for seed in range(1, 7):
            run(bench.program, "impute", model, data, "-o", full, "--force", "--draw", "--sweeps", str(count),
                "--average", "1", "--seed", str(seed))
            found.append(run(bench.program, "score", model, full)["log_likelihood"]["value"])
        print(f"| {count} | {with_error(found, 2)} |")
    print("\n| averaged over | error of p, root mean square | on the wrong side of 1/2 |\n|---|---|---|")
    exact, missing = None, np.isnan(given)
    for count in (20000, 50, 200, 1000):
        run(bench.program, "impute", model, data, "-o", full, "--force", "--probabilities", shares, "--average",
            str(count), "--seed", str(count))
        with np.load(shares) as file:
            p = file["P"][missing]
        exact = p if exact is None else exact
        if p is not exact:
            print(f"| {count} | {np.sqrt(np.mean((p - exact) ** 2)):.3f} | {np.mean((p > 0.5) != (exact > 0.5)):.1%} |")


def patterns(bench):
    """Which party votes how."""
    found = run(bench.program, "patterns", "votes", "--missing", "majority", "--top", str(TOP), "-o",
                bench.path("patterns.npz"))
    print("\n| party | votes yea on | share of the party | of the other |\n|---|---|---|---|")
    for unit in found["distinctive"]:
        print(f"| {unit['label']} | {unit['name']} | {unit['share_in_class']:.2f} | {unit['share_in_rest']:.2f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/isinglass")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--tune", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options.program, scratch)
        if options.tune:
            tune(bench)
            return
        print(f"{len(bench.y)} members, {bench.x.shape[1]} votes, {np.isnan(bench.x).mean():.1%} missing; {CHOSEN}")
        fill_in(bench, options.repeats)
        parties(bench, 0)
        parties(bench, 0.5)
        sweeps(bench)
        patterns(bench)


if __name__ == "__main__":
    main()
