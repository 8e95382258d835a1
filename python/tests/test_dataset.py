"""Data sets: the same spins whatever they came from, and as the program reads them."""

import copy
import json
import os
import pickle
import resource
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import isinglass
from isinglass import Dataset, Encoding, _core
from isinglass._values import label_texts
from isinglass.dataset import as_dataset

RULES = [None, 0.0, 1.5, -2, "zero", "value:0.5", "mean", "median", "midpoint", "quantile:0.9", "otsu", "mixture"]


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(1)
    return rng.poisson(1.0, (60, 75)).astype(np.float64) * rng.choice([1.0, 1.0, 2.5], (60, 75))


def same(a, b):
    return a.checksum == b.checksum and a.encoding == b.encoding and a.label_checksum == b.label_checksum


# ---- one set of values, many forms --------------------------------------------------------------------------------


def forms(X, tmp_path):
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    np.save(tmp_path / "x.npy", X)
    X.T.copy().tofile(tmp_path / "x.raw")
    read_only = X.copy()
    read_only.flags.writeable = False
    odd = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape)  # not aligned
    shuffled = sp.csr_matrix(X)
    for a in range(X.shape[0]):  # columns in falling order
        part = slice(shuffled.indptr[a], shuffled.indptr[a + 1])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    coo = sp.coo_matrix(X)
    halves = sp.coo_matrix((np.concatenate([coo.data / 2] * 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), X.shape)
    row_starts = 2 * sp.csr_matrix(X).indptr
    twice = sp.csr_matrix((np.repeat(sp.csr_matrix(X).data, 2) / 2, np.repeat(sp.csr_matrix(X).indices, 2), row_starts),
                          X.shape)
    long = sp.csr_matrix(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    yield from {
        "fortran": np.asfortranarray(X), "strided": wide[::2, ::3], "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": read_only, "unaligned": odd, "mapped": np.load(tmp_path / "x.npy", mmap_mode="r"),
        "mapped fortran": np.memmap(tmp_path / "x.raw", np.float64, "r", shape=X.shape, order="F"),
        "list": X.tolist(), "tuples": tuple(map(tuple, X)), "big-endian": X.astype(">f8"), "matrix": np.matrix(X),
        "object": X.astype(object), "masked": np.ma.masked_array(X, False),
        "csr": sp.csr_matrix(X), "csc": sp.csc_matrix(X), "coo": coo, "lil": sp.lil_matrix(X), "dok": sp.dok_matrix(X),
        "bsr": sp.bsr_matrix(X), "csr array": sp.csr_array(X), "csr 64": long,
        "unsorted": shuffled, "twice": halves, "csr twice": twice,  "frame": pd.DataFrame(X),
        "frame of blocks": pd.DataFrame({k: X[:, k] for k in range(X.shape[1])}),
    }.items()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("rule", RULES)
def test_forms_of_one_array_are_equal(counts, tmp_path, rule):
    expected = Dataset.from_array(counts, binarize=rule)
    assert np.array_equal(expected.spins, np.where(counts > expected.encoding.thresholds, 1, -1))
    for name, form in forms(counts, tmp_path):
        assert same(Dataset.from_array(form, binarize=rule), expected), name
    by_hand = sp.csr_matrix(counts)
    assert same(Dataset.from_csr(by_hand.data, by_hand.indices, by_hand.indptr, counts.shape, binarize=rule), expected)
    turned = sp.csr_matrix(counts.T)
    assert same(Dataset.from_csr(turned.data, turned.indices, turned.indptr, counts.T.shape, binarize=rule,
                                 transpose=True), expected)


@pytest.mark.parametrize("rule", RULES)
def test_files_are_equal(counts, tmp_path, rule):
    y = np.arange(len(counts)) % 3
    expected = Dataset.from_array(counts, y, binarize=rule)
    np.savez(tmp_path / "x.npz", X=counts, y=y)
    np.save(tmp_path / "x.npy", counts)
    sp.save_npz(tmp_path / "s.npz", sp.csr_matrix(counts))
    table = pd.DataFrame(counts, columns=[f"u{k}" for k in range(75)]).assign(kind=y)
    table.to_csv(tmp_path / "x.csv", index=False)
    assert same(Dataset.load(tmp_path / "x.npz", binarize=rule), expected)
    for name in ("x.npy", "s.npz"):
        assert Dataset.load(tmp_path / name, binarize=rule).checksum == expected.checksum
    by_name = Dataset.load(tmp_path / "x.csv", label_column="kind", binarize=rule)
    by_number = Dataset.load(str(tmp_path / "x.csv"), label_column=-1, binarize=rule)
    assert by_name.checksum == by_number.checksum == expected.checksum
    assert by_name.label_checksum == by_number.label_checksum == expected.label_checksum


DTYPES = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16,
          np.float32, np.float64]


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(DTYPES), st.sampled_from(RULES), st.sampled_from(["C", "F"]),
       st.integers(-3, 3).filter(bool), st.integers(-3, 3).filter(bool), st.booleans())
