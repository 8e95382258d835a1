#!/usr/bin/python3
"""sklearn_table.py - the estimators of the Python package beside those of scikit-learn: test error and fit time

    bench/sklearn_table.py [--data digits mnist] [--components 100 200] [--data-dir DIR] [--search] [--markdown]

SPDX-License-Identifier: MIT

Needs the package isinglass, scikit-learn and, for mnist, the IDX files in DIR/mnist ($ISINGLASS_DATA by default).
All estimators get the same zeros and ones, as float32, and all hidden units that a row has are counted: ten experts of
HopfieldClassifier with 10 units each are 100 components. BernoulliRBM has its 10 iterations, at its own rate of 0.1
and at a better one, if there is one. --search shows how settings were chosen, by cross-validation on training data
alone, for both sides. The hidden units of HopfieldRBM are linear in the samples, so that a regression on them is at
best about as good as the one on all values in the last row; with features="both" their squares are there, too, the
terms of which the energies of HopfieldClassifier are made. Features are standardized for every regression. Times are
of one fit each in this process, as long as it takes and as CPU seconds of all threads, which other work on the machine
changes less; they depend on the BLAS of NumPy, which is told first.
"""
import argparse
import os
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import isinglass
from isinglass import HopfieldClassifier, HopfieldRBM

SEED = 1
#: Grey levels above this are 1.
THRESHOLDS = {"digits": 7.5, "mnist": 2.55}
COMPONENTS = {"digits": [50], "mnist": [100]}  # 64 values have no 100 independent patterns

# The best of --search, and for the experts, whose error still falls with more epochs there, its shorter training, too.
BERNOULLI = {"digits": {"learning_rate": 0.3}, "mnist": {"learning_rate": 0.03}}
RBM = {"n_iter": 0}
EXPERTS = {"digits": {"learning_rate": 1e-3, "gibbs_steps": 1, "beta": 1.0},
           "mnist": {"learning_rate": 1e-3, "gibbs_steps": 1}}
EPOCHS = [5, 20]


def read(name, folder):
    """Training and test data as zeros and ones."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=SEED)
    else:
        (X, y), (X_test, y_test) = (
            (np.fromfile(folder / "mnist" / f"{part}-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 784),
             np.fromfile(folder / "mnist" / f"{part}-labels-idx1-ubyte", np.uint8)[8:]) for part in ("train", "t10k"))
    return (*((x > THRESHOLDS[name]).astype(np.float32) for x in (X, X_test)), y, y_test)


def with_regression(rbm):
    return Pipeline([("rbm", rbm), ("scale", StandardScaler()), ("regression", LogisticRegression(max_iter=1000))])


def estimators(name, components):
    """Rows of the table: what it is called, and the estimator."""
    rows = []
    for count in components:
        rows.append((BernoulliRBM(count, random_state=SEED), count))
        if BERNOULLI[name]:
            rows.append((BernoulliRBM(count, random_state=SEED, **BERNOULLI[name]), count))
        rows += [(HopfieldRBM(count, random_state=SEED, features=features, **RBM), count)
                 for features in ("hidden", "both")]
        each = max(1, count // 10)
        rows.append((HopfieldClassifier(per_class=each, random_state=SEED), 10 * each))
        rows += [(HopfieldClassifier(per_class=each, random_state=SEED, n_iter=n_iter, **EXPERTS[name]), 10 * each)
                 for n_iter in EPOCHS]
    rows += [(BernoulliNB(), 0), (LogisticRegression(), 0)]  # on 784 values, 1000 steps would take half an hour
    return [(title(made), count, with_regression(made) if hasattr(made, "transform") else made) for made, count in rows]


def title(estimator):
    """The estimator as one would write it, without what says nothing about the result."""
    defaults = type(estimator)().get_params()
    kept = {key: value for key, value in estimator.get_params().items()
            if key not in ("random_state", "max_iter") and value != defaults[key]}
    first = [str(kept.pop("n_components"))] if "n_components" in kept else []
    words = ", ".join(first + [f"{key}={value!r}" for key, value in kept.items()])
    return f"{type(estimator).__name__}({words})" + " + LogisticRegression" * hasattr(estimator, "transform")


class Stopwatch:
    def __enter__(self):
        self.wall_s, self.cpu_s = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *_):
        self.wall_s += time.perf_counter()
        self.cpu_s += time.process_time()


def measure(estimator, X, X_test, y, y_test):
    """Error, and the fit of all of it and of the hidden units alone."""
    made = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(estimator).fit(X[:300], y[:300])  # what is loaded and started once is not counted, for anybody
    with warnings.catch_warnings(), Stopwatch() as whole:
        warnings.simplefilter("ignore", ConvergenceWarning)  # of LogisticRegression, after its last step
        if isinstance(made, Pipeline):
            with Stopwatch() as units:
                hidden = made.named_steps["rbm"].fit(X, y).transform(X)
            made[1:].fit(hidden, y)
        else:
            units = whole
            made.fit(X, y)
    wrong = np.mean(made.predict(X_test) != y_test)
    return wrong, np.sqrt(wrong * (1 - wrong) / len(y_test)), units, whole


def blas():
    """Whose matrix products NumPy uses, which decides how fast BernoulliRBM is."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown"
    found = [f"{info['internal_api']} {info['version']} with {info['num_threads']} threads"
             for info in threadpool_info() if info["user_api"] == "blas"]
    return ", ".join(found) or "the reference BLAS, or another that threadpoolctl does not know"


