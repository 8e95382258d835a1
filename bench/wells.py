#!/usr/bin/python3
# wells.py - ln Z by wells: against exact and reference values, its stated errors, its cost, and what it refuses
#
# SPDX-License-Identifier: MIT
#
#   bench/wells.py [BUILD-DIRECTORY] [--scratch DIR] [--seeds S] [--only reference|coverage|cost|models]
#
# reference  MNIST, k patterns per class: values found by an independent prototype of the same division
# coverage   ln Z of models that are known exactly, from S seeds: how many are within one and two stated errors
# cost       time and peak memory, N = 784 with p = 10 to 200, and N = 20,000 with p = 100
# models     ten models from random weights to overtrained: what is trusted, what is refused, and why
#
# Models are made once and kept if the scratch directory is named. Coverage takes about an hour of one core
# for 50 seeds, all else about half of that.
import argparse, json, math, os, re, subprocess, sys, tempfile
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("build", nargs="?", default="build")
parser.add_argument("--scratch")
parser.add_argument("--seeds", type=int, default=50)
parser.add_argument("--only", choices=["reference", "coverage", "cost", "models"])
o = parser.parse_args()
program = os.path.abspath(os.path.join(o.build, "isinglass"))
scratch = o.scratch or tempfile.mkdtemp()
os.makedirs(scratch, exist_ok=True)


