"""What scikit-learn expects of every estimator.

SPDX-License-Identifier: MIT
"""

import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from isinglass import HopfieldRBM  # noqa: E402


@pytest.mark.filterwarnings("ignore:n_components. the patterns are linearly dependent")
@pytest.mark.filterwarnings("ignore:n_components. a class has fewer samples")
@parametrize_with_checks([HopfieldRBM(), HopfieldRBM(init="normal"),
                          HopfieldRBM(init="hebbian", binarize="mean", persistent=True, fields=True, shuffle=True)])
def test_scikit_learn(estimator, check):
    check(estimator)
