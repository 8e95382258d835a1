"""HopfieldMemory keeps scikit-learn's conventions.

SPDX-License-Identifier: MIT
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from isinglass import HopfieldMemory


@parametrize_with_checks([
    HopfieldMemory(),
    HopfieldMemory(per_class=2, dynamics="async", keep_diagonal=False),
    HopfieldMemory(rule="hebbian", readout="overlap", binarize="mean", sweeps=0),
])
def test_conventions(estimator, check):
    check(estimator)