def test_any_type_and_stride(tmp_path, data, dtype, rule, order, row_step, column_step, swapped):
    shape = data.draw(hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40))
    numbers = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(numbers)
    base = rng.integers(0, 2 if dtype == np.bool_ else 100, shape)
    X = np.asarray(base - (50 if np.dtype(dtype).kind in "if" else 0), dtype=dtype, order=order)
    X = X[::row_step, ::column_step]
    if swapped:
        X = X.astype(X.dtype.newbyteorder())
    plain = np.ascontiguousarray(X, np.float64)
    given_data = Dataset.from_array(X, binarize=rule)
    assert same(given_data, Dataset.from_array(plain, binarize=rule))
    assert np.array_equal(given_data.spins, np.where(plain > given_data.encoding.thresholds, 1, -1))


def test_exact_64_bit_numbers_agree_with_files(tmp_path):
    X = np.array([[2**63 + 1, 0], [1, 2**64 - 1]], np.uint64)
    np.save(tmp_path / "x.npy", X)
    assert same(Dataset.load(tmp_path / "x.npy", binarize="mean"), Dataset.from_array(X, binarize="mean"))


# ---- what rules mean ----------------------------------------------------------------------------------------------


def test_thresholds_are_numpys(counts):
    noisy = counts + np.random.default_rng(0).normal(size=counts.shape)
    for rule, expected in (("mean", np.mean(noisy, 0)), ("median", np.median(noisy, 0)),
                           ("midpoint", (noisy.min(0) + noisy.max(0)) / 2),
                           ("quantile:0.9", np.quantile(noisy, 0.9, axis=0))):
        np.testing.assert_allclose(Dataset.from_array(noisy, binarize=rule).encoding.thresholds, expected, rtol=1e-14,
                                   atol=1e-15)


def test_a_number_is_compared_as_it_is():
    images = np.array([[[0, 3], [200, 255]]], np.uint8)
    assert Dataset.from_array(images, binarize=100).spins.tolist() == [[-1, -1, 1, 1]]
    assert Dataset.from_array(images, binarize="value:0.9").spins.tolist() == [[-1, -1, -1, 1]]
    assert Dataset.from_array(images, binarize="value:100", scale=1).spins.tolist() == [[-1, -1, 1, 1]]
    assert Dataset.from_array(images).encoding.rule == "value:0.01"
    assert Dataset.from_array(images.reshape(1, 4)).encoding.rule == "zero"
    assert Dataset.from_array(images.astype(float), binarize=0).encoding.rule == "zero"
    assert Dataset.from_array([[0.1, 0.2]], binarize=0.1).spins.tolist() == [[-1, 1]]


def test_images(tmp_path):
    X = np.random.default_rng(2).integers(0, 256, (20, 6, 5), dtype=np.uint8)
    expected = Dataset.from_array(X)
    assert expected.image_shape == (6, 5)
    for form in (np.asfortranarray(X), X[:, ::-1][:, ::-1], X.tolist(), np.repeat(X, 2, axis=1)[:, ::2]):
        assert same(Dataset.from_array(form), expected)
    np.save(tmp_path / "x.npy", X)
    assert same(Dataset.load(tmp_path / "x.npy"), expected)
    flat = Dataset.from_array(X.reshape(20, 30), image_shape=(6, 5), binarize="value:0.01", scale=255)
    assert same(flat, expected) and flat.image_shape == (6, 5)
    with pytest.raises(ValueError, match="not an image of 6 x 6"):
        Dataset.from_array(X.reshape(20, 30), image_shape=(6, 6))


def test_like(counts):
    train = Dataset.from_array(counts[:40], binarize="mean", unit_names=[f"u{k}" for k in range(75)])
    test = Dataset.from_array(counts[40:], like=train)
    assert np.array_equal(test.spins, np.where(counts[40:] > train.encoding.thresholds, 1, -1))
    assert test.encoding == train.encoding and test.unit_names == train.unit_names
    shuffled = np.random.default_rng(0).permutation(75)
    frame = pd.DataFrame(counts[40:, shuffled], columns=[f"u{k}" for k in shuffled]).assign(extra=1)
    by_name = Dataset.from_array(frame, like=train.encoding)
    assert by_name.checksum == test.checksum and by_name.describe()["n_unused_columns"] == 1
    own = Dataset.from_array(frame, like=train, binarize="median", use_own_rule=True)
    assert own.encoding.rule == "median" and own.unit_names == train.unit_names
    with pytest.raises(ValueError, match="u7"):
        Dataset.from_array(frame.drop(columns="u7"), like=train)


def test_constant_units():
    X = np.array([[1, 0, 5, 1], [1, 2, 0, 1], [1, 0, 0, 1]])
    data = Dataset.from_array(X)
    assert data.constant_units() == [0, 3]
    smaller = Dataset.from_array(X, drop_constant=True, unit_names=list("abcd"))
    assert smaller.unit_names == ["b", "c"] and smaller.encoding.n_columns == 4
    again = Dataset.from_array(X, like=pickle.loads(pickle.dumps(smaller.encoding)))
    assert again.checksum == smaller.checksum


