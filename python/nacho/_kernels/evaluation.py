"""``evaluate`` and ``einsum``: they compile a kernel for the operands, or reuse one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from numpy.typing import NDArray

from nacho._kernels.cache import Cache
from nacho._kernels.call import Call
from nacho._kernels.explain import explain
from nacho._kernels.explanation import Explanation
from nacho._kernels.given import (
    HasCoo,
    HasCsr,
    given_operands,
    read_statement,
    spelled,
)
from nacho._kernels.logs import LOGGER
from nacho._kernels.options import Options
from nacho._kernels.repetition import NamedRepetitions
from nacho._kernels.specialisers import prepared
from nacho._notation.einsum import spelled_product
from nacho._notation.monoids import Semiring
from nacho._notation.overloads import WholeExpression
from nacho._notation.symbols import Expression, Index
from nacho._notation.warnings import expect_sums
from nacho._progress import Progress
from nacho._storage.formats import Format
from nacho._storage.tensor_data import TensorData

_EVALUATE = ("evaluate(expr, {})", Options._fields)
_EXPLAIN = ("explain(expr, {})", Options._fields)

_Container = TypeVar("_Container")
_Tensor = TypeVar("_Tensor", bound=TensorData)
_Sparse = Literal["coo", "csc", "csf", "csr", "dcsc", "dcsr"]


# A statement decides whether the result is sparse: if out= does not say it, type
# checkers cannot know it.


@overload
def evaluate(
    expr: str,
    /,
    *,
    out: Literal["dense"],
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: TensorData | NDArray[Any] | HasCsr[Any] | complex,
) -> NDArray[Any]: ...


@overload
def evaluate(
    expr: str,
    /,
    *,
    out: _Sparse,
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: _Tensor | complex,
) -> _Tensor: ...


@overload
def evaluate(
    expr: str,
    /,
    *,
    out: Literal["csr"],
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: HasCsr[_Container] | complex,
) -> _Container: ...


@overload
def evaluate(
    expr: str,
    /,
    *,
    out: Literal["coo"],
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: HasCoo[_Container] | complex,
) -> _Container: ...


@overload
def evaluate(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *,
    out: str | Format | None = None,
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: Any,
) -> Any: ...


@overload
def evaluate(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *,
    out: _Container,
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: Any,
) -> _Container: ...


def evaluate(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *others: Any,
    out: object = None,
    target: str | None = None,
    device: int | None = None,
    stream: object = None,
    threads: int | None = None,
    parts: int | None = None,
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    cost: str = "time",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    semiring: Semiring | str | None = None,
    progress: Progress = None,
    **named: Any,
) -> Any:
    """Compute an expression: compile it once for such operands, and run it.

    Parameters
    ----------
    expr
        A statement in the notation, an expression of ``nacho.indices``, or a
        ``nacho.Lazy``. The latter two contain their operands.
    operands
        A mapping with operands by name, for those that have the name of an option. For
        an expression of ``nacho.indices``: the indices of the result.
    out
        The format of the result: a name such as ``"csr"``, a level map, or a
        ``nacho.Format``. By default it is inferred, among those for which the library
        of the first sparse operand has a container. Or a container, which the result is
        written to, as in calls of ``Kernel``, and which is returned.
    target
        ``"cpu"``, ``"cuda"`` (NVIDIA's GPUs) or ``"cuda-sim"`` (a simulated GPU). By
        default, kernels run where the operands are.
    device
        The number of the GPU to which operands of the host are copied, and from which
        the result is copied back; only 0, with a ``target``.
    stream
        The stream of CUDA in whose order everything is done: its address, or a stream
        of PyTorch or CuPy. By default, the current one of the operands' library.
    threads
        The most threads of the host.
    parts
        Into how many parts of equal cost the work is cut. By default, the number
        follows from the work.
    order
        The indices from the outermost loop inwards, as ``"ij"`` or ``("i", "j")``. By
        default, the order that is expected to be the cheapest.
    validate
        How operands are checked. ``"safe"``: in full when a container is first seen,
        and in later calls their lengths and where rows begin; ``"full"``: in full in
        each call; ``"none"``: not at all.
    cost
        The cost model by which parts are equal: ``"nnz"``, ``"nnz+loops"``,
        ``"flops"``, ``"time"``, or the text of a ``#nacho.cost_model``.
    remap
        False, if outer intersections are not to be run first. Then the cost of a part
        includes entries that no loop visits.
    choices
        Choices between variants of a kernel, which are otherwise made by the operands:
        a mapping such as ``{"drafts": True}``.
    contract
        The indices that are summed on their own, one after the other, such as
        ``("k", "j")``; ``"none"``, if products are to stay whole.
    memory_limit
        The most bytes that may be allocated at a time, for the result and what it takes
        to compute it. More raises ``OutOfMemoryError``.
    semiring
        What ``+`` and ``*`` mean, and how indices are reduced: a ``nacho.Semiring``, or
        the name of one, such as ``"min_plus"``. What is not stored takes no part.
    progress
        True for a bar that shows how many parts are done, by tqdm where it is
        installed, if a call takes more than a second; or a function ``(done, parts)``,
        which another thread calls. More parts come when the next loops begin.
    **named
        The operands by name. ``+=`` adds to the operand with the name of the result, if
        there is one.

    Returns
    -------
    object
        ``out`` if that is a container. Else the result, in a container of the library
        of the first sparse operand, or in a ``nacho.Tensor`` if that has none for its
        format. A dense result is an array, one without indices a number.

    Examples
    --------
    >>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
    >>> nacho.evaluate(A[i, j] * B[j, k], (i, k))  # doctest: +SKIP
    """
    options = Options(  # By position: names would take longer, in every call.
        out,
        target,
        device,
        stream,
        threads,
        parts,
        order,
        validate,
        cost,
        remap,
        choices,
        contract,
        memory_limit,
        semiring,
        progress,
    )
    text, operands = spelled(expr, operands, others, named)
    by_name = {**operands, **named} if isinstance(operands, dict) else named
    key = _key_of(text, operands, options, named)
    known = None if key is None else _repeatable.find(key)
    room = None if isinstance(out, str) else out
    if known is not None and (made := known.compute_named(by_name, room)) is not None:
        LOGGER.debug("'%s': kernel found in memory", text)
        return made
    assignment = read_statement(text, operands, named, options)
    given = given_operands(assignment, operands, named, _EVALUATE)
    found, views, running = prepared(assignment, given, options)

    def compute(call: Call) -> Any:
        made = call.compute()
        if key is not None:
            names = assignment.operands
            _repeatable.get(key, lambda: NamedRepetitions(names)).remember(call)
        return made

    return found.run(given, views, running._replace(checks=True), compute)


_repeatable: Cache[NamedRepetitions] = Cache()
"""Calls of statements, by their text, their options, and the names of operands."""


def _key_of(
    text: object, operands: object, options: Options, named: Mapping[str, Any]
) -> tuple[object, ...] | None:
    """Return by what a call is known again, or None for one that is not."""
    if not isinstance(text, str):
        return None
    asked = options.key
    if operands is None:
        return None if asked is None else (text, asked, *named)
    if type(operands) is not dict:
        return None
    # An operand that is given in both ways is refused.
    names = (*operands, *named)
    return None if asked is None or operands.keys() & named else (text, asked, *names)


def explained(
    expr: str | Expression | WholeExpression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    *others: Any,
    **named: Any,
) -> Explanation:
    """Compute an expression as ``evaluate`` does, and tell how that was done.

    Parameters
    ----------
    expr, operands
        What to compute, as for ``evaluate``.
    **named
        The operands by name, and the options of ``evaluate``.

    Returns
    -------
    Explanation
        Text, which Jupyter shows with pictures of parts, and of cuts in the operands.

    Examples
    --------
    >>> print(nacho.explain("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B))  # doctest: +SKIP
    """
    options = Options.taken(named)
    text, operands = spelled(expr, operands, others, named)
    assignment = read_statement(text, operands, named, options)
    given = given_operands(assignment, operands, named, _EXPLAIN)
    found, _, running = prepared(assignment, given, options)
    return explain(found, given, running)


def einsum(subscripts: str, /, *operands: Any, **options: Any) -> Any:
    """Multiply operands and sum over indices, as ``numpy.einsum`` does.

    Parameters
    ----------
    subscripts
        The indices of the operands and, behind ``->``, those of the result, as NumPy
        takes them, with ellipses. Without ``->``, the result has those that occur once.
    *operands
        As many operands, sparse or dense.
    **options
        Those of ``evaluate``; ``out`` names the format of the result, or is the
        container that it is written to.

    Examples
    --------
    >>> nacho.einsum("ij,jk->ik", A, B)  # doctest: +SKIP
    """
    text, given = spelled_product(subscripts, operands)
    expect_sums(text)
    return evaluate(text, given, **options)
