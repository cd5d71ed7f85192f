"""``nacho.mlir.compile``: a kernel from an expression, or from MLIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from nacho._kernels.function import Function
from nacho._kernels.kernel import Kernel
from nacho._kernels.options import Options
from nacho._kernels.pins import IndexType, requested_pins
from nacho._kernels.statement import ModuleSource, NotationSource
from nacho._mlir.module import is_module, read_function
from nacho._notation.limits import require_supported
from nacho._notation.monoids import Semiring
from nacho._notation.parser import parse
from nacho._notation.warnings import warn_of_sums
from nacho._storage.formats import Format
from nacho.errors import ArgumentError


@overload
def compile(
    expr: str,
    formats: Mapping[str, str | Format] | None = None,
    dtype: str | Mapping[str, str] | None = None,
    index: IndexType | Mapping[str, IndexType] | None = None,
    target: str | None = None,
    threads: int | None = None,
    parts: int | None = None,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    device: int | None = None,
    semiring: Semiring | str | None = None,
    entry: str | None = None,
) -> Kernel: ...


@overload
def compile(
    expr: object,
    formats: Mapping[str, str | Format] | None = None,
    dtype: str | Mapping[str, str] | None = None,
    index: IndexType | Mapping[str, IndexType] | None = None,
    target: str | None = None,
    threads: int | None = None,
    parts: int | None = None,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    device: int | None = None,
    semiring: Semiring | str | None = None,
    entry: str | None = None,
) -> Kernel | Function: ...


def compile(
    expr: object,
    formats: Mapping[str, str | Format] | None = None,
    dtype: str | Mapping[str, str] | None = None,
    index: IndexType | Mapping[str, IndexType] | None = None,
    target: str | None = None,
    threads: int | None = None,
    parts: int | None = None,
    cost: str = "time",
    order: Sequence[str] | str | None = None,
    validate: str | bool = "safe",
    remap: bool | None = None,
    choices: Mapping[str, object] | None = None,
    contract: Sequence[str] | str = "auto",
    memory_limit: int | None = None,
    device: int | None = None,
    semiring: Semiring | str | None = None,
    entry: str | None = None,
) -> Kernel | Function:
    """Compile an expression for operands of any shape.

    The kernel takes any element types, and index arrays of 32 or 64 bits. The first
    call with other types than before compiles it for them. Operands in another format
    than the kernel's are converted in every call, except that none is made dense;
    ``explain`` says so.

    Parameters
    ----------
    expr
        A statement in the notation, or MLIR: the text of a module, or an object that
        prints as one. Formats, types and the order of the loops are then those of its
        function. Only the widths of index arrays that the module does not give are
        those of the operands.
    formats
        The formats of operands and of the result, by name. By default, an operand with
        one index is dense, as is a result with one, an operand with two is csr, and
        with more csf; the format of a result with several indices is inferred.
    dtype
        The type of all operands, such as ``"f64"``, or a mapping by name. Operands of
        narrower types are widened in a copy, and others refused. Tensors that a mapping
        leaves out are not pinned.
    index
        The type of all index arrays, ``"i32"`` or ``"i64"``, or a mapping by name, as
        ``dtype``; a pair has the types of ``pos`` and ``crd``.
    target
        ``"cpu"``, ``"cuda"`` (NVIDIA's GPUs) or ``"cuda-sim"`` (a simulated GPU). By
        default, a kernel runs where its operands are.
    threads
        The most threads of the host.
    parts
        Into how many parts of equal cost the work is cut. By default, the number
        follows from the work.
    cost
        The cost model by which parts are equal: ``"nnz"``, ``"nnz+loops"``,
        ``"flops"``, ``"time"``, or the text of a ``#nacho.cost_model``.
    order
        The indices from the outermost loop inwards, instead of the order that is
        expected to be the cheapest for operands of these sizes.
    validate
        How operands are checked. ``"safe"``: in full when a container is first seen,
        and in later calls their lengths and where rows begin; ``"full"``: in full in
        each call; ``"none"``: not at all.
    remap
        False, if outer intersections are not to be run first, to list the coordinates
        that they visit (remapping). Then the cost of a part includes entries of the
        operands that no loop visits.
    choices
        Choices that Nacho otherwise makes by the operands of a call:
        ``{"whole-rows": True, "heavy-rows": True, "row-pieces": True, "fine-pieces":
        False, "sort-products": False, "transpose-dense": True, "merge-keys": True,
        "drafts": False, "draft-unions": False, "branches": True, "vector-bits": 512}``,
        which the options of ``--nacho-cpu`` describe. Pieces of rows include the
        choices named before them, and drafts of unions include other drafts. All
        choices compute the same. One that cannot compute a call is not followed. On
        GPUs, a block does 64 parts, which share memory, or as many as
        ``{"tile": 128}`` says; with ``{"tile": 0}``, each thread does one part, alone.
        There, a warp does a part with dense loops, or eight of them, unless there is
        ``{"warps": False}``; and kernels compute with indices of 32 bits, unless an
        array or an extent is larger than 2^28, or there is ``{"narrow-indices":
        False}``.
    contract
        The indices that are summed on their own, one after the other. A product under a
        sum may be computed by several statements, so that
        ``y[i] = A[i,j] * B[j,k] * x[k]`` takes linear time: with ``contract=("k",)``,
        this is ``A[i,j] * T[j]`` with the sums ``T[j]`` of ``B[j,k] * x[k]``. With
        ``"none"``, products stay whole, as they do by default if ``order`` is given.
    memory_limit
        The most bytes that a call may allocate at a time, for the result and what it
        takes to compute it. More raises ``OutOfMemoryError``.
    device
        The number of the GPU to which operands of the host are copied, and from which
        the result is copied back; only 0, with a ``target``.
    semiring
        What ``+`` and ``*`` mean, and how indices are reduced: a ``nacho.Semiring``, or
        the name of one, such as ``"min_plus"``. What is not stored takes no part.
    entry
        The name of the function of a module with several functions. Those that it calls
        are inlined.

    Returns
    -------
    Kernel or Function
        A kernel; but a ``Function`` for a module whose function has several ops of
        linalg, each of which is a kernel, or several results. (Type checkers take
        what text is compiled to for a kernel.)

    Examples
    --------
    >>> nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr"})  # doctest: +SKIP
    """
    options = Options(
        target=target,
        device=device,
        threads=threads,
        parts=parts,
        order=order,
        validate=validate,
        cost=cost,
        remap=remap,
        choices=choices,
        contract=contract,
        memory_limit=memory_limit,
        semiring=semiring,
    )
    if is_module(expr):
        types = {"formats": formats, "dtype": dtype, "index": index}
        return _of_module(str(expr), entry, types, options)
    if entry is not None:
        raise ArgumentError("entry= names a function of a module")
    written = parse(expr)
    assignment = options.read(written)
    warn_of_sums(assignment)
    require_supported(assignment)
    lowering, running = options.lowering(assignment), options.running()
    pins = requested_pins(assignment, {} if formats is None else formats, dtype, index)
    source = NotationSource(assignment, pins, lowering)
    return Kernel(source, lowering, running, is_placed=options.is_placed)


_OF_FUNCTIONS = ("order", "contract", "semiring")
"""The options that say what the function of a module says."""


def _of_module(
    text: str, entry: str | None, types: Mapping[str, object], options: Options
) -> Kernel | Function:
    given = options.given
    for option in (*(n for n in types if types[n] is not None), *given):
        if option in types or option in _OF_FUNCTIONS:
            raise ArgumentError(f"{option}= of a module are those of its function")
    lowering, running = options.lowering(None), options.running()

    def compiled(text: str) -> Kernel:
        source = ModuleSource(text)
        return Kernel(source, lowering, running, is_placed=options.is_placed)

    function = read_function(text, entry)
    if not function.calls:
        return compiled(function.text)
    return Function(function, [compiled(kernel) for kernel, _ in function.calls])