def test_missing(counts):
    X = counts.copy()
    X[3, 4] = X[7, 0] = X[7, 1] = np.nan
    with pytest.raises(ValueError, match="X: row 4, column 5"):
        Dataset.from_array(X)
    kept = Dataset.from_array(X, missing="drop-samples", ids=[f"s{a}" for a in range(60)])
    assert kept.n_samples == 58 and "s3" not in kept.ids and kept.missing is None
    marked = Dataset.from_array(X, missing="impute", binarize="mean")
    assert np.array_equal(marked.missing, np.isnan(X))
    filled = Dataset.from_array(X, missing="majority", binarize="mean")
    assert filled.missing is None and filled.checksum == marked.checksum
    majority = np.where(np.nansum(X[:, 4] > np.nanmean(X[:, 4])) * 2 > 59, 1, -1)
    assert filled.spins[3, 4] == majority
    assert filled.describe()["n_missing"] == 3 and filled.describe()["n_missing_samples"] == 2
    for form in (pd.DataFrame(X), X.astype("f4"), np.ma.masked_invalid(X), X.astype(">f8"), np.asfortranarray(X),
                 np.where(np.isnan(X), None, X)):
        assert np.array_equal(Dataset.from_array(form, missing="impute").missing, np.isnan(X))
    again = pickle.loads(pickle.dumps(marked))
    assert np.array_equal(again.missing, np.isnan(X)) and again.encoding == marked.encoding


def test_impute_is_that_of_the_program(counts, tmp_path, run_program):
    rbm = isinglass.SpinGaussianRBM.from_patterns(isinglass.Patterns.from_data(
        Dataset.from_array(counts, np.arange(60) % 4, binarize="mean")), beta=1.5)
    X = np.where(np.random.default_rng(1).random(counts.shape) < 0.2, np.nan, counts)
    data = Dataset.from_array(X, like=rbm, missing="impute")
    rbm.save(tmp_path / "m.npz")
    np.savez(tmp_path / "x.npz", X=X)
    thresholds = rbm.encoding.thresholds
    for marginal, typed in ((True, []), (False, ["--draw"])):
        run_program("impute", tmp_path / "m.npz", tmp_path / "x.npz", "-o", tmp_path / "o.npz", "--probabilities",
                    tmp_path / "p.npz", "--seed", 7, "--sweeps", 20, "--average", 30, "--force", *typed)
        full = data.impute(rbm, marginal=marginal, sweeps=20, measured=30, random_state=7)
        with np.load(tmp_path / "o.npz") as file:
            assert np.array_equal(full.spins, np.where(file["X"] > thresholds, 1, -1))
    with np.load(tmp_path / "p.npz") as file:
        assert np.array_equal(data.impute_probabilities(rbm, sweeps=20, measured=30, random_state=7), file["P"])
    assert full.missing is None and np.array_equal(full.spins[~np.isnan(X)], data.spins[~np.isnan(X)])
    assert not np.array_equal(full.spins, data.spins)
    with pytest.raises(ValueError, match="random_state: "):
        data.impute(rbm, random_state=-1)
    with pytest.raises(ValueError, match="sweeps: "):
        data.impute(rbm, sweeps=-1)
    with pytest.raises(ValueError):
        Dataset.from_spins([[1, -1]]).impute(rbm)
    with pytest.raises(TypeError, match="rbm: "):
        data.impute(3)


# ---- labels and names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y, texts", [
    ([1, 2, 10], ["1", "2", "10"]), ([1.0, np.nan, 10.0], ["1", None, "10"]), (["b", "a", "b"], ["b", "a", "b"]),
    ([True, False, True], ["1", "0", "1"]), ([b"b", b"a", b"b"], ["b", "a", "b"]), (["b", None, "a"], ["b", None, "a"]),
    (pd.Series(["x", None, "y"]), ["x", None, "y"]), (pd.Categorical(["x", None, "y"]), ["x", None, "y"]),
    (pd.Series([1, None, 3], dtype="Int64"), ["1", None, "3"]), (pd.Categorical([5, 5, 6]), ["5", "5", "6"]),
    (np.array([2**40, -1, 0]), [str(2**40), "-1", "0"]), (np.array(["é", "日", "a"]), ["é", "日", "a"]),
    ([1, "a", 2.0], ["1", "a", "2"]), (pd.Series(["x", "y", "x"], dtype="string"), ["x", "y", "x"]),
])
def test_labels(y, texts):
    if isinstance(y, list) and 1 in y and "a" in y:
        y = np.array(y, dtype=object)
    assert label_texts(y) == texts
    data = Dataset.from_array(np.eye(3), y)
    assert data.y.tolist() == texts
    known = {text for text in texts if text is not None}
    assert set(data.classes) == known and sum(data.class_sizes) == sum(text is not None for text in texts)
    assert [data.classes[k] if k >= 0 else None for k in data.labels] == texts
    fewer = Dataset.from_array(np.eye(3), y, keep_unlabelled=False)
    assert fewer.y.tolist() == [text for text in texts if text is not None]


@pytest.mark.parametrize("y", [np.array([3, 1, 10]), np.array([1.0, 2.0, 1.0]), np.array(["b", "a", "c"]),
                               np.array([True, False, True])])
def test_labels_are_those_of_a_file(tmp_path, y):
    np.savez(tmp_path / "x.npz", X=np.eye(3), y=y)
    assert Dataset.load(tmp_path / "x.npz").y.tolist() == Dataset.from_array(np.eye(3), y).y.tolist()


def test_names_of_a_frame():
    frame = pd.DataFrame({"a": [1, 0], "b": [True, False], "c": pd.array([None, 4], dtype="Int64")}, index=["r", "s"])
    data = Dataset.from_array(frame, missing="majority")
    assert data.unit_names == ["a", "b", "c"] and data.ids == ["r", "s"]
    assert data.spins.tolist() == [[1, 1, 1], [-1, -1, 1]]
    plain = Dataset.from_array(pd.DataFrame(np.eye(2)))
    assert plain.unit_names is None and plain.ids is None
    assert Dataset.from_array(frame, missing="majority", unit_names=["x", "y", "z"]).unit_names == ["x", "y", "z"]