def run(*arguments):
    """The JSON result of a command, with its peak memory in MiB."""
    done = subprocess.run(["/usr/bin/time", "-f", "peak %M", program, *map(str, arguments), "--json", "--quiet"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    result["peak"] = int(re.search(r"peak (\d+)", done.stderr)[1]) / 1024
    return result


def made(name, *arguments):
    """A file or run, made by a command unless it is there."""
    path = os.path.join(scratch, name)
    if not os.path.exists(path):
        run(*arguments, "-o", path)
    return path


def hopfield(k):
    patterns = made(f"patterns-{k}.npz", "patterns", "mnist:train", "--per-class", k)
    return made(f"hopfield-{k}.npz", "map", patterns)


def trust(log_z):
    return "at least" if log_z["side"] == "bound" else "trusted" if log_z["trusted"] else "refused: " + log_z["reason"]


def reference():
    known = {5: {1.5: (670.646, 0.008), 2: (812.250, 0.010), 3: (1183.856, 0.002), 4: (1573.125, 0.001)},
             10: {2: (854.261, 0.010), 2.5: (1016.666, 0.011)}}
    print(f"{'k':>3} {'beta':>5} {'ln Z':>11} {'+-':>8} {'reference':>10} {'+-':>6} {'apart':>6} {'in wells':>9} {'bound':>11}")
    for k in (1, 5, 8, 10):
        betas = sorted({1, 1.5, 2, 2.5, 3, 4, 5, 7, 8.5, 10} | set(known.get(k, {})))
        curve = run("score", hopfield(k), "mnist:train", "--betas", ",".join(map(str, betas)))
        for at in curve["betas"]:
            z, beta = at["log_z"], at["beta"]
            value, error = known.get(k, {}).get(beta, (math.nan, math.nan))
            apart = (z["value"] - value) / math.hypot(z["error"], error) if z["error"] else math.nan
            print(f"{k:3} {beta:5} {z['value']:11.4f} {z['error'] or math.nan:8.2g} {value:10.3f} {error:6.3f} {apart:6.1f}"
                  f" {z['shares']['wells'] or 0:9.4f} {z['bound']:11.4f}  {trust(z)}", flush=True)


# ---- models that are known ------------------------------------------------------------------------

def save(name, beta, w, b=None, c=None):
    path = os.path.join(scratch, name + ".npz")
    n, p = w.shape
    np.savez(path, W=w, b=np.zeros(n) if b is None else b, c=np.zeros(p) if c is None else c, beta=np.float64(beta))
    return path


def blocks(beta, rng):
    """49 blocks of 16 units with one hidden unit each, turned and shuffled: 2^49 minima."""
    w = np.zeros((784, 49))
    log_z = 0
    states = np.array(np.meshgrid(*[[-1, 1]] * 16)).reshape(16, -1)
    for k in range(49):
        own = 1 + 0.3 * rng.standard_normal(16)
        own *= math.sqrt(beta) / np.linalg.norm(own)
        w[16 * k:16 * k + 16, k] = own
        exponents = beta / 2 * (own @ states)**2
        log_z += math.log(np.exp(exponents - exponents.max()).sum()) + exponents.max()
    turn = np.linalg.qr(rng.standard_normal((49, 49)))[0]
    return save(f"blocks-{beta}", beta, rng.permutation(w @ turn)), log_z


def oracles():
    rng = np.random.default_rng(1)
    for beta in (0.5, 1, 2):
        for strength in (1.2, 2.5):
            w = strength / math.sqrt(20 * beta) * rng.standard_normal((20, 5))
            path = save(f"small-{beta}-{strength}", beta, w, 0.2 / beta * rng.standard_normal(20),
                        0.5 * rng.standard_normal(5))
            yield f"enumeration, N = 20, p = 5, fields, strength {strength}", beta, path, None
    for beta in (0.5, 1, 2):
        w = 1.5 / math.sqrt(300 * beta) * rng.standard_normal((300, 3))
        path = save(f"wide-{beta}", beta, w, 0.2 / beta * rng.standard_normal(300), 0.5 * rng.standard_normal(3))
        yield "quadrature, N = 300, p = 3, fields", beta, path, None
    w = rng.choice([-1.0, 1.0], (784, 3)) / 28
    yield "class sums, N = 784, p = 3", 2, save("classes", 2, w, 0.02 * w[:, 0] * 28), None
    for beta in (1, 2, 4):
        yield "2^49 minima, N = 784, p = 49", beta, *blocks(beta, rng)


def coverage():
    print(f"{'model':48} {'beta':>4} {'ln Z':>11} {'in wells':>9} {'typical error':>13} {'mean z':>7} {'1 sd':>5} {'2 sd':>5} refused")
    total = []
    for name, beta, path, exact in oracles():
        exact = run("score", path, "--method", "exact")["log_z"]["value"] if exact is None else exact
        seeds = o.seeds if "minima" not in name else max(o.seeds // 10, 2) # minutes each, most of it the search
        found = [run("score", path, "--method", "wells", "--seed", seed)["log_z"] for seed in range(1, seeds + 1)]
        kept = [f for f in found if f["trusted"]]
        z = np.array([(f["value"] - exact) / f["error"] for f in kept])
        total.extend(z)
        print(f"{name:48} {beta:4} {exact:11.4f} {np.mean([f['shares']['wells'] for f in found]):9.4f}"
              f" {np.median([f['error'] for f in kept] or [math.nan]):13.2g} {z.mean():7.2f} {(abs(z) < 1).mean():5.0%}"
              f" {(abs(z) < 2).mean():5.0%} {len(found) - len(kept)}", flush=True)
    z = np.array(total)
    print(f"all {len(z)}: {(abs(z) < 1).mean():.1%} within one error, {(abs(z) < 2).mean():.1%} within two, mean {z.mean():.2f}")


# ---- cost, and models without a known answer ------------------------------------------------------

def show(name, result):
    z = result["log_z"]
    print(f"{name:34} {z['value']:11.3f} {z['error'] or math.nan:8.2g} {z['shares']['wells'] or 0:7.3f} {result['seconds']:8.1f}"
          f" {result['peak']:7.0f}  {z['method']}, {trust(z)}", flush=True)


def cost():
    print(f"{'model':34} {'ln Z':>11} {'+-':>8} {'wells':>7} {'seconds':>8} {'MiB':>7}")
    for k in (1, 5, 10, 20):
        for beta in (2, 4):
            show(f"N = 784, p = {10 * k}, beta {beta}", run("score", hopfield(k), "--beta", beta))
    data, labels = (os.path.join(scratch, "cells" + end) for end in (".mtx", ".csv"))
    if not os.path.exists(labels):
        subprocess.run([os.path.join(here, "cells.py"), data, labels, "--cells", "2000", "--genes", "20000"], check=True)
    patterns = made("cells-patterns.npz", "patterns", data, "--labels", labels, "--per-class", 13, "--binarize", "mean") # of 8 types
    model = made("cells-model.npz", "map", patterns)
    for beta in (2, 4):
        show(f"N = 20000, p = {run('map', patterns, '-o', model, '--force')['n_hidden']}, beta {beta}",
             run("score", model, "--beta", beta))


def models():
    train = ["train", "mnist:train"]
    many = {
        "p = 10, random, sd 0.01": [*train, "--init", "normal", "--sd", 0.01, "--hidden", 10, "--epochs", 0],
        "p = 10, random, sd 0.1": [*train, "--init", "normal", "--sd", 0.1, "--hidden", 10, "--epochs", 0],
        "p = 50, random, sd 0.1": [*train, "--init", "normal", "--sd", 0.1, "--hidden", 50, "--epochs", 0],
        "p = 50, random, sd 0.036": [*train, "--init", "normal", "--sd", 1 / 28, "--hidden", 50, "--epochs", 0],
        "p = 10, Hopfield, 10 epochs": [*train, "--batch", 1000, "--epochs", 10],
        "p = 10, 3 epochs with fields": [*train, "--fields", "--epochs", 3],
        "p = 50, Hebbian": [*train, "--init", "hebbian", "--per-class", 5, "--epochs", 0],
        "p = 50, Hopfield, 2 epochs": [*train, "--per-class", 5, "--epochs", 2],
        "p = 50, principal axes, 10 epochs": [*train, "--init", "pca", "--hidden", 50, "--epochs", 10],
        "p = 50, random, 20 epochs at 5e-4": [*train, "--init", "normal", "--sd", 0.1, "--hidden", 50, "--epochs", 20,
                                              "--rate", "5e-4"],
    }
    print(f"{'model':34} {'ln Z':>11} {'+-':>8} {'wells':>7} {'seconds':>8} {'MiB':>7}")
    for number, (name, how) in enumerate(many.items()):
        path = made(f"model-{number}", *how)
        show(name, run("score", path, "mnist:train"))


for part in (reference, coverage, cost, models):
    if o.only in (None, part.__name__):
        print(f"\n{part.__name__}")
        part()
