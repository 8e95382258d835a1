"""Training that can be watched, interrupted and resumed.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
import numbers
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _run_record
from ._convert import Progress, as_seed, reporting
from ._run_record import Rate, as_rates
from ._show import html_table, pyplot
from .dataset import Dataset, as_dataset
from .rbm import SpinGaussianRBM

if TYPE_CHECKING:
    from .dataset import Encoding


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch; NaN stands for what was not computed."""

    epoch: int
    """1 for the first; 0 is the start."""
    updates: int
    """Done by then."""
    seconds: float
    """Training time by then, over all processes that worked at the run."""
    reconstruction_error: float
    """Share of spins that one sweep from the data changes."""
    log_likelihood: float
    """Per sample, if it was recorded by :meth:`Training.set_score`."""
    log_likelihood_error: float
    validation_pseudo_likelihood: float
    """Sum of ln p(s_i | all others) of the validation data, per sample; needs no ln Z."""
    validation_gap: float
    """Log-likelihood of the training data minus that of the validation data, per sample; needs no ln Z."""

    @property
    def validation_log_likelihood(self) -> float:
        """Per sample, where the log-likelihood of the training data is known."""
        return self.log_likelihood - self.validation_gap


@dataclass(frozen=True)
class Equilibrium:
    """What the chains of an equilibrium training did."""

    updates: int
    """In which they jumped; in others they were only swept."""
    share: float
    """Of all updates; NaN before the first."""
    proposed: int
    """Jumps."""
    accepted: int
    fits: int
    """Of mixtures of Gaussians, from which jumps are proposed."""
    refused: int
    """Of which so many could not be used."""
    minima: int
    """Of F0 in the last, mirror images included."""
    is_jumping: bool
    """Whether the last is in use."""
    reason: str
    """Why it is not; else empty."""

    @property
    def acceptance(self) -> float:
        """Share of all jumps that were accepted; NaN if there were none."""
        return self.accepted / self.proposed if self.proposed else math.nan


class TrainingState(NamedTuple):
    """How far a training has come."""

    epochs: int
    """Finished."""
    updates: int
    """Done in all."""
    batch: int
    """The next of the current epoch."""
    n_batches: int
    """In an epoch."""


