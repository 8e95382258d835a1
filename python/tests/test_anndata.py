"""AnnData in, and results out as files that others read."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

anndata = pytest.importorskip("anndata")

from isinglass import Dataset, Encoding, SpinBinarizer, annotate  # noqa: E402

RULES = [None, "mean", "median", "otsu", 1.0]


def make(matrix=sp.csr_matrix, dtype=np.float32):
    rng = np.random.default_rng(5)
    counts = rng.poisson(0.8, (40, 12)).astype(dtype)
    obs = pd.DataFrame({"kind": pd.Categorical([None, *rng.choice(["B", "NK", "T"], 39)]), "batch": np.arange(40) % 2},
                       index=[f"cell{a}" for a in range(40)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.AnnData(matrix(counts), obs=obs, var=pd.DataFrame(index=[f"gene{k}" for k in range(12)]),
                                dtype=dtype)
    adata.layers["scaled"] = counts * 2.0
    return adata, counts


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("matrix", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix])
def test_in(tmp_path, matrix, rule):
    adata, counts = make(matrix)
    data = Dataset.from_anndata(adata, "kind", binarize=rule)
    assert data.checksum == Dataset.from_array(counts, binarize=rule).checksum
    assert data.ids == list(adata.obs_names) and data.unit_names == list(adata.var_names)
    assert data.y.tolist() == [None, *adata.obs["kind"].astype(str)[1:]]
    adata.write_h5ad(tmp_path / "a.h5ad")
    loaded = Dataset.load(tmp_path / "a.h5ad", label_column="kind", binarize=rule, keep_unlabelled=True)
    assert loaded.checksum == data.checksum and loaded.label_checksum == data.label_checksum
    assert loaded.encoding == data.encoding and loaded.ids == data.ids
    backed = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    assert Dataset.from_anndata(backed, "kind", binarize=rule).checksum == data.checksum
    backed.file.close()


def test_layers_views_and_likes():
    adata, counts = make()
    train = Dataset.from_anndata(adata, binarize="mean")
    scaled = Dataset.from_anndata(adata, layer="scaled", binarize="mean")
    assert np.array_equal(scaled.encoding.thresholds, 2 * train.encoding.thresholds)
    part = Dataset.from_anndata(adata[5:15, ::-1], like=train)  # units by name
    assert np.array_equal(part.spins, train.spins[5:15])
    assert Dataset.from_anndata(adata, "batch").classes == ["0", "1"]
    for keywords, name in (({"label": "other"}, "label"), ({"layer": "other"}, "layer")):
        with pytest.raises(KeyError, match=f"{name}: "):
            Dataset.from_anndata(adata, **keywords)
    for wrong in (None, counts, pd.DataFrame(counts)):
        with pytest.raises(TypeError, match="adata: "):
            Dataset.from_anndata(wrong)
        with pytest.raises(TypeError, match="adata: "):
            annotate(wrong)


class Model:
    """Stands for an estimator: hidden units and classes of the data."""

    def __init__(self, binarizer):
        self.binarizer, self.encoding_ = binarizer, binarizer.encoding_

    def transform(self, X):
        return self.binarizer.transform(X)[:, :3] / 7

    def predict(self, X):
        return np.where(self.binarizer.transform(X)[:, 0] > 0, 10, 9)


@pytest.mark.parametrize("matrix", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_out(tmp_path, matrix):
    adata, counts = make(matrix)
    binarizer = SpinBinarizer("mean").fit(counts)
    before = Dataset.from_anndata(adata, "kind", binarize="mean").checksum
    assert annotate(adata, Model(binarizer), loadings=np.arange(24).reshape(12, 2),
                    values={"log_likelihood": np.arange(40) / 3}) is None
    adata.write_h5ad(tmp_path / "out.h5ad")
    again = anndata.read_h5ad(tmp_path / "out.h5ad")
    spins = binarizer.transform(counts)
    assert again.obsm["X_isinglass"].dtype == np.float64
    assert np.array_equal(again.obsm["X_isinglass"], spins[:, :3] / 7)
    assert list(again.obs["isinglass_class"].cat.categories) == ["9", "10"]
    assert again.obs["isinglass_class"].tolist() == np.where(spins[:, 0] > 0, "10", "9").tolist()
    assert np.array_equal(again.obs["isinglass_log_likelihood"], np.arange(40) / 3)
    assert np.array_equal(again.var["isinglass_threshold"], binarizer.thresholds_)
    assert np.array_equal(again.varm["isinglass"], np.arange(24.0).reshape(12, 2))
    assert again.uns["isinglass"]["rule"] == "mean" and again.uns["isinglass"]["n_visible"] == 12
    loaded = Dataset.load(tmp_path / "out.h5ad", label_column="isinglass_class", binarize="mean")
    assert loaded.checksum == before and loaded.classes == ["9", "10"]
    fitted = Dataset.from_anndata(again, like=Encoding.from_thresholds(again.var["isinglass_threshold"]))
    assert fitted.checksum == before


def test_out_of_an_estimator(tmp_path):
    from isinglass import HopfieldMemory

    adata, _ = make()
    adata = adata[1:].copy()
    memory = HopfieldMemory(binarize="mean").fit(adata.X, adata.obs["kind"].astype(str))
    annotate(adata, memory)
    adata.write_h5ad(tmp_path / "out.h5ad")
    again = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert np.array_equal(again.obsm["X_isinglass"], memory.transform(adata.X))
    assert again.obs["isinglass_class"].tolist() == memory.predict(adata.X).tolist()
    assert Dataset.load(tmp_path / "out.h5ad", label_column="isinglass_class").n_samples == 39


def test_out_of_a_part_of_the_variables():
    adata, counts = make()
    names = ["gene7", "gene2"]
    frame = pd.DataFrame(counts[:, [7, 2]], columns=names)
    copied = annotate(adata, SpinBinarizer("median").fit(frame), key="ours", classes=[None] + ["b"] * 39, copy=True,
                      loadings=[[1], [2]])
    assert "ours_class" not in adata.obs and "X_ours" not in adata.obsm
    assert np.array_equal(copied.var["ours_threshold"].to_numpy()[[7, 2]], np.median(counts[:, [7, 2]], 0))
    assert np.isnan(copied.var["ours_threshold"]).sum() == 10 and np.isnan(copied.varm["ours"]).sum() == 10
    assert copied.varm["ours"][7, 0] == 1 and copied.obsm["X_ours"].shape == (40, 2)
    assert copied.obs["ours_class"].isna().tolist() == [True] + [False] * 39


@pytest.mark.parametrize("keywords, name", [
    ({"model": 3}, "model"), ({"model": Encoding.from_thresholds([1.0, 2.0])}, "model"),
    ({"features": np.zeros((39, 2))}, "features"), ({"features": np.zeros(40)}, "features"),
    ({"features": [["a"]] * 40}, "features"), ({"classes": ["a"]}, "classes"), ({"classes": [1.5] * 40}, "classes"),
    ({"loadings": np.zeros((3, 2))}, "loadings"), ({"values": {"a": [1]}}, "values"), ({"key": ""}, "key"),
    ({"key": "a/b"}, "key"), ({"key": 3}, "key"),
])
def test_refused(keywords, name):
    adata, _ = make()
    with pytest.raises((ValueError, TypeError), match=f"^{name}"):
        annotate(adata, **keywords)
    assert list(adata.obs) == ["kind", "batch"] and not adata.obsm and not adata.uns and not list(adata.var)
