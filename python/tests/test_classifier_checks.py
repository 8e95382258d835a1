"""scikit-learn's own checks of HopfieldClassifier.

SPDX-License-Identifier: MIT
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from isinglass import HopfieldClassifier


@parametrize_with_checks([
    HopfieldClassifier(),
    HopfieldClassifier(features="hidden", n_iter=1, per_class=2, binarize="median"),
    HopfieldClassifier(features="energy", fields=True, n_iter=20, learning_rate=0.05),
    HopfieldClassifier(features="hidden", finetune=True, tune_epochs=3, validation_fraction=0.3, random_state=1),
    HopfieldClassifier(features="labels", n_iter=20, learning_rate=0.01, beta=1.0),
])
def test_checks(estimator, check):
    check(estimator)