# ---- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, typed", [
    ({}, []), ({"binarize": "mean"}, ["--binarize", "mean"]), ({"binarize": 2}, ["--binarize", "value:2"]),
    ({"binarize": "quantile:0.75", "drop_constant": True}, ["--binarize", "quantile:0.75", "--drop-constant"]),
    ({"limit": 20}, ["--limit", "20"]), ({"only_class": "b"}, ["--class", "b"]),
])
def test_the_program_agrees(counts, tmp_path, run_program, options, typed):
    y = np.array(list("abc"))[np.arange(60) % 3]
    np.savez(tmp_path / "x.npz", X=counts, y=y, units=np.array([f"u{k}" for k in range(75)]))
    found = json.loads(run_program("data", "info", tmp_path / "x.npz", *typed, "--json", "--quiet"))
    data = Dataset.load(tmp_path / "x.npz", **options)
    info = data.describe()
    assert data.checksum == found["bits_sha256"]
    assert info["rule"] == found["binarization"]
    assert info["positive_fraction"] == found["positive_fraction"]
    assert data.n_duplicates() == found["duplicate_rows"]
    if not {"limit", "only_class"} & set(options):
        assert Dataset.from_array(counts, y, **options).checksum == found["bits_sha256"]


@pytest.mark.parametrize("rule", [None, "mean", 127])
def test_mnist_is_that_of_the_program(mnist_train, run_program, rule):
    typed = [] if rule is None else ["--binarize", rule if isinstance(rule, str) else f"value:{rule / 255!r}"]
    found = json.loads(run_program("data", "info", "mnist:train", *typed, "--json", "--quiet"))
    X, y = mnist_train
    data = Dataset.from_array(X.reshape(-1, 28, 28), y, binarize=rule)
    assert data.checksum == found["bits_sha256"] and data.n_duplicates() == found["duplicate_rows"]
    assert [{"name": name, "count": size} for name, size in zip(data.classes, data.class_sizes)] == found["classes"]
    assert isinglass.load_data("mnist:train", binarize=rule).checksum == data.checksum


def test_options_of_tables(tmp_path):
    (tmp_path / "t.tsv").write_text("name\tcolour\tn\tm\tkind\nr1\tred\t1\t0\tx\nr2\tblue\t0\t1\ty\n")
    data = Dataset.load(tmp_path / "t.tsv", label_column="kind", id_column="name", one_hot=True)
    assert data.ids == ["r1", "r2"] and data.y.tolist() == ["x", "y"]
    assert set(data.unit_names) == {"colour=red", "colour=blue", "n", "m"}
    fewer = Dataset.load(tmp_path / "t.tsv", label_column=-1, id_column=1, ignore_columns=["colour"])
    assert fewer.unit_names == ["n", "m"]
    assert Dataset.load(tmp_path / "t.tsv", label_column=-1, id_column=1, ignore_columns="2").unit_names == ["n", "m"]
    with pytest.raises(ValueError, match="ignore_columns"):
        Dataset.load(tmp_path / "t.tsv", ignore_columns=["a,b"])
    (tmp_path / "labels.csv").write_text("name,what\nr2,B\nr1,A\n")
    joined = Dataset.load(tmp_path / "t.tsv", labels=tmp_path / "labels.csv", label_column="what", id_column="name",
                          ignore_columns=["colour", "kind"])
    assert joined.y.tolist() == ["A", "B"] and joined.describe()["joined_by_id"]
    (tmp_path / "h.csv").write_text("1,0\n0,1\n")
    assert Dataset.load(tmp_path / "h.csv", header=False).n_samples == 2
    assert Dataset.load(tmp_path / "h.csv", header=True).unit_names == ["1", "0"]
    assert Dataset.load(tmp_path / "h.csv", header=False, transpose=True).shape == (2, 2)


def test_load_refuses(tmp_path):
    with pytest.raises(OSError, match="nothing.npy"):
        Dataset.load(tmp_path / "nothing.npy")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n1,word\n")
    with pytest.raises(isinglass.FormatError, match="word"):
        Dataset.load(tmp_path / "x.csv")
    with pytest.raises(MemoryError):
        Dataset.from_csr([1.0], [0], [0, 1], (1, 2**62))
    with pytest.raises(TypeError, match="path: "):
        Dataset.load(3)
    (tmp_path / "y.csv").write_text("a,b\n1,2\n1,0\n")
    with pytest.raises(isinglass.FormatError, match="SHA-256"):
        Dataset.load(tmp_path / "y.csv", expected_sha256="0" * 64)
    with pytest.raises(TypeError):
        Dataset.load(tmp_path / "x.csv", label_column=1.5)


def test_defaults_are_the_librarys():
    import inspect

    library = _core.Dataset.defaults()
    ours = {name: p.default for name, p in inspect.signature(Dataset.load).parameters.items()}
    for name in ("label_column", "id_column", "ignore_columns", "transpose", "one_hot", "use_own_rule", "missing",
                 "drop_constant", "only_class", "keep_unlabelled", "expected_sha256", "expected_labels_sha256"):
        assert ours[name] == library[name], name
    assert (library["header"], library["full_scale"], library["limit"]) == ("auto", 0, 0)
    assert library["image_height"] == library["image_width"] == 0
    impute = {name: p.default for name, p in inspect.signature(Dataset.impute).parameters.items()}
    for name, value in _core.Dataset.impute_defaults().items():
        assert impute["random_state" if name == "seed" else name] == value, name