class Training:
    """Contrastive divergence, an epoch at a time, with or without a directory that keeps it.

    Iterating trains: every step yields the :class:`Epoch` that was just finished. Ctrl-C raises KeyboardInterrupt
    after the current update; nothing is lost, and going on gives the same bits as an uninterrupted training. With a
    directory, the run also survives the process: :meth:`resume` continues it, and so does the program if the data are
    in a file that it can read: ``isinglass train DATA --resume -o DIRECTORY``.

    Parameters
    ----------
    rbm : SpinGaussianRBM
        Where training starts; it is copied, not changed.
    data : Dataset or array of spins (n_samples, n_visible)
        What to learn.
    directory : path, optional
        Where to keep model.npz, epochs.csv, run.json and checkpoints; made if necessary. None writes no files.
    epochs : int
        Passes over the data, in all.
    batch_size, gibbs_steps : int
        Samples per update, and Gibbs sweeps per update: the K of CD-K.
    learning_rate : float or list of (rate, from_epoch)
        A schedule begins with epoch 0: ``[(5e-4, 0), (1e-4, 25)]``.
    estimator : {"sampled", "mean"}
        What the spins after the last sweep are paired with: the hidden units they were drawn from, or their mean.
    persistent : bool
        Chains continue from update to update (PCD) instead of starting from the data.
    chains : int
        How many of those; 0 means as many as samples in a batch, or 1000 for equilibrium.
    equilibrium : bool
        These chains, persistent in any case, also jump between the modes of the model, so that training learns how much
        each mode holds; takes a small learning rate. Where no mixture of Gaussians fits the model, they do not jump,
        and :attr:`equilibrium` says so.
    jumps, refit_every : int
        For equilibrium: jumps of every chain per update, each after a sweep; and updates between two fits of the
        mixture.
    fields : bool
        Train the fields b and c, too.
    shuffle : bool
        Visit the samples in a new order in every epoch.
    impute_sweeps : int
        Missing values are drawn anew in every update, by so many sweeps.
    constraint : {"none", "stiefel", "span"}
        What W keeps to, so that the RBM stays a Hopfield network: orthonormal columns, or the span of the patterns
        that ``rbm`` was made from.
    learn_beta : bool
        Train beta, too, by the gradient of the likelihood, at the rate of the weights.
    validation : Dataset or array of spins, optional
        Measured at the start and after every epoch, to tell the best one by.
    patience : int
        With validation data: end after so many epochs in a row without a better one; 0 means never.
    save_every : float
        Seconds between saves within an epoch.
    random_state : int, None or NumPy generator
        The same number gives the same weights, here and as ``--seed`` of the program, on any number of threads.
    overwrite : bool
        Whether the run may replace another in the directory.
    progress : None, bool or callable
        A bar for :meth:`run`; a callable is told the fraction done, also while iterating.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.where(np.random.default_rng(0).random((60, 16)) < 0.5, 1, -1)
    >>> training = Training(SpinGaussianRBM.from_patterns(X[:2]), X, epochs=3, batch_size=20)
    >>> [(epoch.epoch, epoch.updates) for epoch in training]
    [(1, 3), (2, 6), (3, 9)]
    >>> training.rbm
    SpinGaussianRBM(n_visible=16, n_hidden=2, beta=2)
    """

    __slots__ = ("_data", "_directory", "_epochs", "_is_closed", "_options", "_progress", "_record", "_run")
    _run: _core.Run

    def __init__(self, rbm: SpinGaussianRBM, data: Dataset | npt.ArrayLike, *,
                 directory: str | os.PathLike[str] | None = None, epochs: int = 10, batch_size: int = 100,
                 gibbs_steps: int = 20, learning_rate: Rate = 1e-4, estimator: str = "sampled",
                 persistent: bool = False, chains: int = 0, equilibrium: bool = False, jumps: int = 3,
                 refit_every: int = 25, fields: bool = False, shuffle: bool = False, impute_sweeps: int = 20,
                 constraint: str = "none", learn_beta: bool = False,
                 validation: Dataset | npt.ArrayLike | None = None, patience: int = 0, save_every: float = 30.0,
                 random_state: Any = 1, overwrite: bool = False, progress: Progress = None) -> None:
        if not isinstance(rbm, SpinGaussianRBM):
            raise TypeError(f"rbm: expected a SpinGaussianRBM, found {type(rbm).__name__}")
        samples = as_dataset(data, "data", rbm.encoding)
        held_out = None if validation is None else as_dataset(validation, "validation", samples.encoding)
        if patience and held_out is None:
            raise ValueError("patience: needs validation data")
        rates = as_rates(learning_rate)
        options = {"batch_size": batch_size, "gibbs_steps": gibbs_steps, "estimator": estimator,
                   "persistent": persistent, "chains": chains, "equilibrium": equilibrium, "jumps": jumps,
                   "refit_every": refit_every,
                   "fields": fields, "shuffle": shuffle, "impute_sweeps": impute_sweeps,
                   "constraint": constraint, "learn_beta": learn_beta, "patience": patience,
                   "seed": as_seed(random_state)}
        shown = {"epochs": _as_epochs(epochs), **options, "learning_rate": _run_record.rates_text(rates)}
        command = f"isinglass.Training({', '.join(f'{key}={value!r}' for key, value in shown.items())})"
        self._open(directory, may_create=True, progress=progress)
        found = self._run.describe()
        if found["in_the_way"] is not None and not overwrite:
            self._run.leave()
            advice = "Training.resume() continues the run, and " if found["settings"] else ""
            raise FileExistsError(f"directory: {found['in_the_way']} already exists; {advice}"
                                  "overwrite=True replaces it")
        self._data = samples
        self._epochs = _as_epochs(epochs)
        self._record = self._make_record(rbm, samples, held_out, shown, command)
        try:
            self._run.begin(rbm._handle, samples._handle, _run_record.write(self._record),
                            {**options, "command": command, "save_every": save_every}, rates,
                            None if held_out is None else held_out._handle, isinstance(data, Dataset))
        except BaseException:
            self._run.leave()
            raise

    def _open(self, directory: str | os.PathLike[str] | None, may_create: bool, progress: Progress) -> None:
        self._directory = None if directory is None else os.fspath(directory)
        self._progress = progress
        self._is_closed = False
        self._run = _core.Run.open(self._directory, may_create)

    def _make_record(self, rbm: SpinGaussianRBM, data: Dataset, validation: Dataset | None, shown: dict[str, Any],
                     command: str) -> dict[str, Any]:
        encoding = data.encoding
        record: dict[str, Any] = {
            "program": "isinglass", "version": _core.version(), "verb": "train", "command": command,
            "data": "an array of Python", "data_sha256": data.checksum,
            "binarize": "unknown" if encoding is None else encoding.rule, "samples": data.n_samples,
            "n_visible": rbm.n_visible, "n_hidden": rbm.n_hidden, "seed": str(shown["seed"]),
        }
        # The RBM as it was is the first model.npz, should the process end before the first checkpoint.
        init = None if self._directory is None else os.path.join(os.path.abspath(self._directory), "model.npz")
        record["options"] = {
            "init": init, "hidden": rbm.n_hidden, "beta": float(rbm.beta), "score-every": 0,
            "missing": "impute" if data._handle.has_missing() else "refuse",
            **{_run_record.OPTIONS[name]: value for name, value in shown.items() if name in _run_record.OPTIONS}}
        if not shown["chains"]:  # as many as there are by default, for which the program has no number
            record["options"]["chains"] = None
        record["machine"] = {"isa": _core.isa(), "threads": _core.threads()}
        if validation is not None:
            record["validation_sha256"] = validation.checksum
        return record

    @classmethod
    def resume(cls, directory: str | os.PathLike[str], data: Dataset | npt.ArrayLike, *, epochs: int | None = None,
               validation: Dataset | npt.ArrayLike | None = None, patience: int | None = None,
               batch_size: int | None = None, gibbs_steps: int | None = None, learning_rate: Rate | None = None,
               estimator: str | None = None, persistent: bool | None = None, chains: int | None = None,
               equilibrium: bool | None = None, jumps: int | None = None, refit_every: int | None = None,
               fields: bool | None = None,
               shuffle: bool | None = None, impute_sweeps: int | None = None, constraint: str | None = None,
               learn_beta: bool | None = None, random_state: int | None = None,
               save_every: float = 30.0, progress: Progress = None) -> Training:
        """Continues the run of a directory, begun here or by ``isinglass train``, as if it had never stopped.

        The options are those of run.json. ``epochs`` and ``patience`` may differ from them; others need not be given,
        and are refused if they differ, as are other data.
        """
        self = cls.__new__(cls)
        self._open(directory, may_create=False, progress=progress)
        wanted = {"batch_size": batch_size, "gibbs_steps": gibbs_steps, "estimator": estimator,
                  "persistent": persistent, "chains": chains, "equilibrium": equilibrium, "jumps": jumps,
                  "refit_every": refit_every, "fields": fields, "shuffle": shuffle, "impute_sweeps": impute_sweeps,
                  "constraint": constraint, "learn_beta": learn_beta,
                  "learning_rate": None if learning_rate is None else as_rates(learning_rate)}
        try:
            self._continue({**wanted, "seed": random_state}, {"epochs": epochs, "patience": patience}, data,
                           validation, save_every)
        except BaseException:
            self._run.leave()
            raise
        return self

    def _continue(self, wanted: dict[str, Any], changes: dict[str, int | None], data: Any, validation: Any,
                  save_every: float) -> None:
        found = self._run.describe()
        assert self._directory is not None
        if found["settings"] is None:
            raise FileNotFoundError(f"directory: {self._directory} holds no run to resume")
        self._record = _run_record.read(found["settings"], self._directory)
        options = _run_record.options_of(self._record, self._directory)
        for name, value in wanted.items():
            if value is not None and name in options and value != options[name]:
                raise ValueError(f"{'random_state' if name == 'seed' else name}: {value!r}, but the run in "
                                 f"{self._directory} was started with {options[name]!r}")
        options.update({name: value for name, value in wanted.items() if value is not None and name != "seed"})
        options.update({name: value for name, value in changes.items() if value is not None})
        self._epochs = _as_epochs(options.pop("epochs", 10))
        rates = options.pop("learning_rate", None)
        samples, held_out = self._read_data(data, validation)
        self._data = samples
        if options.get("patience") and held_out is None:
            raise ValueError("patience: needs validation data")
        if not found["has_checkpoint"]:
            raise FileNotFoundError(f"directory: {self._directory} has no checkpoint yet; begin anew, "
                                    "with overwrite=True")
        self._run.resume(samples._handle, {**options, "command": self._record["command"], "save_every": save_every},
                         rates, None if held_out is None else held_out._handle)
        remark = self._run.describe()["remark"]
        if remark:
            warnings.warn(remark, UserWarning, stacklevel=4)
        self._note_changes(options)

    def _read_data(self, data: Any, validation: Any) -> tuple[Dataset, Dataset | None]:
        """The data of the run, without what it holds out, and its validation data."""
        directory, record = self._directory, self._record
        samples = as_dataset(data, "data", _encoding_of(directory))
        if samples.checksum != record["data_sha256"]:
            raise ValueError(f"data: not the data that the run in {directory} was started with: SHA-256 of the spins "
                             f"{samples.checksum[:12]}..., expected {record['data_sha256'][:12]}...")
        held_out = None if validation is None else as_dataset(validation, "validation", samples.encoding)
        share = record["options"].get("hold-out")
        if share and held_out is None:
            parts = samples._handle.split(1 - share, int(record["seed"]))
            samples, held_out = Dataset._wrap(parts[0]), Dataset._wrap(parts[1])
        before, now = record.get("validation_sha256"), None if held_out is None else held_out.checksum
        if before != now:
            how = "out" if before is None else "" if now is None else " other"
            raise ValueError(f"validation: the run in {directory} was started with{how} validation data")
        return samples, held_out

    def _note_changes(self, options: dict[str, Any]) -> None:
        """A larger number of epochs is kept for the next time."""
        kept = self._record["options"]
        new = {"epochs": self._epochs, "patience": options.get("patience", 0)}
        if any(kept.get(name) != value for name, value in new.items()):
            kept.update(new)
            self._run.set_settings(_run_record.write(self._record))

    # ---- training ------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Epoch]:
        return self

    def __next__(self) -> Epoch:
        self._check_open()
        done = self._run.describe()
        if done["epochs"] >= self._epochs or done["is_over"]:
            raise StopIteration
        self._train(done["epochs"] + 1, self._progress if callable(self._progress) else None)
        return self._rows(done["epochs"] + 1)[0]

    def run(self) -> Training:
        """Trains all epochs that are left; returns the training itself."""
        self._check_open()
        with reporting(self._progress, "training") as report:
            self._train(self._epochs, report)
        self.warn_if_running_away()
        return self

    def _train(self, until: int, report: Any) -> None:
        """Until so many epochs are done in all; what is reported is the share of all epochs."""
        share = until / max(1, self._epochs)
        scaled = None if report is None else (lambda fraction: report(share * fraction))
        self._run.train(until, scaled)

    def set_score(self, value: Any, error: float = 0.0) -> None:
        """Records the log-likelihood of the data per sample, at the start or after an epoch just finished.

        Takes what ``log_likelihood()`` of the RBM returns, or a number and its error.
        """
        self._check_open()
        if not isinstance(value, numbers.Real) and hasattr(value, "value"):
            value, error = value.value, value.error
        self._run.set_score(float(value), float(error))

    def close(self) -> None:
        """Gives the directory free. What was trained stays usable; training further needs :meth:`resume`."""
        self._is_closed = True
        self._run.leave()

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("the training was closed; Training.resume() continues it")

    def __enter__(self) -> Training:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    # ---- looking -------------------------------------------------------------------------------------------------

    @property
    def rbm(self) -> SpinGaussianRBM:
        """The RBM in training: not a copy, so that it changes as the training goes on. Its arrays are read-only."""
        handle = self._run.rbm()
        assert handle is not None
        return SpinGaussianRBM._wrap(handle)

    @property
    def epochs(self) -> list[Epoch]:
        """All that is known: number 0 is the start, number k the state after k epochs."""
        return self._rows(0)

    def _rows(self, start: int) -> list[Epoch]:
        return [Epoch(**row) for row in self._run.rows(start)]

    @property
    def state(self) -> TrainingState:
        """How far it has come."""
        found = self._run.describe()
        return TrainingState(found["epochs"], found["updates"], found["batch"], found["n_batches"])

    @property
    def equilibrium(self) -> Equilibrium | None:
        """What its chains did, if it was asked for equilibrium."""
        found = self._run.equilibrium()
        updates = self._run.describe()["updates"]
        return None if found is None else Equilibrium(
            **found, share=found["updates"] / updates if updates else math.nan)

    @property
    def settings(self) -> dict[str, Any]:
        """The content of run.json: options by the names of the program, checksum of the data, machine."""
        return dict(self._record)

    @property
    def directory(self) -> str | None:
        """Where the run is kept, if it is."""
        return self._directory

    @property
    def is_over(self) -> bool:
        """Whether all epochs are done, or patience has ended the training."""
        found = self._run.describe()
        return bool(found["epochs"] >= self._epochs or found["is_over"])

    @property
    def seconds(self) -> float:
        """Training time, over all processes that worked at the run."""
        return float(self._run.describe()["seconds"])

    @property
    def best_epoch(self) -> int | None:
        """The one after which the validation data fitted best; None without such data."""
        found = self._run.describe()
        return int(found["best_epoch"]) if found["has_validation"] else None

    def best_rbm(self) -> SpinGaussianRBM:
        """The RBM after the best epoch, from best.npz of the directory."""
        if self.best_epoch is None or self._directory is None:
            raise ValueError("best_rbm() needs validation data and a directory")
        return SpinGaussianRBM.load(os.path.join(self._directory, "best.npz"))

    def warn_if_running_away(self) -> None:
        """A UserWarning if weights have grown so long that the learning rate must have been too large."""
        longest = float(np.sqrt(np.max(np.sum(np.square(self.rbm.weights), axis=0), initial=0.0)))
        if longest > 100:  # the columns of a Hopfield network have length 1
            warnings.warn(f"a column of W has length {longest:.3g}: the training runs away; choose a smaller "
                          "learning_rate, the more so the more units there are", UserWarning, stacklevel=3)

    def plot(self, ax: Any = None) -> Any:
        """Reconstruction error by epoch, or the validation data's pseudo-likelihood where there are such data."""
        rows = self.epochs
        key = "reconstruction_error" if self.best_epoch is None else "validation_pseudo_likelihood"
        if ax is None:
            _, ax = pyplot().subplots(layout="constrained")
        known = [(row.epoch, getattr(row, key)) for row in rows if not math.isnan(getattr(row, key))]
        ax.plot([epoch for epoch, _ in known], [value for _, value in known], marker="o", markersize=3)
        ax.set_xlabel("epoch")
        ax.set_ylabel(key.replace("_", " "))
        return ax

    def __repr__(self) -> str:
        state = self.state
        where = "" if self._directory is None else f", directory={self._directory!r}"
        return f"Training(epochs={state.epochs} of {self._epochs}, updates={state.updates}{where})"

    def _repr_html_(self) -> str:
        state, last = self.state, self.epochs[-1]
        rows: list[tuple[str, Any]] = [
            ("epochs", f"{state.epochs} of {self._epochs}"), ("updates", state.updates),
            ("time", f"{self.seconds:.2f} s"), ("RBM", repr(self.rbm))]
        if not math.isnan(last.reconstruction_error):
            rows.append(("reconstruction error", f"{last.reconstruction_error:.4f}"))
        jumping = self.equilibrium
        if jumping is not None:
            rows.append(("jumps", f"in {100 * jumping.share:.0f} % of the updates, {100 * jumping.acceptance:.0f} % "
                         "accepted" if jumping.updates else f"none: {jumping.reason}"))
        if self.best_epoch is not None:
            rows.append(("best epoch", self.best_epoch))
        if self._directory is not None:
            rows.append(("directory", self._directory))
        return html_table("Training", rows)


def _as_epochs(epochs: Any, name: str = "epochs") -> int:
    if isinstance(epochs, bool) or not isinstance(epochs, numbers.Integral) or not 0 <= int(epochs) < 2**63:
        raise ValueError(f"{name}: expected a whole number from 0 on, found {epochs!r}")
    return int(epochs)


def _encoding_of(directory: str | None) -> Encoding | None:
    """How the run's data became spins, if its model is there to say so."""
    try:
        return SpinGaussianRBM.load(os.path.join(directory or "", "model.npz")).encoding
    except (OSError, ValueError):
        return None
