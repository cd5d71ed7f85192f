"""The extension module: the compiler, and the kernels that it loads."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

"""What kernels can run on."""
CHOICES: tuple[str, ...]
"""The choices between the variants of a kernel, by their names."""
SANITIZER: str
"""The sanitizer that this build is instrumented for: none, address or thread."""

class CompileError(RuntimeError):
    operand: int | None
    """The operand of the statement that is refused."""
    is_result: bool
    """Whether the result is refused."""
    is_unsupported: bool
    """Whether the module is valid, and Nacho does not support it."""
    is_dense: bool
    """Whether the result would be dense, though it is to be sparse."""
    reason: str
    """What follows the name of the operand or the result, if any, in a sentence."""

class CostOverflow(RuntimeError): ...
class IndexOverflow(RuntimeError): ...
class CoordinateOutOfRange(RuntimeError): ...
class OperandsChanged(RuntimeError): ...
class LateError(RuntimeError): ...
class DeviceError(RuntimeError): ...
class OutOfMemory(MemoryError): ...

def stages(target: str) -> tuple[str, ...]: ...
def lower(
    text: str,
    stage: str,
    target: str = "cpu",
    options: Mapping[str, object] = ...,
) -> str: ...
def export_kernel(
    text: str, options: Mapping[str, object], image: str, description: str
) -> bytes: ...
def read_function(
    text: str, entry: str
) -> tuple[
    str,
    str,
    tuple[str, ...],
    tuple[tuple[str, tuple[int, ...]], ...],
    tuple[int, ...],
]: ...
def check_positions(pos: NDArray[Any], length: int, nnz: int) -> int: ...
def check_coordinates(
    pos: NDArray[Any], crd: NDArray[Any], extent: int, threads: int = 0
) -> tuple[int, str]: ...
def check_tuples(
    pos: NDArray[Any],
    crds: list[NDArray[Any]],
    extents: list[int],
    threads: int = 0,
) -> tuple[int, int, str]: ...
def read_entries(
    text: NDArray[np.uint8], threads: int, whole: bool
) -> tuple[Any, Any]: ...
def check_numbers(
    text: NDArray[np.uint8], threads: int, integers: int, numbers: int
) -> str: ...
def write_entries(coordinates: NDArray[Any], values: NDArray[Any]) -> bytes: ...
def counted_steps() -> int: ...
def counted_kernels() -> list[tuple[str, tuple[Any, ...]]]: ...
def take_sharing() -> tuple[list[int], float]: ...

class PartCounts:
    """How many parts the computations of a thread have, and how many are done."""

    def __init__(self) -> None: ...
    @property
    def parts(self) -> int: ...
    @property
    def done(self) -> int: ...
    def stop(self) -> None:
        """Make the thread raise InterruptedError in place of what it computes."""

def count_parts(counts: PartCounts | None) -> None: ...
def cache_refusal(target: str) -> str: ...
def cache_directory() -> str: ...
def cpu_name() -> str: ...

LLVM_VERSION: str

def pooled_bytes(target: str = ...) -> int: ...
def max_pooled_bytes(target: str = ...) -> int: ...
def read_dlpack(
    array: object,
) -> tuple[int, tuple[int, ...], tuple[int, ...], int, int, object]: ...
def set_stream(stream: int) -> int: ...
def synchronize(target: str, stream: int) -> None: ...

class DeviceArray:
    def __init__(
        self, target: str, address: int, size: int, dtype: str, owner: object
    ) -> None: ...
    @staticmethod
    def copy_of(target: str, array: NDArray[Any], dtype: str) -> DeviceArray: ...
    def read(self, array: NDArray[Any]) -> None: ...
    @property
    def target(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def stream(self) -> int | None: ...
    @property
    def size(self) -> int: ...
    @property
    def dtype(self) -> str: ...

class TypeDescription:
    """The type of an argument, or of the result, of a function."""

    @property
    def text(self) -> str:
        """The type in MLIR's syntax."""
    @property
    def element(self) -> str:
        """The type of elements, empty for what is neither a tensor nor a number."""
    @property
    def shape(self) -> list[int | None]: ...
    @property
    def encoding(self) -> str:
        """The encoding in MLIR's syntax, empty without one."""
    @property
    def levels(self) -> str:
        """The map of the encoding's levels, empty if Nacho knows none such."""
    @property
    def pos_width(self) -> int: ...
    @property
    def crd_width(self) -> int: ...
    @property
    def blocks(self) -> list[int]:
        """The sizes of the blocks by which dimensions were split, if they were."""

