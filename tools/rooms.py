#!/usr/bin/env python3
"""rooms.py - the rooms of the tree, what each may include, and what it does include

SPDX-License-Identifier: MIT

    tools/rooms.py              files, lines and neighbours of every room
    tools/rooms.py --dot        the same as a graph for graphviz
    tools/rooms.py --check DIR  one line for every #include that the table does not allow

A room is a folder. It sees the rooms below it, through their front headers alone: ROOM/ROOM.h for the code of
the library, isinglass/ROOM.h for everybody. Toolboxes (base, kernels, linalg, io) have a front header for each
tool instead. ROOMS is in order, lowest first, so that a room can only name rooms that stand above it in the
table: there is no cycle to be found, and none to be made.
"""
import pathlib
import re
import subprocess
import sys

TOOLBOXES = {"base", "kernels", "linalg", "io"}
# What is internal to a toolbox: the kernels' templates and how dense.c and its neighbours share work.
PRIVATE = {"src/kernels/vectors.h", "src/kernels/tuned.h", "src/kernels/gibbs_tuned.h",
           "src/kernels/linear_tuned.h", "src/linalg/dense.h", "src/base/elementary_tables.h"}

ROOMS = {  # room: (what it may include besides itself, what it is)
    "base": ("", "status, memory, files, threads, numbers, text, random numbers; knows no physics"),
    "kernels": ("base", "the hot loops, one table per instruction set; know no policy"),
    "linalg": ("base kernels", "products, QR, SVD, eigenvalues: the same bits on every machine"),
    "io": ("base", "one file per format"),
    "data": ("base io", "files become labelled spins"),
    "patterns": ("base kernels linalg io data", "class patterns, Ward clustering, learning, principal axes"),
    "hopfield": ("base kernels linalg data patterns", "the low-rank network and its dynamics"),
    "rbm": ("base kernels linalg io data patterns", "the model and its files"),
    "sample": ("base kernels linalg io data patterns rbm",
               "Gibbs chains, jumps between modes, diagnostics, missing values"),
    "mapping": ("base kernels linalg io data patterns hopfield rbm sample",
                "the bridge: network to RBM, RBM to network; the only room that knows both sides"),
    "train": ("base kernels linalg io data patterns rbm sample", "contrastive divergence, checkpoints, run directories"),
    "log_z": ("base kernels linalg data patterns rbm sample", "exact, annealing, mixture, likelihood"),
    "recall": ("base data patterns hopfield", "the network as a memory"),
    "classify": ("base kernels linalg io data patterns rbm sample mapping train",
                 "experts, logistic regression, fine-tuning"),
    "deep": ("base kernels linalg io data patterns rbm",
             "a layer on top of an RBM: a Gaussian of its hidden units for every class"),
    "theory": ("base linalg patterns hopfield rbm mapping log_z", "the machines of appendix C, verify"),
    "cli": ("base io public", "the program: options, help, tables, pictures; verbs in cli/verbs"),
    "paper": ("base io public cli", "the figures and claims of the paper, and the verb reproduce"),
    "bench": ("public classify", "what is measured"),
    "mpi": ("public cli", "isinglass-mpi: the program on the processes of MPI"),
    "python": ("public", "the Python package: its extension binds the public headers"),
    "examples": ("public", "whole programs that use the library"),
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]*)[">]')


def sources(root):
    """The C files of the tree outside tests/, by their path from the root."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-C", root, "-c", "safe.directory=*", "ls-files", "--cached", "--others",
                                 "--exclude-standard"], capture_output=True, text=True, check=True).stdout.splitlines()
    else:
        listed = [str(path.relative_to(root)) for path in root.rglob("*.[ch]")]
    return sorted(path for path in set(listed) if path.endswith((".c", ".h")) and (root / path).is_file() and
                  not path.startswith(("tests/", "build/")))


def room_of(path):
    part = path.split("/")
    if path == "include/isinglass.h":
        return "public"
    if part[0] == "include":
        return part[-1].removesuffix(".h")
    return part[1] if part[0] == "src" and len(part) > 2 else part[0]


def includes(root, path):
    """(line number, name as written, file of the tree or None, whether it is in quotes) of every #include."""
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            name = found[2]
            places = [f"{path.rpartition('/')[0]}/{name}", f"include/{name}", f"src/{name}", name]
            target = next((place for place in places if (root / place).is_file()), None)
            yield number, name, target, found[1] == '"'


def objection(path, name, target, quoted):
    """Why this #include must not be, or None."""
    room = room_of(path)
    if ".." in name:
        return f"include paths do not climb: {name}"
    if target is None:
        return f"no such file in the tree: {name}" if quoted else None
    other = room_of(target)
    if room not in ROOMS and room != "public":
        return f"{room} is not a room"
    if target.startswith("include/"):
        if room == "public" or other == room:
            return None
        allowed = ROOMS[room][0].split()
        below = list(ROOMS)[:list(ROOMS).index(room)]
        if "public" in allowed or (other in allowed and other in below):
            return None
        return f"{room} must not include {target}"
    if path.startswith("include/"):
        return f"a public header must not include {target}"
    if other == room:
        return None
    if other not in ROOMS[room][0].split():
        return f"{room} must not include {target}"
    front = target not in PRIVATE if other in TOOLBOXES | {"cli"} else target == f"src/{other}/{other}.h"
    return None if front else f"{target} is not a front header of {other}"


def check(root):
    for path in sources(root):
        for number, name, target, quoted in includes(root, path):
            why = objection(path, name, target, quoted)
            if why:
                print(f"{path}:{number}: {why}")


def survey(root):
    """Of every room: files, lines, and the rooms that it includes."""
    rooms = {room: [0, 0, set()] for room in ["include", *ROOMS]}
    for path in sources(root):
        room = "include" if path.startswith("include/") else room_of(path)
        rooms[room][0] += 1
        rooms[room][1] += len((root / path).read_text().splitlines())
        rooms[room][2] |= {room_of(target) for _, _, target, _ in includes(root, path) if target} - {room, "public"}
    return rooms


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if sys.argv[1:2] == ["--check"]:
        return check(pathlib.Path(sys.argv[2]))
    rooms = survey(root)
    order = list(ROOMS)
    if sys.argv[1:] == ["--dot"]:
        print("digraph rooms {\n  rankdir=BT; node [shape=box];")
        for room in order:
            for other in sorted(rooms[room][2], key=order.index):
                print(f"  {room} -> {other};")
        return print("}")
    print(f"{'room':10}{'files':>6}{'lines':>8}  includes")
    for room, (files, lines, others) in rooms.items():
        names = "" if room == "include" else " ".join(sorted(others, key=order.index))
        print(f"{room:10}{files:6}{lines:8}  {names}".rstrip())
    back = [f"{room} -> {other}" for room in order for other in rooms[room][2]
            if order.index(other) > order.index(room)]
    print(f"{sum(room[0] for room in rooms.values())} files, {sum(room[1] for room in rooms.values())} lines; "
          f"edges that go up: {', '.join(back) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
