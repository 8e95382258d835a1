#!/usr/bin/python3
"""coverage.py - how many branches the tests have taken where a mistake would not be seen

SPDX-License-Identifier: MIT

    coverage.py [--missing] [BUILD]

Asks gcov about the library in BUILD (build/coverage), whose tests must have run before. Prints a line
for each file named below and a total for each part; exit status 1 if fewer than 95 % of the branches of
a part were taken. --missing names the lines with branches that were not.
"""
import argparse, collections, json, pathlib, subprocess, sys

WANTED = 95.0 # percent of every part

PARTS = {
    "readers": """
        base/file.c base/number.c io/array.c io/csv.c io/idx.c io/json.c io/matrix_market.c io/npy.c
        io/npz.c io/source.c io/text_lines.c io/zip.c io/zip_directory.c io/zip_format.h
        data/binarize.c data/data_file.c data/dataset.c data/dataset_csv.c data/dataset_load.c data/label_file.c
        data/labels.c io/meta.c rbm/model_file.c patterns/pattern_file.c classify/classifier_file.c deep/deep_file.c""",
    "checkpoint": """
        base/atomic_file.c base/directory.c io/zip_writer.c train/train_file.c classify/experts_file.c
        train/run_checkpoint.c train/run_directory.c train/run_rbm.c""",
    "rng": "base/rng.c base/rng.h kernels/gibbs_draws.h",
    "samplers": """
        sample/gibbs.c sample/gibbs_weights.c theory/machine_sweep.c hopfield/dynamics.c hopfield/dynamics_thermal.c hopfield/dynamics_zero.c
        log_z/exact.c kernels/ref.c kernels/select.c kernels/tuned.h kernels/gibbs_tuned.h
        kernels/vectors.h""",
    "ais": "log_z/ais.c log_z/ais_lambda.c log_z/anneal.c",
}

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def ask_gcov(build):
    """Yields the name of a file, from the root of the tree, and its lines; again for every object that
    has code of it."""
    notes = sorted(build.glob("CMakeFiles/isinglass_objects.dir/src/**/*.gcno"))
    if not notes:
        sys.exit(f"coverage.py: {build}: no build for coverage (cmake --preset coverage)")
    answer = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes],
                            cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for line in answer.stdout.splitlines():
        for file in json.loads(line)["files"]:
            yield file["file"], file["lines"]


def collect_branches(build):
    """For every file and line, whether each branch was taken. Templates of kernels and inline functions
    are compiled several times: what one of them has taken is taken."""
    taken = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, lines in ask_gcov(build):
        for line in lines:
            before = taken[name][line["line_number"]]
            now = [branch["count"] > 0 for branch in line["branches"]]
            before += [False] * (len(now) - len(before))
            for k, is_taken in enumerate(now):
                before[k] |= is_taken
    return taken


def print_share(name, branches):
    percent = 100 * sum(branches) / len(branches) if branches else 100.0
    print(f"{name:28} {sum(branches):5} of {len(branches):5}  {percent:5.1f} %")
    return percent


def main():
    parser = argparse.ArgumentParser(description="branches that the tests have taken")
    parser.add_argument("--missing", action="store_true", help="name the lines of those not taken")
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=SOURCE / "build/coverage")
    arguments = parser.parse_args()
    taken = collect_branches(arguments.build.resolve())
    is_enough = True
    for part, names in PARTS.items():
        of_part = []
        for name in names.split():
            lines = taken.get(f"src/{name}")
            if lines is None:
                sys.exit(f"coverage.py: src/{name}: not in this build")
            branches = [branch for line in lines.values() for branch in line]
            print_share(f"  {name}", branches)
            of_part += branches
            if arguments.missing:
                text = (SOURCE / "src" / name).read_text().splitlines()
                for number, line in sorted(lines.items()):
                    if not all(line):
                        print(f"    {number:4} {line.count(False)} of {len(line)}  {text[number - 1].strip()}")
        is_enough &= print_share(part, of_part) >= WANTED
    return 0 if is_enough else 1


sys.exit(main())