class AccessDescription:
    @property
    def argument(self) -> int | None:
        """The argument that is read, or of which a slice is."""
    @property
    def is_slice(self) -> bool: ...
    @property
    def indices(self) -> list[str]: ...

class NumberDescription:
    """A number that is known, or the argument that has it."""

    @property
    def is_argument(self) -> bool: ...
    @property
    def value(self) -> int: ...

class SliceDescription:
    @property
    def argument(self) -> int: ...
    @property
    def dimensions(self) -> list[list[NumberDescription]]:
        """The offset, size and stride of each dimension."""

class ModuleDescription:
    """A function with one result, and its statement at the stage `assign`."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> list[str]:
        """The names of the arguments, which may be empty."""
    @property
    def given(self) -> list[TypeDescription]:
        """The types that arguments, and the result behind them, have at first."""
    @property
    def assigned(self) -> list[TypeDescription]:
        """The same at the stage `assign`."""
    @property
    def is_one_op(self) -> bool: ...
    @property
    def indices(self) -> list[str]:
        """Those of the result."""
    @property
    def accesses(self) -> list[AccessDescription]:
        """The operands in the order of the compiler's numbers."""
    @property
    def extents(self) -> dict[str, int]:
        """The extents that the function knows of slices and coordinates."""
    @property
    def slices(self) -> list[SliceDescription]: ...

class LoopDescription:
    """A loop over the coordinates of several fibers.

    These are called by the names of the operands that they belong to.
    """

    @property
    def index(self) -> str: ...
    @property
    def depth(self) -> int:
        """How many loops are around it."""
    @property
    def operands(self) -> list[str]:
        """The operands that it merges, in the order of the IR."""
    @property
    def merge(self) -> str:
        """The merge expression, which says at which coordinates it runs its body."""
    @property
    def full(self) -> set[str]:
        """The operands that have every coordinate, since their level is dense."""
    @property
    def lowest(self) -> list[set[str]] | None:
        """The smallest sets of operands that make the loop visit a coordinate.

        A loop that visits every coordinate has one, the empty set. None says that there
        are too many of them.
        """

class GpuFunctionDescription:
    """A function with parallel parts, as a GPU runs it."""

    @property
    def name(self) -> str: ...
    @property
    def tile(self) -> int:
        """How many parts a block does; 0 if there are no tiles."""
    @property
    def shared(self) -> int:
        """The bytes that the parts of a tile share."""
    @property
    def lanes(self) -> int:
        """How many threads of a warp do a part; 0: one thread does."""
    @property
    def tables(self) -> int:
        """The bytes of the tables of a warp."""

class GpuDescription:
    @property
    def functions(self) -> list[GpuFunctionDescription]: ...
    @property
    def threads(self) -> dict[str, int]:
        """The threads of a block, by kernel."""

class Module:
    """A module with one function, at the stage `assign`."""

    def __init__(self, text: str) -> None: ...
    def describe(self) -> ModuleDescription: ...
    def with_index_widths(self, widths: list[tuple[int, int]]) -> Module: ...

Loops = tuple[tuple[int, ...], ...]
Inputs = tuple[tuple[bool, int], ...]
Layout = tuple[Any, str]
"""The levels of a tensor, each with its arrays, and the type of its values."""
Step = tuple[
    tuple[str, ...],
    Loops,
    Loops,
    int,
    Inputs,
    bool,
    bool,
    bool,
    tuple[Layout, ...],
    int,
    bool,
    tuple[tuple[bool, int, int, bool], ...],
    bool,
    tuple[bool, ...],
    bool,
    bool,
    bool,
    bool,
    int,
    tuple[tuple[tuple[str, ...], ...], ...],
    tuple[str, ...],
]
Whole = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...], bool]
"""The arrays of a result, and those of the sums of a part, each by type and length,
and whether sums are combined at last."""

class Program:
    @property
    def choices(self) -> dict[str, bool]: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...
    def llvm(self) -> str: ...
    def asm(self) -> str: ...
    def limit(self, step: int, arguments: list[Any]) -> tuple[int, ...]: ...
    def cut(
        self,
        step: int,
        arguments: list[Any],
        lower: Sequence[int],
        upper: Sequence[int],
        queries: Sequence[int],
    ) -> NDArray[np.int64]: ...
    def count(
        self,
        step: int,
        record: tuple[Any, ...],
        arguments: list[Any],
        inner: int = 1,
    ) -> NDArray[np.int64]: ...
    def scan(
        self, step: int, parts: int, arguments: list[Any], counts: Sequence[int]
    ) -> tuple[NDArray[np.int64], tuple[int, ...], Whole]: ...
    def written(
        self, step: int, record: tuple[Any, ...], loops: Sequence[int]
    ) -> tuple[tuple[int, int], ...] | None: ...
    def compute(
        self,
        step: int,
        record: tuple[Any, ...],
        arguments: list[Any],
        results: list[Any],
        sums: list[Any],
        inner: int = 1,
    ) -> None: ...
    def combine(
        self,
        step: int,
        records: list[Any],
        arguments: list[Any],
        results: list[Any],
        sums: list[Any],
    ) -> None: ...
    def num_parts(
        self, step: int, asked: int, chosen: int, total: int, row_size: int
    ) -> int: ...

