#!/usr/bin/python3
"""dead_ends.py - other ways to keep the columns of W orthonormal during training, which did not make it

    bench/dead_ends.py [--program build/isinglass]

SPDX-License-Identifier: MIT

Needs MNIST (`isinglass data get mnist`) and NumPy. Contrastive divergence of 5 sweeps on the ten digits, from the
weights of the class patterns: free; with W replaced by its polar factor after every update (--constraint stiefel), or
only after every epoch; and with the gradient of a penalty strength/4 |W'W - 1|^2. The program scores what comes out, and
its polar factor: a network whose J is not a projector has to become one before it has patterns that are fixed points.
Prints a Markdown table.
"""
import argparse
import os
import tempfile

import numpy as np
from beyond import idx, run

BETA, BATCH, EPOCHS, SWEEPS = 2.0, 500, 12, 5
WAYS = {"free": (None, 0), "polar factor after every update": ("update", 0), "after every epoch": ("epoch", 0),
        "penalty of strength 10": (None, 10), "of strength 100": (None, 100)}


def polar(w):
    u, _, v = np.linalg.svd(w, full_matrices=False)
    return u @ v


def defect(w):
    return np.abs(w.T @ w - np.eye(w.shape[1])).max()


def rate(epoch):
    return 1e-3 if epoch < 6 else 3e-4 if epoch < 10 else 1e-4


def difference(w, batch, rng):
    """Of the correlations of spins and mean hidden units, per chain, between the data and the chains."""
    s = batch
    for _ in range(SWEEPS):
        hidden = s @ w + rng.standard_normal((len(s), w.shape[1]), dtype=np.float32) / np.float32(BETA) ** 0.5
        s = np.where(rng.random(s.shape, dtype=np.float32) < 1 / (1 + np.exp(-2 * BETA * (hidden @ w.T))), 1, -1)
        s = s.astype(np.float32)
    return (batch.T @ (batch @ w) - s.T @ (s @ w)) * BETA / len(batch)


def train(w, spins, when, strength):
    rng = np.random.default_rng(1)
    for epoch in range(EPOCHS):
        for start in range(0, len(spins), BATCH):
            step = difference(w, spins[start : start + BATCH], rng)
            w = w + np.float32(rate(epoch)) * (step - strength * w @ (w.T @ w - np.eye(w.shape[1], dtype=np.float32)))
            w = polar(w) if when == "update" else w
        w = polar(w) if when == "epoch" else w
    return w


def score(program, w, scratch):
    path = os.path.join(scratch, "model.npz")
    np.savez(path, W=w.astype(float), b=np.zeros(len(w)), c=np.zeros(w.shape[1]), beta=BETA)
    return run(program, "score", path, "mnist:train")["log_likelihood"]["value"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/isinglass")
    program = parser.parse_args().program
    where = run(program, "data", "get", "mnist")["path"]
    images, labels = (idx(os.path.join(where, f"train-{kind}-ubyte")) for kind in ("images-idx3", "labels-idx1"))
    spins = np.where(images.reshape(len(labels), -1) > 0.01 * 255, np.float32(1), np.float32(-1))
    patterns = np.array([np.where(spins[labels == k].mean(axis=0) > 0, 1, -1) for k in range(10)], np.float32).T
    print("| constraint | largest \\|W'W - 1\\| | L | L of its polar factor |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name, (when, strength) in WAYS.items():
            w = train(np.linalg.qr(patterns)[0], spins, when, strength).astype(float)
            print(f"| {name} | {defect(w):.2g} | {score(program, w, scratch):.2f} | "
                  f"{score(program, polar(w), scratch):.2f} |", flush=True)


if __name__ == "__main__":
    main()
