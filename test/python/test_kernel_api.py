"""Kernels and plans as objects: how they are called, shown, and outlived."""

import gc
import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import _nacho
from nacho._storage.operands import arguments

UNION = "Z[i,j] = A[i,j] + B[i,j]"


@pytest.fixture(scope="module")
def kernel():
    return nacho.mlir.compile(UNION)


def operands(seed=0, shape=(20, 30), format="csr"):
    rng = np.random.default_rng(seed)
    return [samples.sample(rng, shape, format=format, special=False) for _ in range(2)]


def large(seed=0, shape=(400, 1000)):
    """Operands whose sum takes more than 1 MiB in each large buffer."""
    rng = np.random.default_rng(seed)
    return [sp.csr_array(rng.random(shape)) for _ in range(2)]


# --- Calls ----------------------------------------------------------------------------


def test_by_position_and_by_name():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] - B[i,j]")
    one, other = operands()
    wanted = kernel(one, other)
    samples.check(wanted, kernel.expression, {"A": one, "B": other})
    assert samples.same(kernel(A=one, B=other), wanted)
    assert samples.same(kernel(B=other, A=one), wanted)
    assert samples.same(kernel(one, B=other), wanted)


@pytest.mark.parametrize(
    "positional, named, message",
    [
        ("A", "", "missing operand 'B'"),
        ("", "B", "missing operand 'A'"),
        ("AAB", "", "3 operands given, expected 2"),
        ("AB", "B", "'B' is given twice"),
        ("AB", "C", "no operand is named 'C'"),
    ],
)
def test_wrong_operands(kernel, positional, named, message):
    given = dict(zip("AB", operands(), strict=True))
    given["C"] = given["A"]
    with pytest.raises(nacho.ArgumentError, match=message):
        kernel(*(given[n] for n in positional), **{n: given[n] for n in named})


def test_an_option_of_compile_is_none_of_calls(kernel):
    with pytest.raises(nacho.ArgumentError, match="'dtype=' is an option of"):
        kernel(*operands(), dtype="float32")


def test_an_operand_may_be_named_self():
    kernel = nacho.mlir.compile("Z[i,j] = self[i,j] + B[i,j]")
    one, other = operands()
    wanted = kernel(one, other)
    assert samples.same(kernel(self=one, B=other), wanted)
    plan = kernel.plan(self=one, B=other)
    assert samples.same(plan.execute(self=one, B=other), wanted)
    assert "self: csr" in kernel.explain(self=one, B=other)


@pytest.mark.parametrize("spelled", ["\u00b5", "\u03bc"])
def test_names_are_normalised_as_by_python(spelled):
    text = f"Z[i,j] = {spelled}[i,j] * s"
    one = operands()[0]
    kernel = nacho.mlir.compile(text, {spelled: "csr"}, index={spelled: "i32"})
    wanted = kernel(one, 2)
    for name in ("\u00b5", "\u03bc"):
        assert samples.same(kernel(**{name: one}, s=2), wanted)
        assert samples.same(nacho.evaluate(text, {name: one}, s=2), wanted)
        assert samples.same(nacho.evaluate(text, **{name: one}, s=2), wanted)


@pytest.mark.parametrize("operand", [sp.csr_array((3, 3)), [sp.csr_array((3, 3))]])
def test_operands_without_names(operand):
    with pytest.raises(nacho.ArgumentError, match=r"evaluate\(expr, A=A, B=B\)"):
        nacho.evaluate(UNION, operand)
    with pytest.raises(nacho.ArgumentError, match=r"partition\(expr, parts, A=A, B=B"):
        nacho.partition(UNION, 2, operand)


def test_operands_named_as_options():
    one = operands()[0]
    for name in ("out", "target", "threads", "parts", "order", "validate", "cost"):
        text = f"Z[i,j] = {name}[i,j] * 2"
        with pytest.raises(nacho.ArgumentError, match=f'expr, {{"{name}": {name}}}'):
            nacho.evaluate(text, **{name: one})
        assert nacho.evaluate(text, {name: one}).nnz == one.nnz


