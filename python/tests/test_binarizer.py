"""SpinBinarizer: a transformer like those of scikit-learn, with the spins of a Dataset."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer

import isinglass
from isinglass import Dataset, SpinBinarizer

RULES = ["zero", 0.3, "value:0.5", "mean", "median", "midpoint", "quantile:0.25", "otsu", "mixture"]


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(3)
    return np.where(rng.random((80, 13)) < 0.4, 0, rng.normal(1, 2, (80, 13)))


@pytest.mark.parametrize("rule", RULES)
def test_spins_are_those_of_a_dataset(X, rule):
    data = Dataset.from_array(X, binarize=rule)
    fitted = SpinBinarizer(rule).fit(X)
    assert np.array_equal(fitted.thresholds_, data.encoding.thresholds) and fitted.encoding_ == data.encoding
    for form in (X, np.asfortranarray(X), sp.csr_matrix(X), sp.csc_matrix(X), sp.coo_matrix(X), X.tolist()):
        assert np.array_equal(fitted.transform(form), data.spins)
        assert np.array_equal(SpinBinarizer(rule).fit_transform(form), data.spins)
    assert fitted.transform(X).dtype == np.int8
    assert np.array_equal(fitted.transform(X[50:] - 0.5), np.where(X[50:] - 0.5 > fitted.thresholds_, 1, -1))
    binary = SpinBinarizer(rule, output="binary").fit(X).transform(X)
    assert np.array_equal(binary, data.spins > 0) and set(np.unique(binary)) <= {0, 1}


def test_as_other_tools(X):
    np.testing.assert_allclose(SpinBinarizer("mean").fit(X).thresholds_, X.mean(0), rtol=1e-14)
    np.testing.assert_allclose(SpinBinarizer("median").fit(X).thresholds_, np.median(X, 0), rtol=1e-14)
    theirs = Binarizer(threshold=0.3).fit_transform(X)
    assert np.array_equal(SpinBinarizer(0.3, output="binary").fit_transform(X), theirs)


def test_names_and_pipelines(X):
    frame = pd.DataFrame(X, columns=[f"gene {k}" for k in range(13)])
    fitted = SpinBinarizer("mean").set_output(transform="pandas").fit(frame)
    out = fitted.transform(frame)
    assert list(out.columns) == list(frame.columns) == fitted.encoding_.unit_names
    assert list(fitted.get_feature_names_out()) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame.rename(columns={"gene 1": "other"}))
    with pytest.warns(UserWarning, match="feature names"):
        assert np.array_equal(fitted.transform(X), out)
    y = (X[:, 0] > 0).astype(int)
    search = GridSearchCV(make_pipeline(SpinBinarizer(), LogisticRegression()),
                          {"spinbinarizer__rule": ["zero", "mean", 0.5]}, cv=3)
    assert search.fit(X, y).score(X, y) > 0.9
    again = pickle.loads(pickle.dumps(fitted))
    assert again.encoding_ == fitted.encoding_ and clone(fitted).get_params() == fitted.get_params()


@pytest.mark.parametrize("parameters, name", [({"rule": None}, "rule"), ({"rule": "average"}, "binarize"),
                                              ({"rule": np.nan}, "binarize"), ({"output": "bits"}, "output"),
                                              ({"n_jobs": 0}, "n_jobs"), ({"n_jobs": 1.5}, "n_jobs")])
def test_refused(X, parameters, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        SpinBinarizer(**parameters).fit(X)


def test_missing_values_are_refused(X):
    holed = X.copy()
    holed[2, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SpinBinarizer().fit(holed)


def test_nothing_is_copied_or_changed():
    X = np.random.default_rng(0).integers(0, 9, (50, 40)).astype(np.uint8)
    before = X.copy()
    X.flags.writeable = False
    SpinBinarizer("mean").fit(X).transform(X)
    assert np.array_equal(X, before)


ESTIMATORS = [SpinBinarizer(), isinglass.HopfieldRBM(n_iter=1), isinglass.HopfieldMemory(),
              isinglass.HopfieldClassifier(per_class=1)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_hints_of_all_estimators(estimator):
    values, y = np.random.default_rng(0).uniform(1, 2, (20, 6)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="every value is above its threshold by the rule zero, .* all spins are [+]1"):
        clone(estimator).fit(values, y)
    with pytest.warns(UserWarning, match="every value is at most its threshold .* all spins are -1"):
        clone(estimator).fit(-values, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(estimator).fit(values - 1.5, y)
    data = isinglass.Dataset.from_array(values, y, binarize="mean")
    with pytest.raises(TypeError, match="found a Dataset; X.spins and X.y"):
        clone(estimator).fit(data, data.y)
    anndata = pytest.importorskip("anndata")
    with pytest.raises(TypeError, match="found an AnnData"):
        clone(estimator).fit(anndata.AnnData(values.astype(np.float32), dtype=np.float32), y)