# ---- parts --------------------------------------------------------------------------------------------------------


def test_parts(counts):
    data = Dataset.from_array(counts, np.arange(60) % 4, ids=[f"s{a}" for a in range(60)])
    spins = data.spins
    for rows in (slice(3, 20, 2), [5, 1, 1, -1], np.arange(60) < 7, np.array([2, 59], np.uint8), 7, -60):
        assert np.array_equal(data[rows].spins, np.atleast_2d(spins[rows]))
    assert data[[3, 1]].ids == ["s3", "s1"] and len(data[:9]) == 9
    assert data.of_class(2).classes == ["2"] and data.of_class("2").n_samples == 15
    first, second = data.split(0.6, random_state=3)
    assert first.class_sizes == [9] * 4 and second.class_sizes == [6] * 4
    assert sorted(first.ids + second.ids) == sorted(data.ids)
    assert data.split(0.6, random_state=3)[0].checksum == first.checksum
    assert data.split(0.6, random_state=4)[0].checksum != first.checksum
    assert data[[0, 1, 0]].n_duplicates() == 1
    for rows in (60, -61, [0, 60], "a", [1.5], np.ones(3, bool), np.zeros((2, 2), int)):
        with pytest.raises(IndexError, match="rows: "):
            data[rows]
    with pytest.raises(ValueError, match="rows: "):
        data[[]]
    with pytest.raises(KeyError, match="name: "):
        data.of_class("z")
    for fraction in (0, 1, -1, np.nan):
        with pytest.raises(ValueError, match="fraction"):
            data.split(fraction)
    assert sum(len(part) for part in data) == 60


def test_pickle_and_copy(counts):
    data = Dataset.from_array(counts, [None, *"ab" * 29, "c"], binarize="median", unit_names=map(str, range(75)),
                              ids=map(str, range(60)))
    for again in (pickle.loads(pickle.dumps(data)), copy.copy(data), copy.deepcopy(data)):
        assert same(again, data) and again.describe() == data.describe()
        assert again.ids == data.ids and again.unit_names == data.unit_names and again.y.tolist() == data.y.tolist()


def test_what_it_looks_like(counts):
    data = Dataset.from_array(counts, np.arange(60) % 3, image_shape=(5, 15))
    assert repr(data) == "Dataset(n_samples=60, n_visible=75, classes=['0', '1', '2'])"
    assert "5 x 15" in data._repr_html_() and "every spin" not in data._repr_html_()
    assert "every spin is -1" in Dataset.from_array(np.zeros((2, 2)))._repr_html_()
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    assert data.plot() is not None and data.plot([1, 2]) is not None
    assert Dataset.from_array(counts).plot(slice(5)) is not None
    plt.close("all")
    assert json.loads(json.dumps(data.describe()))["n_samples"] == 60


# ---- encodings ----------------------------------------------------------------------------------------------------


def test_encodings(counts):
    given_one = Encoding.from_thresholds([0.5, 2.0], ["a", "b"])
    assert (given_one.rule, given_one.n_visible, given_one.unit_names) == ("thresholds", 2, ["a", "b"])
    assert Encoding.from_thresholds([0, 0]).rule == "zero" and Encoding.from_thresholds([3, 3]).rule == "value:3"
    made = [Dataset.from_array(counts, binarize=rule).encoding for rule in RULES]
    made += [given_one, Dataset.from_array(counts, drop_constant=True, binarize=4.0).encoding,
             Dataset.from_array(counts, unit_names=[f"u{k}" for k in range(75)]).encoding]
    for encoding in made:
        again = pickle.loads(pickle.dumps(encoding))
        assert again == encoding and hash(again) == hash(encoding) and repr(again) == repr(encoding)
        assert np.array_equal(again.thresholds, encoding.thresholds) and again.n_columns == encoding.n_columns
    assert made[5] != made[6] and made[0] != made[-1] and made[0] == made[4] and made[0] != "zero"


@pytest.mark.parametrize("thresholds, names", [([], None), ([np.nan], None), ([np.inf, 1], None), ("ab", None),
                                               ([[1, 2]], None), ([1, 2], ["a"]), ([1], ["a\0b"]), (None, None),
                                               ([1, 2], "ab"), (3, None)])
def test_thresholds_refused(thresholds, names):
    with pytest.raises((ValueError, TypeError), match="thresholds: |unit_names: "):
        Encoding.from_thresholds(thresholds, names)


# ---- spins --------------------------------------------------------------------------------------------------------


def test_spins():
    for spins in ([[1, -1], [-1, 1]], [[1, 0], [0, 1]], [[True, False], [False, True]], np.array([[1.0, 0], [0, 1]])):
        data = Dataset.from_spins(spins, ["a", "b"])
        assert data.spins.tolist() == [[1, -1], [-1, 1]] and data.encoding.rule == "zero"
    assert Dataset.from_spins(np.ones((3, 2, 4))).image_shape == (2, 4)
    with pytest.raises(ValueError, match="spins: .* found 2"):
        Dataset.from_spins([[1, 2]])