@pytest.mark.parametrize("option", ["target", "cost", "validate", "threads", "parts"])
@pytest.mark.parametrize("value", [["nnz"], {}, 1.5])
def test_options_of_other_types(option, value):
    pair = dict(zip("AB", operands(), strict=True))
    for function in (nacho.evaluate, nacho.mlir.compile):
        given = pair if function is nacho.evaluate else {}
        with pytest.raises(nacho.NachoError, match=f"{option}="):
            function(UNION, **given, **{option: value})


@pytest.mark.parametrize("formats", [("dcsr", "dcsr"), ("dcsc", "csc")])
def test_coordinates_beyond_the_index_type_of_the_result(formats):
    extent = 2**40
    shape = (extent, extent) if "csc" not in formats else (extent, 5)
    pair = [
        nacho.Tensor.from_coo(
            [[0, extent - 1], [3, 2]], [1.0, 2], shape=shape, format=f
        )
        for f in formats
    ]
    widths = {"A": "i64", "B": "i64", "Z": "i32"}
    kernel = nacho.mlir.compile(
        UNION, dict(zip("AB", formats, strict=True)), "f64", widths
    )
    with pytest.raises(nacho.IndexOverflowError) as caught:
        kernel(*pair)
    message = f"index 'i' has extent {extent}"
    assert message in str(caught.value)
    assert 'index={"Z": "i64"}' in str(caught.value)
    for width in ("i64", ("i32", "i64")):
        widths["Z"] = width
        kernel = nacho.mlir.compile(
            UNION, dict(zip("AB", formats, strict=True)), "f64", widths
        )
        assert kernel(*pair).coords.max() == extent - 1
    found = nacho.evaluate(UNION, A=pair[0], B=pair[1])
    assert found.coords.max() == extent - 1


def test_one_kernel_for_all_shapes(kernel):
    for shape in ((0, 0), (1, 1), (3, 50), (50, 3)):
        pair = operands(shape=shape)
        samples.check(kernel(*pair), UNION, dict(zip("AB", pair, strict=True)))


def test_threads_and_parts():
    fixed = nacho.mlir.compile(UNION, threads=2, parts=6)
    pair = operands()
    assert (fixed.plan(*pair).threads, fixed.plan(*pair).parts) == (2, 6)
    assert fixed.plan(*pair, parts=9).parts == 9
    assert fixed.plan(*pair, threads=5, parts=3).threads == 3
    free = nacho.mlir.compile(UNION)
    assert free.plan(*pair).parts == 1
    for bad in (0, -1, 1.5, "2", True, 1 << 40):
        with pytest.raises(nacho.NachoError, match="parts="):
            free(*pair, parts=bad)


# --- Stages ---------------------------------------------------------------------------


@pytest.mark.parametrize("cost", ["nnz", "nnz+loops"])
@pytest.mark.parametrize("format", ["csr", "dcsr"])
def test_stages_parse_back(format, cost):
    """Lowering what a stage prints leads to the same IR as lowering at once."""
    kernel = nacho.mlir.compile(UNION, dict.fromkeys("ABZ", format), cost=cost)
    assert kernel.stages == _nacho.stages("cpu")
    assert kernel.stages[0] == "assign"
    for stage in ("assign", "loops"):
        text = kernel.mlir(stage)
        for later in kernel.stages[kernel.stages.index(stage) :]:
            lowered = _nacho.lower(
                text, later, "cpu", {"cost": cost, "whole-rows": True}
            )
            assert operations(lowered) == operations(kernel.mlir(later))


def operations(text):
    """Return the names of all operations; those of values are not kept by a parser."""
    return re.findall(r"(?<![\w.#!<])[a-z_]+\.[a-z_.]+(?=[ <(\"])", text)


def test_kernels_compile_from_a_later_stage(kernel):
    pair = operands()
    args = [argument for tensor in pair for argument in arguments(tensor._view)]
    wanted = samples.buffers(kernel(*pair))
    for stage in ("assign", "loops"):
        native = _nacho.Kernel(kernel.mlir(stage), "cpu", {"cost": "nnz"})
        found = native.plan(args, 3, 2).execute(args)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


