"""``nacho.load``: kernels of files, which are called without a compiler."""

from __future__ import annotations

import base64
import ctypes
import json
import os
import pickle
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nacho._elements import STORED, DType
from nacho._kernels.call import Call, bind, is_result_given, views_of
from nacho._kernels.option_checks import checked_validation
from nacho._kernels.options import Lowering, Running, options_of_call, out_of_call
from nacho._kernels.refusals import refuse_cost, refuse_entries, refuse_memory
from nacho._kernels.repetition import (
    LoadedRepetitions,
    Repetitions,
    RepetitionsByOptions,
)
from nacho._kernels.specialisation import Asked, Specialisation
from nacho._kernels.statement import NotationSource
from nacho._kernels.types import Typing
from nacho._notation.written_out import with_added
from nacho._runtime import library
from nacho._storage.extents import index_extents
from nacho._storage.formats import TensorType
from nacho._storage.operand_types import require_readable, require_type
from nacho._storage.plain_checks import call_files
from nacho._storage.room import Room
from nacho._storage.views import INT32, INT64
from nacho.errors import (
    ArgumentError,
    DeviceError,
    FileError,
    OptionError,
    displayed,
    pointed,
)


def load(path: str | os.PathLike[str], validate: str | bool = "safe") -> LoadedKernel:
    """Load a kernel from a file that ``Kernel.export`` has written.

    That takes no compiler, and loads none: neither do calls, unless an operand has to
    be converted to another format.

    Parameters
    ----------
    path
        The file. Loading it runs code of its authors, as importing a module does.
    validate
        How operands are checked, as in ``evaluate``.

    Examples
    --------
    >>> formats = {"A": "csr", "x": "dense", "y": "dense"}  # doctest: +SKIP
    >>> kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats)  # doctest: +SKIP
    >>> kernel.export("spmv.so")  # doctest: +SKIP
    >>> y = nacho.load("spmv.so")(A, x)  # doctest: +SKIP
    """
    checked = checked_validation(validate)
    library.prepare()
    if not isinstance(path, str | bytes | os.PathLike):
        raise ArgumentError(f"expected the path of a file, not {type(path).__name__}")
    file = os.path.abspath(os.fsdecode(path))
    try:
        loaded = _opened(file)
        described = ctypes.c_char.in_dll(loaded, "nacho_description")
    except OSError as error:
        raise FileError(f"{file} cannot be loaded: {error}") from error
    except ValueError as error:
        raise FileError(f"{file} has no kernel that Nacho exported") from error
    found = json.loads(ctypes.string_at(ctypes.addressof(described)))
    if found["version"] != library.VERSION:
        raise FileError(f"{file} was exported by another version of Nacho")
    missing = set(found["processor"]) - library.processor_flags()
    if missing:
        shown = ", ".join(sorted(missing))
        raise DeviceError(
            f"{file} was compiled for another processor, which has {shown}: export the "
            "kernel on this machine"
        )
    source, typing = pickle.loads(base64.b64decode(found["statement"]))
    image = ctypes.c_char.in_dll(loaded, found["image"])
    call_files()
    return LoadedKernel(Path(file), loaded, source, typing, image, checked)


def _opened(file: str) -> ctypes.CDLL:
    """Open a library as it is now.

    The system opens a path once, and then gives what it had then. So a file that has
    changed since is opened by another path.
    """
    found = os.stat(file)
    version = (found.st_mtime_ns, found.st_ino, found.st_size)
    if _versions.setdefault(file, version) == version:
        return ctypes.CDLL(file)
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(file, Path(folder) / Path(file).name)
        return ctypes.CDLL(str(copy))


_versions: dict[str, tuple[int, int, int]] = {}
"""Which version of each file was opened first."""