def test_as_dataset():
    data = Dataset.from_spins([[1, -1]])
    assert as_dataset(data) is data
    assert as_dataset([[1, -1], [1, 1]]).shape == (2, 2)
    high, low = Encoding.from_thresholds([3, 3]), Encoding.from_thresholds([0.3, 0])
    assert as_dataset([[0, 1]], "X", low).spins.tolist() == [[-1, 1]]
    assert as_dataset(np.array([[False, True]]), "X", high).spins.tolist() == [[-1, 1]]
    assert as_dataset([[-1, 1]], "X", high).spins.tolist() == [[-1, 1]]
    for values, encoding in (([[0, 1]], high), ([[0, 3]], None), ([1, -1], None), (sp.eye(2), None), ("ab", None),
                             (None, None), ([[0.5, 1]], low)):
        with pytest.raises((ValueError, TypeError), match="^X: "):
            as_dataset(values, "X", encoding)


# ---- what is refused ----------------------------------------------------------------------------------------------

GOOD = np.array([[1.0, 2.0], [3.0, 0.0]])


@pytest.mark.parametrize("X, keywords, name", [
    ([[1, np.inf]], {}, "X"), ([[1, np.nan]], {}, "X"), ([1, 2], {}, "X"), ([[[[1]]]], {}, "X"), (3, {}, "X"),
    ([[1], [1, 2]], {}, "X"), ([["a", "b"]], {}, "X"), (np.array([[1, "a"]], object), {}, "X"), (None, {}, "X"),
    (np.empty((0, 3)), {}, "X"), (np.empty((3, 0)), {}, "X"), (GOOD.astype(complex), {}, "X"),
    (GOOD.astype(np.longdouble), {}, "X"), (GOOD.astype("M8[s]"), {}, "X"),
    (sp.csr_matrix(GOOD.astype(complex)), {}, "X"),
    (sp.csr_matrix(np.array([[1, np.nan]])), {}, "X"), (pd.DataFrame({"a": ["x"]}), {}, "X"),
    (np.zeros(2, "i4,i4").reshape(1, 2), {}, "X"), (object(), {}, "X"), ("file.npy", {}, "X"),
    (GOOD, {"y": [1]}, "y"), (GOOD, {"y": [1.5, 2]}, "y"), (GOOD, {"y": [[1], [2]]}, "y"), (GOOD, {"y": 3}, "y"),
    (GOOD, {"y": [1j, 2]}, "y"), (GOOD, {"y": ["a\0b", "b"]}, "y"), (GOOD, {"y": [object(), 1]}, "y"),
    (GOOD, {"y": ["a" * 10000, "b"]}, "X"), (GOOD, {"y": [1e300, 2]}, "y"), (GOOD, {"y": ["\udc80", "b"]}, "y"),
    (GOOD, {"binarize": np.nan}, "binarize"), (GOOD, {"binarize": np.inf}, "binarize"),
    (GOOD, {"binarize": "average"}, "binarize"), (GOOD, {"binarize": "quantile:2"}, "binarize"),
    (GOOD, {"binarize": "value:nan"}, "binarize"), (GOOD, {"binarize": True}, "binarize"),
    (GOOD, {"binarize": [1]}, "binarize"), (GOOD, {"binarize": "thresholds"}, "binarize"),
    (GOOD, {"scale": 0}, "scale"), (GOOD, {"scale": -1}, "scale"), (GOOD, {"scale": np.nan}, "scale"),
    (GOOD, {"scale": "a"}, "scale"), (GOOD, {"scale": 255, "binarize": 3}, "scale"),
    (GOOD, {"missing": "ignore"}, "missing"), (GOOD, {"missing": 3}, "missing"),
    (GOOD, {"unit_names": ["a"]}, "unit_names"), (GOOD, {"unit_names": []}, "unit_names"),
    (GOOD, {"unit_names": "ab"}, "unit_names"), (GOOD, {"ids": ["a", "b", "c"]}, "ids"),
    (GOOD, {"ids": ["a", "\0"]}, "ids"),
    (GOOD, {"image_shape": (1, 3)}, "X"), (GOOD, {"image_shape": (0, 2)}, "image_shape"),
    (GOOD, {"image_shape": 3}, "image_shape"), (GOOD, {"image_shape": (-1, -2)}, "image_shape"),
    (GOOD, {"like": 3}, "like"), (GOOD, {"like": Encoding.from_thresholds([1.0, 2.0, 3.0])}, "X"),
    (GOOD, {"like": Encoding.from_thresholds([1.0, 2.0]), "binarize": "mean"}, "binarize"),
    (GOOD, {"like": Encoding.from_thresholds([1.0, 2.0]), "scale": 2}, "scale"),
    (GOOD, {"like": Encoding.from_thresholds([1.0, 2.0]), "drop_constant": True}, "drop_constant"),
    (GOOD, {"use_own_rule": True}, "use_own_rule"),
])
def test_refused(X, keywords, name):
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        Dataset.from_array(X, **keywords)


