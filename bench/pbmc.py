#!/usr/bin/python3
"""pbmc.py - cell types of 160 blood cells: cross-validated accuracy beside simple methods, and the marker genes

    bench/pbmc.py [--program build/isinglass] [--jobs 4]

SPDX-License-Identifier: MIT

Needs Debian's python3-sklearn and the set, which `isinglass data get pbmc` fetches. All methods see the same bits:
the threshold of a gene is learned from the training part alone, by the program as by NumPy here. Leave-one-out
comes with its binomial standard error; 5-fold (stratified) is the mean over 5 drawings of the folds, with the
standard deviation between them. Prints Markdown tables.
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

RULES = ["zero", "mean"]
SEEDS = range(1, 6)
MARKERS = {
    "B": ["CD79A", "MS4A1"],
    "NK": ["NKG7", "GNLY"],
    "CD14+ Mono": ["LYZ", "S100A9", "CD14"],
    "FCGR3A+ Mono": ["FCGR3A", "MS4A7"],
    "CD8 T": ["CD8A", "GZMK", "CCL5"],
    "DC": ["FCER1A", "CST3"],
    "Memory CD4 T": ["IL7R", "S100A4"],
    "Naive CD4 T": ["IL7R", "CCR7"],
}


def run(program, *words):
    """The JSON of a command."""
    done = subprocess.run([program, *words, "--json", "--quiet", "--threads", "1"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def read(program):
    where = run(program, "data", "get", "pbmc")["path"]
    with np.load(os.path.join(where, "pbmc.npz")) as file:
        return file["X"], file["y"], file["units"]


def nearest_mean(bits, y, train, test):
    classes = np.unique(y)
    means = np.array([bits[train][y[train] == label].mean(axis=0) for label in classes])
    distances = ((bits[test][:, None, :] - means) ** 2).sum(axis=2)
    return np.mean(classes[distances.argmin(axis=1)] == y[test])


def logistic(bits, y, train, test):
    """In coordinates of the space that the training samples span: the penalized weights lie in it, so the model is
    the same, and the fit much faster than in all units."""
    axes, _ = np.linalg.qr(bits[train].T)
    model = LogisticRegression(max_iter=1000).fit(bits[train] @ axes, y[train])
    return model.score(bits[test] @ axes, y[test])


def accuracies(program, x, y, units, rule, train, test):
    """The accuracy of every method, by its name, of one split."""
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        path = lambda name: os.path.join(scratch, name)
        for name, part in (("train.npz", train), ("test.npz", test)):
            np.savez(path(name), X=x[part], y=y[part], units=units)
        # A TEST with labels must have all classes, which a single sample has not.
        np.savez(path("unlabelled.npz"), X=x[test], units=units)
        for features in ("energy", "hidden"):
            for k in ("1", "2"):
                run(program, "classify", path("train.npz"), path("unlabelled.npz"), "--binarize", rule, "--features",
                    features, "--per-class", k, "--predictions", path("answers.csv"), "--force")
                with open(path("answers.csv"), newline="") as answers:
                    right = [row["predicted"] == label for row, label in zip(csv.DictReader(answers), y[test], strict=True)]
                found[f"`classify --features {features} --per-class {k}`"] = np.mean(right)
        run(program, "patterns", path("train.npz"), "--binarize", rule, "-o", path("p.npz"))
        recall = ["recall", path("p.npz"), path("test.npz"), "--force", "--projections", path("a.csv")]
        answer = run(program, *recall)
        found["`recall`, nearest pattern"] = answer["nearest_pattern_accuracy"]
        found["`recall --projections`"] = answer["projection"]["accuracy"]
        answer = run(program, *recall, "--class-means", path("train.npz"))
        found["`recall --projections --class-means`"] = answer["projection"]["accuracy"]
    bits = np.where(x > (x[train].mean(axis=0) if rule == "mean" else 0), 1.0, -1.0)
    found["nearest class mean (NumPy)"] = nearest_mean(bits, y, train, test)
    found["LogisticRegression (scikit-learn)"] = logistic(bits, y, train, test)
    return found


def weighted(folds, results):
    """The share of all samples that are right, by method."""
    sizes = [len(test) for _, test in folds]
    return {name: np.average([result[name] for result in results], weights=sizes) for name in results[0]}


def cross_validate(program, x, y, units, jobs):
    """For each rule, the texts of leave-one-out and 5-fold, by method."""
    table = {}
    with ThreadPoolExecutor(jobs) as pool:
        for rule in RULES:
            drawings = [list(LeaveOneOut().split(x))]
            drawings += [list(StratifiedKFold(5, shuffle=True, random_state=seed).split(x, y)) for seed in SEEDS]
            shares = []
            for folds in drawings:
                results = list(pool.map(lambda fold: accuracies(program, x, y, units, rule, *fold), folds))
                shares.append(weighted(folds, results))
            for name, one in shares[0].items():
                five = [share[name] for share in shares[1:]]
                table.setdefault(name, []).extend([
                    f"{100 * one:.1f} +- {100 * np.sqrt(one * (1 - one) / len(y)):.1f}",
                    f"{100 * np.mean(five):.1f} +- {100 * np.std(five, ddof=1):.1f}"])
    return table


def top_genes(program):
    """The ten most distinctive genes by type, known markers of any type in bold, and the ranks of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        found = run(program, "patterns", "pbmc", "--binarize", "mean", "--drop-constant", "--top", "100", "-o",
                    os.path.join(scratch, "p.npz"))
    ranks = {}
    for unit in found["distinctive"]:
        ranks.setdefault(unit["label"], {})[unit["name"]] = unit["rank"]
    every = {gene for known in MARKERS.values() for gene in known}
    print("| type | ten most distinctive genes | ranks of its known markers |\n|---|---|---|")
    for label, genes in ranks.items():
        top = ", ".join(f"**{gene}**" if gene in every else gene for gene in list(genes)[:10])
        known = ", ".join(f"{gene} {genes.get(gene, '> 100')}" for gene in MARKERS[label])
        print(f"| {label} | {top} | {known} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/isinglass")
    parser.add_argument("--jobs", type=int, default=4, help="splits at the same time [default: 4]")
    options = parser.parse_args()
    x, y, units = read(options.program)
    top_genes(options.program)
    print("\n| method | " + " | ".join(f"{rule}: leave-one-out | {rule}: 5-fold" for rule in RULES) + " |")
    print("|---|---|---|---|---|")
    for name, texts in cross_validate(options.program, x, y, units, options.jobs).items():
        print(f"| {name} | {' | '.join(texts)} |", flush=True)


if __name__ == "__main__":
    main()
