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
import os
from typing import TYPE_CHECKING, Any

# A thread that waits must not keep a busy machine from its work, as OpenMP's do by default: tiny fits took a hundred
# times as long beside other programs. OpenMP reads this when it is loaded, which is now unless somebody was first.
_policy = os.environ.get("OMP_WAIT_POLICY")
os.environ["OMP_WAIT_POLICY"] = _policy or "passive"
from . import _core  # noqa: E402

if _policy is None:
    del os.environ["OMP_WAIT_POLICY"]  # what other programs do is not for us to say

from ._core import CancelledError, DependentError, DivergedError, FormatError, set_threads, threads

if TYPE_CHECKING:
    from .dataset import Dataset as Dataset
    from .dataset import Encoding as Encoding
    from .catalog import data_directory as data_directory
    from .catalog import load_data as load_data
    from .patterns import Patterns as Patterns
    from .hopfield import DynamicsResult as DynamicsResult
    from .hopfield import HopfieldNetwork as HopfieldNetwork
    from .hopfield import NetworkStates as NetworkStates
    from ._recall import Recall as Recall
    from ._recall import Recovery as Recovery
    from ._recall import committor as committor
    from ._recall import corrupt as corrupt
    from ._recall import projections as projections
    from ._recall import recall as recall
    from ._recall import recover as recover
    from .rbm import SpinGaussianRBM as SpinGaussianRBM
    from .log_z import Likelihood as Likelihood
    from .log_z import LogZ as LogZ
    from .deep_states import DeepStates as DeepStates
    from .chains import Chains as Chains
    from .chains import Diagnosis as Diagnosis
    from .chains import Jumps as Jumps
    from .chains import LabelTimes as LabelTimes
    from .chains import Tempering as Tempering
    from .unmapping import Unmapping as Unmapping
    from .theory import Checks as Checks
    from .theory import verify as verify
    from .training import Epoch as Epoch
    from .training import Equilibrium as Equilibrium
    from .training import Training as Training
    from .training import TrainingState as TrainingState
    from .classify import Classifier as Classifier
    from .classify import Experts as Experts
    from .finetuning import FineTuning as FineTuning
    from .deep import DeepModel as DeepModel
    from .deep import Elbo as Elbo
    from .binarizer import SpinBinarizer as SpinBinarizer
    from .rbm_estimator import HopfieldRBM as HopfieldRBM
    from .memory import HopfieldMemory as HopfieldMemory
    from .classifier import HopfieldClassifier as HopfieldClassifier
    from .interop import annotate as annotate
    from ._show import plot_images as plot_images

__version__ = _core.version()

#: Where each name comes from.
_HOMES = {
    "Dataset": "dataset",
    "Encoding": "dataset",
    "data_directory": "catalog",
    "load_data": "catalog",
    "Patterns": "patterns",
    "DynamicsResult": "hopfield",
    "HopfieldNetwork": "hopfield",
    "NetworkStates": "hopfield",
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
    "DeepStates": "deep_states",
    "Chains": "chains",
    "Diagnosis": "chains",
    "Jumps": "chains",
    "LabelTimes": "chains",
    "Tempering": "chains",
    "Unmapping": "unmapping",
    "Checks": "theory",
    "verify": "theory",
    "Epoch": "training",
    "Equilibrium": "training",
    "Training": "training",
    "TrainingState": "training",
    "Classifier": "classify",
    "Experts": "classify",
    "FineTuning": "finetuning",
    "DeepModel": "deep",
    "Elbo": "deep",
    "SpinBinarizer": "binarizer",
    "HopfieldRBM": "rbm_estimator",
    "HopfieldMemory": "memory",
    "HopfieldClassifier": "classifier",
    "annotate": "interop",
    "plot_images": "_show",
}

__all__ = [
    "CancelledError",
    "DependentError",
    "DivergedError",
    "FormatError",
    "set_threads",
    "threads",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isinglass' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