def show(rows, is_markdown):
    heads = ["estimator", "hidden units", "test error %", "units: fit s", "CPU s", "all: fit s", "CPU s"]
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    lines = [[*heads], *rows]
    for k, line in enumerate(lines):
        cells = [cell.ljust(width) if place == 0 else cell.rjust(width)
                 for place, (cell, width) in enumerate(zip(line, widths))]
        print("| " + " | ".join(cells) + " |" if is_markdown else "  ".join(cells), flush=True)
        if is_markdown and k == 0:
            print("|" + "|".join("-" * (width + 1) + (":" if place else "-") for place, width in enumerate(widths))
                  + "|")


def tabulate(name, components, folder, is_markdown):
    data = read(name, folder)
    print(f"\n{name}: {len(data[2])} samples of {data[0].shape[1]} values to learn from, {len(data[3])} to test on\n")
    rows = []
    for name_of_row, count, estimator in estimators(name, components):
        error, error_se, units, whole = measure(estimator, *data)
        parts = [f"{units.wall_s:.3g}", f"{units.cpu_s:.3g}"] if count else ["-", "-"]
        rows.append([name_of_row, str(count or "-"), f"{100 * error:.2f} +- {100 * error_se:.2f}", *parts,
                     f"{whole.wall_s:.3g}", f"{whole.cpu_s:.3g}"])
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
    show(rows, is_markdown)


def search(name, count, folder):
    """A few settings by cross-validation, of at most 5000 training samples."""
    X, _, y, _ = read(name, folder)
    X, y = X[:5000], y[:5000]
    grids = [
        (with_regression(HopfieldRBM(count, random_state=SEED)),
         [{"rbm__features": ["hidden", "both"], "rbm__n_iter": [0]},
          {"rbm__features": ["hidden", "both"], "rbm__n_iter": [2], "rbm__gibbs_steps": [1],
           "rbm__learning_rate": [1e-3]}]),
        (HopfieldClassifier(per_class=max(1, count // 10), random_state=SEED),
         [{"n_iter": [0]}, {"n_iter": [5, 20], "gibbs_steps": [1], "learning_rate": [1e-3], "beta": [1.0, 2.0]}]),
        (with_regression(BernoulliRBM(count, random_state=SEED)),
         {"rbm__learning_rate": [0.3, 0.1, 0.03, 0.01, 0.003]}),
    ]
    print(f"\n{name}, {len(y)} samples, 3 folds, {count} hidden units: error % by cross-validation\n")
    for estimator, grid in grids:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = GridSearchCV(estimator, grid, cv=3, refit=False).fit(X, y).cv_results_
        kind = type(estimator.named_steps["rbm"] if isinstance(estimator, Pipeline) else estimator).__name__
        for k in np.argsort(found["rank_test_score"]):
            print(f"{kind:20} {100 * (1 - found['mean_test_score'][k]):6.2f}  {found['params'][k]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", nargs="+", choices=["digits", "mnist"], default=["digits", "mnist"])
    parser.add_argument("--components", nargs="+", type=int, help="numbers of hidden units, multiples of 10")
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("ISINGLASS_DATA"))
    parser.add_argument("--search", action="store_true", help="show how settings were chosen instead")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    if "mnist" in arguments.data and not arguments.data_dir:
        parser.error("mnist: expected --data-dir or $ISINGLASS_DATA")
    print(f"isinglass {isinglass.__version__}, scikit-learn {sklearn.__version__}, NumPy {np.__version__}, "
          f"BLAS: {blas()}; {os.cpu_count()} cores, {platform.machine()}")
    for name in arguments.data:
        components = arguments.components or COMPONENTS[name]
        if arguments.search:
            search(name, components[-1] if name == "digits" else components[0], arguments.data_dir)
        else:
            tabulate(name, components, arguments.data_dir, arguments.markdown)


if __name__ == "__main__":
    main()
