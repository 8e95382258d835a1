#!/usr/bin/python3
"""memory.py - memory against likelihood: what training, constraints and learned patterns make of the ten digits

    bench/memory.py PICTURE.svg [--program build/isinglass] [--scratch DIR]

SPDX-License-Identifier: MIT

Needs MNIST (`isinglass data get mnist`) and gnuplot. A point is a network: its log-likelihood as an RBM, and the share
of the training images that the projection network of its patterns recalls, as published. Three curves are trainings
epoch by epoch, one is `patterns --learn` over --memory. Prints all points as a Markdown table.
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile

DATA = "mnist:train"
KAPPAS = ["0", "0.05", "0.2", "1", "5"]
TRAINING = ["--epochs", "12", "--batch", "500", "--estimator", "mean", "--rate", "1e-3,3e-4@6,1e-4@10",
            "--measure-every", "1"]
CURVES = [("free", "trained freely", 1), ("stiefel", "with orthonormal columns", 2),
          ("span", "in the span of learned patterns", 4), ("learned", "learned patterns over kappa", 3)]


def run(program, *words):
    """The JSON of a command."""
    done = subprocess.run([program, *words, "--json", "--quiet"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def trained(program, path, *words):
    """(epoch, L, recall in percent) of every epoch; a run that is there is not made again."""
    if not os.path.exists(os.path.join(path, "model.npz")):
        run(program, "train", DATA, "-o", path, *TRAINING, *words)
    with open(os.path.join(path, "measures.csv"), newline="") as file:
        return [(row["epoch"], float(row["log_likelihood"]), 100 * float(row["recall"])) for row in csv.DictReader(file)]


def learned(program, scratch):
    """(kappa, L, recall in percent); the patterns of kappa = 0 stay in the scratch directory."""
    points = []
    for kappa in KAPPAS:
        patterns, model = (os.path.join(scratch, f"{name}-{kappa}.npz") for name in ("learned", "mapped"))
        run(program, "patterns", DATA, "--learn", "--memory", kappa, "-o", patterns, "--force")
        run(program, "map", patterns, "--beta", "1.5", "-o", model, "--force")
        score = run(program, "score", model, DATA)["log_likelihood"]["value"]
        points.append((kappa, score, 100 * run(program, "recall", patterns, DATA)["accuracy"]))
    return points


def draw(path, points):
    marks = [f"${name} using 1:2 with linespoints lw 2 pt {mark} title '{title}'" for name, title, mark in CURVES]
    ends = [f"${name}_ends using 1:2:3 with labels left offset 0.6,0.4 notitle" for name, _, _ in CURVES]
    lines = ["set terminal svg size 900,600 noenhanced background 'white'", f"set output '{path}'",
             "set title 'Memory against likelihood: ten digits, ten hidden units'",
             "set xlabel 'log-likelihood per training image'", "set xrange [-270:-130]", "set yrange [50:80]",
             "set ylabel 'recall by the network of the patterns, %'", "set key top right", "set grid"]
    for name, _, _ in CURVES:
        lines += [f"${name} << EOD", *(f"{x} {y}" for _, x, y in points[name]), "EOD"]
        prefix = "kappa " if name == "learned" else "epoch "
        lines += [f"${name}_ends << EOD",
                  *(f'{x} {y} "{prefix}{label}"' for label, x, y in (points[name][0], points[name][-1])), "EOD"]
    lines.append("plot " + ", ".join(marks + ends))
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)
    with open(path) as file:
        text = [line.rstrip() for line in file]
    with open(path, "w") as file:
        file.write("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("picture")
    parser.add_argument("--program", default="build/isinglass")
    parser.add_argument("--scratch", default=tempfile.mkdtemp())
    options = parser.parse_args()
    os.makedirs(options.scratch, exist_ok=True)
    path = lambda name: os.path.join(options.scratch, name)
    points = {"learned": learned(options.program, options.scratch)}
    run(options.program, "map", path("learned-0.npz"), "-o", path("start.npz"), "--force")
    points["free"] = trained(options.program, path("free"))
    points["stiefel"] = trained(options.program, path("stiefel"), "--constraint", "stiefel")
    points["span"] = trained(options.program, path("span"), "--constraint", "span", "--init", path("start.npz"))
    draw(options.picture, points)
    print("| network | epoch or kappa | L | recall, % |\n|---|---:|---|---|")
    for name, title, _ in CURVES:
        for label, value, recall in points[name]:
            print(f"| {title} | {label} | {value:.2f} | {recall:.2f} |")


if __name__ == "__main__":
    main()
