"""The kernels: their expressions, and the formats of their operands and results."""

from typing import NamedTuple

WIDTH = 32
"""The number of columns of the dense operands of spmm and sddmm."""
RANK = 16
"""The number of columns of the dense operands of mttkrp."""


class Kernel(NamedTuple):
    name: str
    expression: str
    formats: dict[str, str]
    """The format of each operand, in the order of the arguments, then of the result."""
    size: str
    """The name of the size at which workloads are made for the kernel."""
    family: str = "matrix"
    meets: bool = False
    """Set if values are only read of entries that all sparse operands have."""
    semiring: str | None = None
    """The semiring under which it is computed; None stands for the usual one."""

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(self.formats)[:-1]

    @property
    def sparse(self) -> tuple[str, ...]:
        """The sparse operands; a workload makes them."""
        return tuple(name for name in self.operands if self.formats[name] != "dense")

    @property
    def result(self) -> str:
        """The format of the result; "scalar" for a scalar."""
        return tuple(self.formats.values())[-1]


def _elementwise(name: str, operator: str, formats: str, size: str = "add") -> Kernel:
    names = "ABC"[: formats.count(" ")]
    family = "tensor" if size == "tensor" else "matrix"
    at = "[i,j,k]" if family == "tensor" else "[i,j]"
    terms = f" {operator} ".join(each + at for each in names)
    kinds = dict(zip((*names, "Z"), formats.split(), strict=True))
    return Kernel(name, f"Z{at} = {terms}", kinds, size, family, operator == "*")


def _inner(name: str, format: str) -> Kernel:
    formats = {"A": format, "B": format, "s": "scalar"}
    return Kernel(name, "s = A[i,j,k] * B[i,j,k]", formats, "tensor", "tensor", True)


_ALL = (
    _elementwise("csr-add", "+", "csr csr csr"),
    _elementwise("csr-add3", "+", "csr csr csr csr"),
    _elementwise("csr-mul", "*", "csr csr csr"),
    _elementwise("dcsr-add", "+", "dcsr dcsr dcsr", "hyper"),
    _elementwise("dcsr-mul", "*", "dcsr dcsr dcsr", "hyper"),
    _elementwise("coo-add", "+", "coo coo coo"),
    _elementwise("coo-mul", "*", "coo coo coo"),
    _elementwise("coo+csr", "+", "coo csr csr"),
    _elementwise("csf-add", "+", "csf csf csf", "tensor"),
    _inner("csf-inner", "csf"),
    _elementwise("coo3-add", "+", "coo coo coo", "tensor"),
    _inner("coo3-inner", "coo"),
    Kernel(
        "spgemm",
        "Z[i,k] = A[i,j] * B[j,k]",
        {"A": "csr", "B": "csr", "Z": "csr"},
        "product",
    ),
    Kernel(
        "spgemm-masked",
        "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
        {"M": "csr", "A": "csr", "B": "csr", "Z": "csr"},
        "product",
    ),
    Kernel(
        "spgemm-min-plus",
        "Z[i,k] = A[i,j] * B[j,k]",
        {"A": "csr", "B": "csr", "Z": "csr"},
        "product",
        semiring="min_plus",
    ),
    Kernel(
        "triangles",
        "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
        {"M": "csr", "A": "csr", "B": "csr", "Z": "csr"},
        "product",
        semiring="plus_pair",
    ),
    Kernel(
        "spmv",
        "y[i] = A[i,j] * x[j]",
        {"A": "csr", "x": "dense", "y": "dense"},
        "add",
    ),
    Kernel(
        "spmv-min-plus",
        "y[i] = A[i,j] * x[j]",
        {"A": "csr", "x": "dense", "y": "dense"},
        "add",
        semiring="min_plus",
    ),
    Kernel(
        "spmm",
        "Z[i,k] = A[i,j] * D[j,k]",
        {"A": "csr", "D": "dense", "Z": "dense"},
        "dense",
    ),
    Kernel(
        "sddmm",
        "Z[i,j] = A[i,j] * D[i,k] * E[j,k]",
        {"A": "csr", "D": "dense", "E": "dense", "Z": "csr"},
        "dense",
    ),
    Kernel(
        "mttkrp",
        "Z[i,r] = A[i,j,k] * D[j,r] * E[k,r]",
        {"A": "csf", "D": "dense", "E": "dense", "Z": "dense"},
        "tensor",
        "tensor",
    ),
)
KERNELS = {kernel.name: kernel for kernel in _ALL}
_PRODUCTS = ("spgemm", "spgemm-masked", "spgemm-min-plus", "triangles")


def result_shape(kernel: Kernel, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape of the result; () if it is a scalar."""
    first = shapes["A"]
    if kernel.result == "scalar":
        return ()
    if kernel.name in _PRODUCTS:
        return (first[0], shapes["B"][1])
    columns = {"spmv": (), "spmv-min-plus": (), "spmm": (WIDTH,), "mttkrp": (RANK,)}
    if kernel.name in columns:
        return (first[0], *columns[kernel.name])
    return first


def dense_shapes(kernel: Kernel, first: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the dense operands; ``first`` is the shape of A."""
    shapes: dict[str, dict[str, tuple[int, ...]]] = {
        "spmv": {"x": (first[1],)},
        "spmv-min-plus": {"x": (first[1],)},
        "spmm": {"D": (first[1], WIDTH)},
        "sddmm": {"D": (first[0], WIDTH), "E": (first[1], WIDTH)},
        "mttkrp": {"D": (first[1], RANK), "E": (first[-1], RANK)},
    }
    return shapes.get(kernel.name, {})