class Kernel:
    def __init__(
        self,
        module: str | Module,
        target: str = "cpu",
        options: Mapping[str, object] = ...,
    ) -> None: ...
    def prepare(self, threads: int = 0) -> None: ...
    def variants(self) -> tuple[dict[str, bool], ...]: ...
    def program(self, choices: Mapping[str, object] = ...) -> Program: ...
    def chosen_for_lone_parts(
        self, sizes: Sequence[int], work: int
    ) -> tuple[dict[str, bool], int]: ...
    def chosen_instead(
        self, choices: Mapping[str, object], costs: Sequence[int], workers: int
    ) -> dict[str, bool] | None: ...
    def lower(self, stage: str, choices: Mapping[str, object] = ...) -> str: ...
    def ptx(
        self, chip: str, toolkit: str, choices: Mapping[str, object] = ...
    ) -> str: ...
    def lines(self, stage: str, choices: Mapping[str, object] = ...) -> list[str]:
        """Return the name of the value that each line is about; empty if there is none.

        That is its result or, if it has none, what it loops over, or its first operand.
        """
    def loops(self, choices: Mapping[str, object] = ...) -> list[LoopDescription]: ...
    def functions(self, choices: Mapping[str, object] = ...) -> list[str]: ...
    def gpu(self, choices: Mapping[str, object] = ...) -> GpuDescription: ...
    def remarks(self) -> list[str]: ...
    def plan(
        self,
        args: list[object],
        parts: int = 0,
        threads: int = 0,
        work: int = 0,
        memory: int = 0,
        purpose: str = "plan",
    ) -> Plan: ...
    def compute(
        self,
        args: list[object],
        asked: tuple[int, int, int, int],
    ) -> list[DeviceArray]: ...
    def partition(
        self,
        args: list[object],
        parts: int = 0,
        threads: int = 0,
        work: int = 0,
        memory: int = 0,
        purpose: str = "plan",
        inner: int = 1,
    ) -> Plan: ...
    def remember(
        self,
        result: str,
        given: list[Any],
        places: list[list[tuple[str | int, ...] | None] | None],
        args: list[object],
        asked: tuple[int, int, int, int],
        read: list[int],
        inner: int,
        decides_order: bool,
    ) -> RepeatedCall | None: ...
    def take(
        self, args: list[object], asked: tuple[int, int, int, int]
    ) -> TakenCall: ...

class TakenCall: ...

def compute_many(
    calls: list[TakenCall],
    threads: int,
    trusted: bool,
) -> list[list[NDArray[Any]] | None]: ...
def roughly(size: int) -> int: ...

SMALL_OPERAND: int

class RepeatedCall:
    def compute(
        self,
        given: tuple[Any, ...],
        into: NDArray[Any] | None = None,
        plan: Plan | None = None,
    ) -> list[NDArray[Any]] | None: ...
    def take(self, given: tuple[Any, ...]) -> TakenCall | None: ...

class Plan:
    def time_parts(self, args: list[object], repeats: int) -> tuple[float, ...]: ...
    @property
    def program(self) -> Program: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    def workers(self, are_products: bool) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def bounds(self) -> NDArray[np.int64]: ...
    @property
    def positions(self) -> NDArray[np.int64]: ...
    @property
    def costs(self) -> NDArray[np.int64]: ...
    def cuts(
        self, step: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
    @property
    def nnz(self) -> int: ...
    def last_arguments(self, args: list[object]) -> list[Any]: ...
    def part(
        self,
        args: list[object],
        number: int,
        are_windows: list[bool],
        loops: list[int],
    ) -> tuple[Any, tuple[Any, ...], tuple[tuple[int, int], ...] | None]: ...
    @property
    def whole(self) -> Whole: ...
    @property
    def memory(self) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]: ...
    @property
    def sizes(self) -> tuple[int, ...]: ...
    def execute(
        self,
        args: list[object],
        planned: bool = False,
        trusted: bool = False,
        on_device: bool = False,
        into: object = None,
    ) -> list[Any]: ...