@pytest.mark.parametrize("data, indices, indptr, shape, name", [
    ([1.0], [0], [0, 1], (2, 2), "indptr"), ([1.0], [0, 1], [0, 1, 1], (2, 2), "indices"),
    ([1.0], [2], [0, 1, 1], (2, 2), "X"), ([1.0], [-1], [0, 1, 1], (2, 2), "X"), ([1.0], [0], [0, 2, 1], (2, 2), "X"),
    ([1.0], [0], [0, 9, 9], (2, 2), "X"), ([1.0], [0], [1, 1, 1], (2, 2), "X"), ([1.0], [0], [0, -1, 1], (2, 2), "X"),
    ([1.0], [0.5], [0, 1, 1], (2, 2), "indices"), ([1.0], [0], [0, 1.5, 1], (2, 2), "indptr"),
    ([1.0], [0], [0, 1, 1], (-2, 2), "shape"), ([1.0], [0], [0, 1, 1], 3, "shape"),
    ([1.0], [0], [0, 1, 1], (2,), "shape"),
    ([[1.0]], [0], [0, 1, 1], (2, 2), "data"), (["a"], [0], [0, 1, 1], (2, 2), "data"),
    ([1.0, 2.0], [0, 0], [0, 2, 2], (2, 2), "X"),
    ([np.nan], [0], [0, 1, 1], (2, 2), "X"), ([], [], [0, 0, 0], (2, 0), "X"),
])
def test_csr_refused(data, indices, indptr, shape, name):
    with pytest.raises((ValueError, TypeError, MemoryError), match=f"^{name}: "):
        Dataset.from_csr(data, indices, indptr, shape)


def test_the_extension_itself_never_crashes():
    made = _core.Dataset.from_values(GOOD)
    for wrong in (None, 3, "a", b"ab", [1], GOOD, GOOD.astype("f4"), np.empty((0, 0), np.int8),
                  np.empty((2, 2), np.int8)[:, ::-1]):
        for method in (made.spins, made.missing, made.labels, made.select, made.encoding().thresholds,
                       _core.Dataset.from_bytes, _core.Encoding.from_bytes, _core.Encoding.from_thresholds):
            with pytest.raises((TypeError, ValueError, IndexError)):
                method(wrong)
        with pytest.raises(TypeError, match="rbm: "):
            made.impute(wrong)
    fixed = np.empty((2, 2), np.int8)
    fixed.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        made.spins(fixed)
    content = bytearray(made.to_bytes())
    for k in range(0, len(content), 7):  # a damaged file is an error or, in what does not count, nothing
        damaged = bytes(content[:k]) + bytes([content[k] ^ 0xff]) + bytes(content[k + 1:])
        try:
            _core.Dataset.from_bytes(damaged)
        except ValueError:
            pass


# ---- time and memory ----------------------------------------------------------------------------------------------


def test_nothing_is_copied():
    X = np.random.default_rng(0).integers(0, 256, (60000, 784), dtype=np.uint8)
    X.flags.writeable = False
    Dataset.from_array(X[:100])
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    data = Dataset.from_array(X, np.zeros(60000, int), binarize=100)
    took = time.perf_counter() - start
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert grown < X.nbytes / 2  # the spins need an eighth
    assert took < 5  # 0.05 s on a quiet machine
    assert data.shape == X.shape


