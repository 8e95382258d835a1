#!/usr/bin/python3
"""beyond.py - starts, constraints and classifiers that the paper has not: likelihoods and errors on four real sets

    bench/beyond.py [--program build/isinglass] [--sets NAME ...] [--without-peers]

SPDX-License-Identifier: MIT

Needs Debian's python3-sklearn and the sets: `isinglass data get mnist`, fashion, supermarket, mushrooms. All methods
see the same bits and the same split: the sets of images have their own, of the others a share of 30 % of every class,
drawn with seed 1, is for testing. Likelihoods are those of the training samples, at the best of the betas of SCAN for
what is not trained; what is trained starts from the class patterns at beta 2. Prints Markdown tables.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
from real_data import split
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

SETS = {"mnist": 1, "fashion": 1, "supermarket": 2, "mushrooms": 5}  # patterns per class of one model of all classes
EXPERTS = 10                                                         # per class, of a classifier
SCAN = "0.5,0.75,1,1.25,1.5,1.75,2,2.5,3,4"
UPDATES = 1440  # 12 epochs of MNIST in batches of 500
STEPS = [(1e-3, 0), (3e-4, 0.5), (1e-4, 10 / 12)]


def run(program, *words):
    """The JSON of a command."""
    done = subprocess.run([program, *words, "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def idx(path):
    """An IDX file of bytes as an array."""
    content = np.fromfile(path, np.uint8)
    axes = content[3]
    return content[4 + 4 * axes :].reshape(content[4 : 4 + 4 * axes].view(">u4"))


def prepare(program, name, scratch):
    """Names of the two parts for the program, and their spins and labels."""
    where = run(program, "data", "get", name)["path"]
    if name in ("mnist", "fashion"):
        names = [name + ":train", name + ":test"]
        parts = [[idx(os.path.join(where, f"{part}-{kind}-ubyte")) for kind in ("images-idx3", "labels-idx1")]
                 for part in ("train", "t10k")]
        threshold = 0.01 * 255
    else:
        names = [os.path.join(scratch, part) for part in ("train.npz", "test.npz")]
        with np.load(os.path.join(where, name + ".npz")) as file:
            parts = [[file["X"][rows], file["y"][rows]] for rows in split(file["y"])]
        for (x, y), path in zip(parts, names):
            np.savez(path, X=x, y=y)
        threshold = 0
    return names, *[(np.where(x.reshape(len(y), -1) > threshold, 1.0, -1.0), y) for x, y in parts]


def best_score(program, model, data):
    """The largest mean log-likelihood over SCAN, and its beta; a point that is not trusted ends the program."""
    points = run(program, "score", model, data, "--betas", SCAN)["betas"]
    best = max(points, key=lambda point: point["log_likelihood"][0])
    if not best["log_z"]["trusted"]:
        raise SystemExit(f"{model} at beta {best['beta']}: {best['log_z']['reason']}")
    return best["log_likelihood"][0], best["beta"]


def trained_score(program, data, n_samples, per_class, words, path):
    batch = 500 if n_samples > 20000 else 50
    epochs = max(12, round(UPDATES * batch / n_samples))
    rate = ",".join(f"{eta:g}@{round(at * epochs)}" if at else f"{eta:g}" for eta, at in STEPS)
    result = run(program, "train", data, "-o", path, "--per-class", str(per_class), *words, "--epochs", str(epochs), "--batch", str(batch),
                 "--estimator", "mean", "--rate", rate, "--score-every", str(epochs), "--force")
    return result["log_likelihood"]["value"]


def likelihoods(program, data, n_samples, per_class, scratch):
    path = lambda name: os.path.join(scratch, name)
    patterns = ("--per-class", str(per_class))
    run(program, "patterns", data, "-o", path("start.npz"), *patterns, "--force")
    learned = run(program, "patterns", data, "-o", path("learned.npz"), *patterns, "--learn", "--force")
    found = {"capture": [learned["capture_before"], learned["capture"], learned["ceiling"]]}
    for name in ("start", "learned"):
        run(program, "map", path(name + ".npz"), "-o", path(name + "_rbm.npz"), "--force")
    run(program, "map", data, "--init", "axes", "--hidden", str(learned["n_patterns"]), "-o", path("axes_rbm.npz"), "--force")
    for name in ("start", "learned", "axes"):
        found[name] = best_score(program, path(name + "_rbm.npz"), data)
    for title, words in (("stiefel", ("--constraint", "stiefel")),
                         ("and beta", ("--constraint", "stiefel", "--learn-beta")), ("free", ())):
        found[title] = trained_score(program, data, n_samples, per_class, words, path("run"))
    return found


def errors(program, names, train, test, per_class, with_peers):
    """Test errors in percent, by the name of the method."""
    found = {}
    for title, words in (("energies", ()), ("squares", ("--features", "squares")), ("fine-tuned", ("--finetune",)),
                         ("fine-tuned squares", ("--features", "squares", "--finetune"))):
        result = run(program, "classify", *names, "--per-class", str(per_class), *words)
        found[title] = 100 * result["test_error"]
    if with_peers:
        penalty = 0.01 if len(train[1]) > 20000 else 1  # 0.01 or 1, by a held-out tenth; they tie for supermarket
        for title, model in (("logistic regression", LogisticRegression(C=penalty, max_iter=1000)),
                             ("perceptron", MLPClassifier((100,), random_state=1, early_stopping=True))):
            model.fit(*train)
            found[title] = 100 * (1 - model.score(*test))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/isinglass")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--without-peers", action="store_true")
    options = parser.parse_args()
    rows = {}
    for name in options.sets:
        with tempfile.TemporaryDirectory() as scratch:
            names, train, test = prepare(options.program, name, scratch)
            rows[name] = (likelihoods(options.program, names[0], len(train[0]), SETS[name], scratch),
                          errors(options.program, names, train, test, EXPERTS, not options.without_peers))
            rows[name][0]["p"] = SETS[name] * len(set(train[1]))
        print(name, rows[name], flush=True)
    print("\n| set | p | capture: class patterns, learned, of at most | L: class patterns | learned | axes | Stiefel | "
          "with beta | free |\n|---|---:|---|---|---|---|---|---|---|")
    for name, (found, _) in rows.items():
        cells = [f"{value:.1f} ({beta:g})" for value, beta in (found[key] for key in ("start", "learned", "axes"))]
        print(f"| {name} | {found['p']} | {', '.join(f'{value:.3f}' for value in found['capture'])} | "
              f"{' | '.join(cells)} | {found['stiefel']:.1f} | {found['and beta']:.1f} | {found['free']:.1f} |")
    titles = list(next(iter(rows.values()))[1])
    print(f"\n| set | {' | '.join(titles)} |\n|---|{'---|' * len(titles)}")
    for name, (_, found) in rows.items():
        print(f"| {name} | {' | '.join(f'{found[title]:.2f}' for title in titles)} |")


if __name__ == "__main__":
    main()
