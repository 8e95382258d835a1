"""Hopfield networks and restricted Boltzmann machines as two views of one object.

Objects follow the library: a :class:`Dataset` of spins, the :class:`Patterns` of its classes, the
:class:`HopfieldNetwork` that stores them, the :class:`SpinGaussianRBM` that equals the network exactly. Estimators
follow scikit-learn: :class:`SpinBinarizer`, :class:`HopfieldRBM`, :class:`HopfieldMemory`,
:class:`HopfieldClassifier`. Names are loaded when they are first used, so that ``import isinglass`` is quick and
needs NumPy only for objects, scikit-learn only for estimators.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import CancelledError, DependentError, DivergedError, FormatError

if TYPE_CHECKING:
    from .classifier import HopfieldClassifier as HopfieldClassifier
    from .classify import Classifier as Classifier
    from .classify import Experts as Experts
    from .catalog import data_directory as data_directory
    from .catalog import load_data as load_data
    from .binarizer import SpinBinarizer as SpinBinarizer
    from .dataset import Dataset as Dataset
    from .dataset import Encoding as Encoding
    from .interop import annotate as annotate
    from .catalog import data_directory as data_directory
    from .catalog import load_data as load_data
    from .patterns import Patterns as Patterns
    from .hopfield import DynamicsResult as DynamicsResult
    from .hopfield import HopfieldNetwork as HopfieldNetwork
    from .hopfield import NetworkStates as NetworkStates
    from .memory import HopfieldMemory as HopfieldMemory
    from .recall import Recall as Recall
    from .recall import Recovery as Recovery
    from .recall import committor as committor
    from .recall import corrupt as corrupt
    from .recall import projections as projections
    from .recall import recall as recall
    from .recall import recover as recover
    from .rbm_estimator import HopfieldRBM as HopfieldRBM
    from .training import Epoch as Epoch
    from .training import Training as Training
    from .training import TrainingState as TrainingState
    from ._recall import Recall as Recall
    from ._recall import Recovery as Recovery
    from ._recall import committor as committor
    from ._recall import corrupt as corrupt
    from ._recall import projections as projections
    from ._recall import recall as recall
    from ._recall import recover as recover
    from .rbm_estimator import HopfieldRBM as HopfieldRBM
    from .training import Epoch as Epoch
    from .training import Training as Training
    from .training import TrainingState as TrainingState
    from .rbm import SpinGaussianRBM as SpinGaussianRBM
    from .log_z import Likelihood as Likelihood
    from .log_z import LogZ as LogZ
    from .chains import Chains as Chains
    from .chains import Diagnosis as Diagnosis
    from .unmapping import Unmapping as Unmapping
    from .theory import Checks as Checks
    from .theory import verify as verify
    from .rbm_estimator import HopfieldRBM as HopfieldRBM
    from .training import Epoch as Epoch
    from .training import Training as Training
    from .training import TrainingState as TrainingState

__version__ = _core.version()

#: Where each name comes from.
_HOMES = {
    "Classifier": "classify",
    "Experts": "classify",
    "HopfieldClassifier": "classifier",
    "data_directory": "catalog",
    "load_data": "catalog",
    "Dataset": "dataset",
    "Encoding": "dataset",
    "data_directory": "catalog",
    "load_data": "catalog",
    "Patterns": "patterns",
    "DynamicsResult": "hopfield",
    "HopfieldNetwork": "hopfield",
    "NetworkStates": "hopfield",
    "HopfieldMemory": "memory",
    "Recall": "_recall",
    "Recovery": "_recall",
    "committor": "_recall",
    "corrupt": "_recall",
    "projections": "_recall",
    "recall": "_recall",
    "recover": "_recall",
    "SpinGaussianRBM": "rbm",
    "Likelihood": "log_z",
    "LogZ": "log_z",
    "Chains": "chains",
    "Diagnosis": "chains",
    "Unmapping": "unmapping",
    "Checks": "theory",
    "verify": "theory",
    "SpinBinarizer": "binarizer",
    "Epoch": "training",
    "HopfieldRBM": "rbm_estimator",
    "Training": "training",
    "TrainingState": "training",
    "annotate": "interop",
}

__all__ = [
    "CancelledError",
    "DependentError",
    "DivergedError",
    "FormatError",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isinglass' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