def test_interrupt_and_progress():
    X = np.random.default_rng(0).normal(size=(20000, 300))
    seen = []
    Dataset.from_array(X, binarize="median", progress=seen.append)
    assert seen and seen == sorted(seen) and 0 <= seen[0] and seen[-1] <= 1
    with pytest.raises(isinglass.CancelledError):
        Dataset.from_array(X, binarize="median", progress=lambda fraction: False)

    def fail(fraction):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Dataset.from_array(X, binarize="median", progress=fail)
    sent = []
    timer = threading.Timer(0.1, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            Dataset.from_array(X, binarize="median")
    assert time.perf_counter() - sent[0] < 2  # 0.05 s on a quiet machine
    timer.join()


def test_threads_read_at_once(counts):
    expected = Dataset.from_array(counts, binarize="otsu").checksum
    found = []
    threads = [threading.Thread(target=lambda: found.append(Dataset.from_array(counts, binarize="otsu").checksum))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


# ---- units by name --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def named():
    """Spins with names of units, a network and an RBM made of them, and the same spins in another order of columns."""
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    spins = np.where((rng.random((2, 12)) < 0.5)[y] ^ (rng.random((40, 12)) < 0.1), 1, -1)
    frame = pd.DataFrame(spins, columns=[f"g{k}" for k in range(12)])
    network = isinglass.HopfieldNetwork(isinglass.Patterns.from_data(Dataset.from_array(frame, y)))
    return frame, y, network, network.to_rbm(), frame[frame.columns[::-1]]


def uses_of(named):
    frame, y, network, rbm, _ = named
    return {"network.energy": network.energy, "network.run": lambda X: network.run(X).spins,
            "patterns.nearest": network.patterns.nearest, "rbm.energy": rbm.energy,
            "rbm.sample": lambda X: rbm.sample(5, start=X), "rbm.log_likelihood": lambda X: rbm.log_likelihood(X).value,
            "Training": lambda X: isinglass.Training(rbm, X, epochs=1, progress=False).run().rbm.weights,
            "recall": lambda X: isinglass.recall(network.patterns, X).pattern}


@pytest.mark.parametrize("use", ["network.energy", "network.run", "patterns.nearest", "rbm.energy", "rbm.sample",
                                 "rbm.log_likelihood", "Training", "recall"])
def test_objects_find_columns_by_name(named, use):
    frame, _, _, _, turned = named
    call = uses_of(named)[use]
    expected = call(frame)
    np.testing.assert_array_equal(call(turned), expected)
    np.testing.assert_array_equal(call(turned.assign(other=1)), expected)  # a column that is no unit
    np.testing.assert_array_equal(call(frame.to_numpy()), expected)  # without names, by position
    np.testing.assert_array_equal(call(Dataset.from_array(turned, like=named[3])), expected)
    with pytest.raises(ValueError, match="lacks 1 of the 12 units of the model, such as 'g3'"):
        call(turned.drop(columns="g3"))
    with pytest.raises(ValueError, match="unit 0 is 'g11', where the model has 'g0'.*like=model"):
        call(Dataset.from_array(turned))
    with pytest.raises(ValueError, match="11 units, where the model has 12"):
        call(Dataset.from_array(frame.iloc[:, :11]))


def test_names_of_a_frame_of_spins(named):
    frame, y, _, rbm, turned = named
    names = list(frame.columns)
    assert Dataset.from_spins(frame).unit_names == Dataset.from_array(frame).unit_names == names
    assert Dataset.from_spins(frame.rename(index="s{}".format)).ids[:2] == ["s0", "s1"]
    assert Dataset.from_spins(frame, unit_names=map(str, range(12))).unit_names[3] == "3"
    assert isinglass.Patterns(frame.iloc[:2]).unit_names == names
    stored = isinglass.HopfieldNetwork(frame.iloc[:2])
    np.testing.assert_array_equal(stored.energy(turned), stored.energy(frame))
    with pytest.raises(ValueError, match="different names"):
        rbm.energy(frame.rename(columns={"g1": "g0"}))


def test_classifiers_and_imputation_refuse_other_units(named):
    frame, y, _, rbm, turned = named
    model = isinglass.HopfieldClassifier(per_class=1, binarize=None).fit(frame, y).classifier_
    np.testing.assert_array_equal(model.predict(turned), model.predict(frame))
    with pytest.raises(ValueError, match="data: these are not the units"):
        model.score(Dataset.from_spins(turned, y))
    holes = turned.astype(float).mask(np.random.default_rng(0).random(turned.shape) < 0.1)
    data = Dataset.from_array(holes, missing="impute")
    for method in (data.impute, data.impute_probabilities):
        with pytest.raises(ValueError, match="data: these are not the units"):
            method(rbm)


def test_hint_for_anndata_and_sparse(named):
    anndata = pytest.importorskip("anndata")
    with pytest.raises(TypeError, match="from_anndata"):
        Dataset.from_array(anndata.AnnData(np.ones((2, 2), np.float32), dtype=np.float32))
    with pytest.raises(TypeError, match=r"from_array\(data\)"):
        isinglass.Patterns.from_data(sp.eye(3, format="csr"))
    with pytest.raises(TypeError, match=r"from_array\(X, like=model\)"):
        named[3].energy(sp.eye(12, format="csr"))


# ---- first steps ----------------------------------------------------------------------------------------------------


def test_what_is_said_at_first(named, tmp_path):
    frame, y, network, rbm, _ = named
    for kind in (Dataset, Encoding, isinglass.Classifier):
        with pytest.raises(TypeError, match=f"^{kind.__name__}: .*{kind.__name__}.f"):
            kind(frame, y=y)
    with pytest.raises(ValueError, match="^y: expected a label for each of 40 samples, found 5"):
        Dataset.from_array(frame, y[:5])
    with pytest.raises(ValueError, match="^y: expected a label for each of 40 samples, found 12"):
        Dataset.from_array(sp.csc_matrix(frame), y[:12])
    with pytest.raises(ValueError, match="^n: "):
        rbm.sample(0)
    (tmp_path / "mnist").mkdir()
    with pytest.raises(FileNotFoundError, match="isinglass data get mnist"):
        isinglass.load_data("mnist", data_dir=tmp_path)
    (tmp_path / "mnist" / "train-images-idx3-ubyte").touch()
    with pytest.raises(ValueError, match="^name: expected mnist:train or mnist:test"):
        isinglass.load_data("mnist", data_dir=tmp_path)


def test_numpy_sees_spins(named):
    frame, y, network, rbm, _ = named
    data = Dataset.from_array(frame, y)
    for found in (data, network.patterns):
        np.testing.assert_array_equal(np.asarray(found), found.spins)
        assert np.asarray(found, float).dtype == float and np.asarray(found).dtype == np.int8
    np.testing.assert_array_equal(network.energy(network.patterns), network.energy(network.patterns.spins))
    log_z = rbm.log_z()
    assert f"{log_z:.2f}" == f"{log_z.value:.2f}" and f"{log_z}" == str(log_z)
    assert f"{rbm.log_likelihood(data):8.3f}" == f"{rbm.log_likelihood(data).value:8.3f}"


def test_sheets_of_images(named):
    pytest.importorskip("matplotlib")
    spins = named[0].to_numpy()[:3]
    isinglass.plot_images(spins)
    with pytest.raises(ValueError, match="^shape: expected .* of 12 pixels"):
        isinglass.plot_images(spins, (3, 3))
    with pytest.raises(ValueError, match="^titles: expected 3, found 1"):
        isinglass.plot_images(spins, (3, 4), titles=["a"])
