"""SpinBinarizer under the checks that scikit-learn has for all estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from isinglass import SpinBinarizer


@parametrize_with_checks([SpinBinarizer(), SpinBinarizer("mean"), SpinBinarizer(0.5, output="binary")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
