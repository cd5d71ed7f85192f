"""The extension module by itself: MLIR in, buffers in and out, at any rank."""

import itertools
from typing import Any

import numpy as np
import pytest

from nacho import _nacho

SV = (
    "#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), "
    "posWidth = 32, crdWidth = 32 }>\n"
)


def csf_text(rank: int, op: str) -> str:
    """An element-wise statement on tensors with compressed levels only."""
    dims = ", ".join(f"d{n}" for n in range(rank))
    levels = ", ".join(f"d{n} : compressed" for n in range(rank))
    type = f"tensor<{'?x' * rank}f64, #CSF>"
    access = f"[{', '.join('ijkl'[:rank])}]"
    return f"""
#CSF = #sparse_tensor.encoding<{{
  map = ({dims}) -> ({levels}), posWidth = 32, crdWidth = 32 }}>
func.func @kernel(%A: {type}, %B: {type}) -> {type} {{
  %Z = nacho.assign (%a = %A{access} : {type}, %b = %B{access} : {type})
      -> {access} : {type} {{
    %0 = nacho.binary {op} %a, %b : f64
    nacho.yield %0 : f64
  }}
  return %Z : {type}
}}
"""


def pack(dense: np.ndarray) -> list[Any]:
    """The arguments of a kernel for one tensor with compressed levels only."""
    coords = np.argwhere(dense)
    args: list[Any] = []
    parents = np.zeros(len(coords), np.int64)
    num_parents = 1
    for level in range(dense.ndim):
        keys = np.stack([parents, coords[:, level]], axis=1)
        fibers, children = np.unique(keys, axis=0, return_inverse=True)
        counts = np.bincount(fibers[:, 0], minlength=num_parents)
        args.append(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        args.append(np.ascontiguousarray(fibers[:, 1], np.int32))
        parents, num_parents = children.ravel(), len(fibers)
    return [*args, dense[tuple(coords.T)], *dense.shape]


def unpack(buffers: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The dense tensor; every fiber but the outermost must have children."""
    dense = np.zeros(shape)

    def visit(level: int, position: int, prefix: tuple[int, ...]) -> None:
        if level == len(shape):
            dense[prefix] = buffers[-1][position]
            return
        pos, crd = buffers[2 * level], buffers[2 * level + 1]
        children = range(pos[position], pos[position + 1])
        assert level == 0 or len(children) > 0
        assert all(crd[p] < crd[p + 1] for p in children[:-1])
        for child in children:
            visit(level + 1, child, (*prefix, int(crd[child])))

    visit(0, 0, ())
    return dense


def cost_before(cut: tuple[int, ...], dense: np.ndarray, steps: bool) -> int:
    """What the entries, and the steps of the outer loops, before a cut cost."""
    entries = [tuple(int(x) for x in entry) for entry in np.argwhere(dense)]
    cost = sum(entry < cut for entry in entries)
    for depth in range(1, dense.ndim) if steps else ():
        zeros = (0,) * (dense.ndim - depth)
        prefixes = {entry[:depth] for entry in entries}
        cost += sum(prefix + zeros < cut for prefix in prefixes)
    return cost


@pytest.mark.parametrize("rank", [1, 3, 4])
@pytest.mark.parametrize("cost", ["nnz", "nnz+loops"])
def test_any_rank(rank: int, cost: str) -> None:
    rng = np.random.default_rng(rank)
    kernel = _nacho.Kernel(csf_text(rank, "add"), "cpu", {"cost": cost})
    for density, parts in itertools.product((0, 0.2, 1), (1, 2, 7, 64)):
        shape = tuple(int(n) for n in rng.integers(1, 6, rank))
        A, B = (rng.random(shape) * (rng.random(shape) < density) for _ in "AB")
        args = pack(A) + pack(B)
        plan = kernel.plan(args, parts, 2)
        assert np.array_equal(unpack(plan.execute(args), shape), A + B)
        cuts = [tuple(int(x) for x in cut) for cut in plan.bounds]
        costs = [
            sum(cost_before(cut, T, cost == "nnz+loops") for T in (A, B))
            for cut in cuts
        ]
        assert costs == list(plan.costs)
        queries = [part * plan.total // parts for part in range(parts + 1)]
        short = np.subtract(queries, costs)
        assert (
            plan.total == 0
            or 0 <= short.min() <= short.max() < kernel.program().steps[-1][3]
        )


def test_intersections_of_order_three() -> None:
    rng = np.random.default_rng(0)
    kernel = _nacho.Kernel(csf_text(3, "mul"), "cpu", {"cost": "nnz"})
    A, B = (rng.random((5, 4, 6)) * (rng.random((5, 4, 6)) < 0.4) for _ in "AB")
    args = pack(A) + pack(B)
    for parts in (1, 3, 50):
        plan = kernel.plan(args, parts, 2)
        Z = plan.execute(args)
        expected = np.zeros(A.shape)
        np.multiply(A, B, out=expected, where=(A != 0) & (B != 0))
        dense = np.zeros(A.shape)
        fibers = zip(np.repeat(Z[1], np.diff(Z[2])), Z[3], strict=True)
        rows = np.repeat(np.array(list(fibers)), np.diff(Z[4]), axis=0)
        dense[rows[:, 0], rows[:, 1], Z[5]] = Z[6]
        assert np.array_equal(dense, expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f() { return }", "a kernel has one result"),
        (
            "func.func @f(%x: index) -> index { return %x : index }",
            "cannot pass a 'index' to a kernel",
        ),
        (
            "func.func @f(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }",
            "does not assign a tensor",
        ),
        ("func.func @f() { return }\nfunc.func @g() { return }", "with one function"),
        ("func.func @f() {", "expected"),
    ],
)
def test_modules_that_are_no_kernels(text: str, message: str) -> None:
    with pytest.raises(_nacho.CompileError, match=message):
        _nacho.Kernel(SV + text).prepare()


def test_unknown_names() -> None:
    with pytest.raises(_nacho.CompileError, match="unknown stage 'nowhere'"):
        _nacho.lower(csf_text(1, "add"), "nowhere")
    with pytest.raises(_nacho.CompileError, match="unknown cost model 'rows'"):
        _nacho.Kernel(csf_text(1, "add"), "cpu", {"cost": "rows"}).prepare()