def test_unknown_stage(kernel):
    with pytest.raises(nacho.NachoError, match="stage='asm': expected 'assign'"):
        kernel.mlir("asm")
    with pytest.raises(_nacho.CompileError, match="unknown stage 'asm'"):
        _nacho.lower(kernel.mlir("assign"), "asm")
    with pytest.raises(_nacho.CompileError, match="nothing"):
        _nacho.lower("nothing", "loops")


def test_code(kernel):
    assert "define" in kernel.llvm()
    assert "kernel_execute" in kernel.llvm()
    assert "kernel_execute" in kernel.asm()


@pytest.mark.optimized
def test_sums_of_parts_are_compiled_apart():
    formats = {"A": "csr", "X": "dense", "Y": "dense"}
    kernel = nacho.mlir.compile("Y[i,k] = A[i,j] * X[j,k]", formats)
    units = kernel.llvm().split("; ModuleID")
    (parts,) = (unit for unit in units if re.search("define .*combine_worker", unit))
    assert not re.search("define .*(compute|partition)_worker", parts)
    # More code would take longer to emit than it saves: loops that are unrolled would
    # add several sums in a block, and others would add vectors.
    assert "fadd <" not in parts
    blocks = [len(re.findall(" fadd ", block)) for block in parts.split("\n\n")]
    assert max(blocks) == 1


def test_explain(kernel):
    text = kernel.explain(*operands(), parts=3, threads=2)
    for word in (UNION, "i, j", "3 part(s) on 2 thread(s)", "delta"):
        assert word in text
    for section in ("order", "kernels", "copies", "cost", "time"):
        assert f"\n{section} " in text
    for phase in ("check", "partition", "assemble", "compute"):
        assert re.search(rf"{phase} [0-9.]+ ms", text)


def test_explain_names_copies():
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"A": "csr", "x": "dense"})
    A = sp.csr_array(np.eye(4))
    text = kernel.explain(A, np.arange(8.0)[::2])
    assert "x: the array is not contiguous and aligned: copied" in text
    assert "none: every array" in kernel.explain(A, np.arange(4.0))
    assert "x: dense, f64, 4, 4 entries" in text


def test_explain_of_a_scalar():
    text = nacho.mlir.compile("z = 2 * s").explain(3.0)
    assert "z: scalar, f64" in text
    assert "s: scalar, f64" in text


@pytest.mark.parametrize("hubs", [0, 1, 3])
def test_counts_take_a_step_for_each_product(hubs):
    """Each row of the result has about as many products for each full row of A."""
    n = 300
    A = sp.random_array(
        (n, n), density=0.01, format="lil", rng=np.random.default_rng(1)
    )
    A[:hubs] = 1
    A = sp.csr_array(A)
    kernel = nacho.mlir.compile(
        "Z[i,k] = A[i,j] * B[j,k]", {"A": "csr"}, choices={"count-steps": True}
    )
    transposed = sp.csr_array(A.T)
    wanted = (transposed @ A).nnz
    before = _nacho.counted_steps()
    assert kernel.count(transposed, A) == wanted
    steps = _nacho.counted_steps() - before
    products = int((np.diff(A.indptr).astype(np.int64) ** 2).sum())
    assert steps <= 2 * (products + 2 * A.nnz + n)


def test_count():
    kernel = nacho.mlir.compile(UNION)
    assert kernel.count(*operands()) == kernel(*operands()).nnz
    product = nacho.mlir.compile("Z[i,j] = A[i,j] * B[i,j]")
    assert product.count(*operands(), parts=3) == product(*operands()).nnz
    dense = nacho.mlir.compile("y[i] = A[i,j]")
    assert dense.count(operands()[0]) == 20