class LoadedKernel:
    """A kernel of a file: call it with the operands, by position or by name.

    It takes operands of the types for which it was compiled, and of narrower ones.
    """

    def __init__(
        self,
        path: Path,
        loaded: ctypes.CDLL,
        source: NotationSource,
        typing: Typing,
        image: ctypes.c_char,
        validate: str,
    ) -> None:
        self.path = path
        """The file that it was loaded from."""
        self._loaded = loaded
        self._validate = validate
        self._specialisation = _Specialisation(source, typing, image)
        self._repetitions = RepetitionsByOptions(LoadedRepetitions)

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.path, self._validate)

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result.

        Parameters
        ----------
        *operands
            The operands in the order in which they first occur in the expression.
        **named
            The operands by name, and options of calls of ``Kernel``: ``threads``,
            ``parts`` and ``out``.
        """
        assignment = self._specialisation.statement.assignment
        out: Any = None
        options: dict[str, Any] = {}
        if named:
            out = out_of_call(named, assignment.operands)
            options = options_of_call(named, assignment.operands)
        given = operands
        if named or len(operands) != len(assignment.operands):
            self._require_no_result(operands, named)
            given = tuple(bind(assignment, operands, named))
        repetitions = self._repetitions.of(options)
        made = repetitions.compute(given, out)
        if made is None:
            made = self._computed(given, options, out, repetitions)
        return made

    def _computed(
        self,
        given: tuple[Any, ...],
        options: dict[str, Any],
        out: Any,
        repetitions: Repetitions,
    ) -> Any:
        """Compute a result, and remember how for calls that repeat this one."""
        for name in ("memory_limit", "stream"):
            if name in options:
                raise OptionError(f"{name}= is no option of kernels of files")
        statement = self._specialisation.statement
        assignment = statement.assignment
        room = None if out is None else Room(out, assignment.result)
        running = Running(validate=self._validate, out=room)._replace(**options)
        views = views_of(assignment, given)
        extents = index_extents(assignment, views)
        for name, view in views.items():
            type = statement.types[name]
            assert type.format is not None
            require_readable(name, view, type.format)
            require_type(name, view, type)
        call = Call.of(self._specialisation, given, views, extents, running)
        try:
            made = call.compute()
        except library.Failure as failure:
            call.refuse_changed(failure)
        repetitions.remember(call)
        return made

    def _require_no_result(
        self, operands: Sequence[Any], named: Mapping[str, Any]
    ) -> None:
        """Refuse the tensor that ``+=`` adds to, for which no code was exported."""
        assignment = self._specialisation.statement.assignment
        is_last = assignment.adds and len(operands) > len(self.operands)
        if is_last or (named and is_result_given(assignment, named)):
            message = (
                f"the kernel of {self.path} does not add to '{assignment.result.name}':"
                f" export that of '{with_added(assignment).text}'"
            )
            span = assignment.reduction_span
            raise ArgumentError(pointed(message, assignment.text, span))

    @property
    def expression(self) -> str:
        """The statement that was compiled."""
        return self._specialisation.statement.assignment.text

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in the order of the positional arguments."""
        return self._specialisation.statement.assignment.operands

    @property
    def types(self) -> dict[str, TensorType]:
        """The types of the operands by name."""
        return self._specialisation.statement.types

    @property
    def result_type(self) -> TensorType:
        """The type of the result."""
        return self._specialisation.statement.result

    def __repr__(self) -> str:
        return f"<nacho.LoadedKernel {self.expression!r}, from {displayed(self.path)}>"


class _Specialisation(Specialisation):
    """The only specialisation of a kernel of a file, which the runtime library calls.

    It plans and computes at once.
    """

    def __init__(
        self, source: NotationSource, typing: Typing, image: ctypes.c_char
    ) -> None:
        self._read(source, typing, Lowering())
        self._image = image
        format = self.statement.result.format
        self._levels = 0 if format is None else len(format.levels)
        self._types = _types_of(self.statement.result)

    def plan(self, args: list[object], asked: Asked, purpose: str) -> Any:
        """Return what was asked, which is all that there is to plan."""
        return asked

    def execute(
        self,
        plan: Any,
        args: list[object],
        *,
        planned: bool,
        trusted: bool,
        on_device: bool = False,
        into: object = None,
    ) -> list[Any]:
        """Compute the result, and return its arrays; none if they were copied."""
        parts, threads, _, _ = plan
        try:
            operands = [number for arg in args for number in library.argument(arg)]
            made = self._called(operands, threads, parts)
        except library.Failure as failure:
            self._refuse_work(failure, threads)
            raise
        assert made is not None
        return self._in_place(made, into)

    def repeat(
        self, asked: Asked, operands: list[int], unknown: int, into: object
    ) -> list[Any] | None:
        """Compute the result if the operands are valid, as ``execute`` does; or None.

        They are as the library takes them. ``unknown`` has a bit for each operand whose
        coordinates have to be checked.
        """
        parts, threads, _, _ = asked
        made = self._called(operands, threads, parts, unknown)
        return None if made is None else self._in_place(made, into)

    def _called(
        self, operands: list[int], threads: int, parts: int, unknown: int | None = None
    ) -> list[Any] | None:
        """Call the library with the arguments of this kernel."""
        image = ctypes.addressof(self._image)
        return library.call(
            image, operands, self._types, self._levels, threads, parts, unknown
        )

    def _in_place(self, made: list[Any], into: object) -> list[Any]:
        """Return the arrays of the result; none if its values are copied."""
        if not isinstance(into, np.ndarray):
            return made
        np.copyto(into, made[-1].reshape(into.shape))
        return []

    def _refuse_work(self, failure: library.Failure, threads: int) -> None:
        """Refuse what needs too much memory, time or entries; else return."""
        assignment, result = self.statement.assignment, self.statement.result
        if failure.is_of_memory:
            refuse_memory(assignment, result, threads, failure)
        if str(failure).startswith("cost-overflow"):
            refuse_cost(assignment, failure)
        if str(failure).startswith("index-overflow"):
            refuse_entries(assignment, result, failure)


def _types_of(type: TensorType) -> list[DType]:
    """Return the types of the arrays of a result: by level, then of the values."""
    found: list[DType] = []
    widths: dict[int, DType] = {32: INT32, 64: INT64}
    format = type.format
    if format is not None:
        for level in range(len(format.levels)):
            if level in format.usual.compressed:
                found.append(widths[type.pos_width])
            if level in format.usual.owners:
                found.append(widths[type.crd_width])
    return [*found, STORED[type.dtype]]