def test_order_of_the_loops():
    for order in ("i,j", ["i", "j"], ("i", "j")):
        assert nacho.mlir.compile(UNION, order=order).order == ("i", "j")
    for order in ("i,k", "i,i", "", 3):
        with pytest.raises(nacho.NachoError, match="order="):
            nacho.mlir.compile(UNION, order=order)
    kernel = nacho.mlir.compile(UNION, order="j,i")
    assert [step.order for step in kernel.steps][-2:] == [("j", "i"), ("i", "j")]
    kernel = nacho.mlir.compile(
        "Y[i,k] = A[i,j] * X[j,k]", {"X": "dense"}, order="i,j,k"
    )
    assert kernel.indices == ("i", "k", "j")
    assert set(kernel.order) <= {"i", "j"}


# --- Arguments of the extension -------------------------------------------------------


def test_arguments_are_checked(kernel):
    native = kernel._default.native
    args = [a for tensor in operands() for a in arguments(tensor._view)]
    for place, wrong in (
        (0, args[0].astype(np.int64)),
        (2, args[2].astype(np.float32)),
        (2, np.repeat(args[2], 2)[::2]),
        (1, None),
        (3, "many"),
    ):
        changed = [*args]
        changed[place] = wrong
        with pytest.raises((TypeError, RuntimeError)):
            native.plan(changed, 1, 1)
    for wrong in (args[:-1], [*args, 1], []):
        with pytest.raises(TypeError, match="number of arguments"):
            native.plan(wrong, 1, 1)
    with pytest.raises(RuntimeError, match="changed"):
        native.plan(args, 1, 1).execute(_of_other_size(args))


def _of_other_size(args):
    return [np.append(a, a[-1:]) if isinstance(a, np.ndarray) else a for a in args]


def test_validation_functions():
    pos, crd = np.array([0, 2, 2, 4]), np.array([0, 2, 1, 3], np.int32)
    assert _nacho.check_positions(pos, 3, 4) == -1
    assert _nacho.check_positions(pos, 3, 5) == 3
    assert _nacho.check_positions(np.array([1, 2]), 1, 2) == 0
    assert _nacho.check_positions(np.array([0, 3, 2]), 2, 2) == 2
    assert _nacho.check_coordinates(pos, crd, 4) == (-1, "")
    assert _nacho.check_coordinates(pos, crd, 3) == (3, "range")
    assert _nacho.check_coordinates(pos, crd[::-1].copy(), 4) == (1, "order")
    assert _nacho.check_coordinates(pos, np.zeros(4, np.int32), 4) == (1, "duplicate")


# --- Plans ----------------------------------------------------------------------------


def test_a_plan_takes_new_values(kernel):
    one, other = operands()
    plan = kernel.plan(one, other, parts=5, threads=2)
    assert samples.same(plan.execute(), kernel(one, other))
    for factor in (2.0, -1.0, 0.0):
        view = one._view
        values = view.with_arrays(view.pos, view.crd, view.values * factor)
        scaled = nacho.Tensor._of(values)
        result = plan.execute(scaled, other)
        samples.check(result, UNION, {"A": scaled, "B": other})
        assert plan.nnz == result.nnz
    one.values[:] = 3
    assert samples.same(plan.execute(), kernel(one, other))


def test_a_plan_reads_its_operands_again():
    """Values, scalars and unsorted containers are those of now."""
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j] + B[i,j]")
    scale, (one, other) = np.array(2.0), large(shape=(20, 30))
    one.indices[:] = one.indices[::-1]
    plan = kernel.plan(scale, one, other)
    for factor in (10, 0.5):
        scale[...] *= factor
        one.data *= factor
        other.data = other.data * factor
        wanted = scale * one.toarray() + other.toarray()
        np.testing.assert_array_equal(plan.execute().toarray(), wanted)
        np.testing.assert_array_equal(kernel(scale, one, other).toarray(), wanted)


@pytest.mark.parametrize("validate", ["safe", "full", "none"])
def test_a_plan_checks_its_operands_again(validate):
    kernel = nacho.mlir.compile(UNION, validate=validate)
    one, other = large(shape=(20, 30))
    plan = kernel.plan(one, other)
    wanted = kernel(one, other)
    one.indices = one.indices.copy()
    assert samples.same(plan.execute(), wanted)
    one.indptr, one.indices, one.data = (
        one.indptr.clip(max=570),
        one.indices[:570],
        one.data[:570],
    )
    with pytest.raises(nacho.OperandError, match="operand 'A' has another pattern"):
        plan.execute()
    one.indptr[3] = -1
    if validate != "none":
        with pytest.raises(nacho.OperandError, match=r"indptr\[3\] = -1, below"):
            plan.execute()


def test_a_plan_notices_sorted_entries():
    """An unsorted container is planned for as a copy: another order, another copy."""
    kernel = nacho.mlir.compile("Z[i,j] = -A[i,j]")
    operand = large(shape=(20, 30))[0]
    operand.indices[:] = operand.indices[::-1]
    plan = kernel.plan(operand)
    wanted = -operand.toarray()
    operand.sort_indices()
    np.testing.assert_array_equal(plan.execute().toarray(), wanted)


def test_a_plan_refuses_another_pattern(kernel):
    plan = kernel.plan(*operands())
    for seed, shape in ((1, (20, 30)), (0, (20, 31)), (0, (30, 20))):
        with pytest.raises(nacho.OperandError, match="operand 'A' has another pattern"):
            plan.execute(*operands(seed, shape))


@pytest.mark.parametrize("format", ["csr", "dcsr"])
def test_size_of_a_plan(format):
    kernel = nacho.mlir.compile(UNION, dict.fromkeys("ABZ", format))
    plan = kernel.plan(*operands(format=format))
    actual = sum(array.nbytes for array in samples.buffers(plan.execute()))
    assert plan.nbytes >= actual
    assert format == "dcsr" or plan.nbytes == actual


# --- Buffers --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [operands, large])
def test_results_are_fresh(kernel, make):
    pair = make()
    plan = kernel.plan(*pair, parts=3, threads=2)
    first = plan.execute()
    kept = [array.copy() for array in samples.buffers(first)]
    for array in samples.buffers(first):
        assert array.flags.writeable
        array[:] = 7
    for result in (plan.execute(), kernel(*pair)):
        for array, wanted in zip(samples.buffers(result), kept, strict=True):
            np.testing.assert_array_equal(array, wanted)
            assert not any(np.shares_memory(array, a) for a in samples.buffers(first))


@pytest.mark.parametrize("make", [operands, large])
def test_results_outlive_all_else(make):
    kernel, pair = nacho.mlir.compile(UNION), make()
    plan = kernel.plan(*pair)
    result = plan.execute()
    kept = [array.copy() for array in samples.buffers(result)]
    arrays = samples.buffers(result)
    del kernel, plan, pair, result
    gc.collect()
    large_again = [nacho.evaluate("Z[i,j] = -A[i,j]", A=large()[0]) for _ in range(3)]
    for array, wanted in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, wanted)
    del large_again


def test_recycled_buffers_do_not_alias(kernel):
    """Released buffers are used again, but never one that a result still holds."""
    rng = np.random.default_rng(0)
    pair, live = large(), {}
    for number in range(120):
        pair[0].data[:] = number
        pair[1].data[:] = 0
        live[number] = kernel(*pair, parts=4, threads=2)
        if len(live) > 10:
            del live[int(rng.choice(list(live)))]
        for wanted, result in live.items():
            assert result.data[0] == result.data[-1] == wanted
    for wanted, result in live.items():
        assert (result.data == wanted).all()
        result.check_format(full_check=True)


def test_the_pool_is_bounded(kernel):
    pair = large()
    for _ in range(3):
        results = [kernel(*pair) for _ in range(8)]
        del results
        gc.collect()
        assert 0 < _nacho.pooled_bytes() <= _nacho.max_pooled_bytes()


def test_explain_tells_what_memory_is_needed():
    A = sp.random_array((300, 300), density=0.05, rng=1, format="csr")
    add = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    assert "no more than the operands and the result" in add.explain(A, A)
    product = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", threads=2)
    text = product.explain(A, A)
    entries = int(re.search(r"list 0: (\d+) entries", text)[1])
    assert entries == A.nnz
    assert re.search(r"workspaces: \d+\.\d+ MB per thread on 2 thread", text)
    assert "draft" in text
