"""Every kernel of the benchmark and of the lit tests is assembled for several GPUs.

None of them spills more than a few registers.
"""

import sys
from importlib import metadata
from pathlib import Path

import pytest

import nacho
from nacho._kernels import ptxas

TESTS = Path(__file__).resolve().parents[1]
BENCH = TESTS.parent / "tools" / "nacho-bench"
sys.path.insert(0, str(BENCH))

from nacho_bench import registers  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402

SPILLED = 96
"""Bytes that a thread spills at most, since kernels have a limit for registers."""

needs_ptxas = pytest.mark.skipif(ptxas.find_ptxas() is None, reason="there is no ptxas")


def lit_kernels():
    """Return the files of lit tests that are whole kernels: one function, one sum."""
    found = []
    for path in sorted(TESTS.rglob("*.mlir")):
        text = path.read_text()
        functions, statements = text.count("func.func @"), text.count("= nacho.assign")
        is_apart = {"invalid", "Sparsifier"} & {*path.parts}
        if (functions, statements) == (1, 1) and not is_apart:
            found.append(path.relative_to(TESTS))
    return found


def check(made):
    assert {"partition", "compute"} & {
        word for one in made for word in one.name.split("_")
    }
    assert [one for one in made if one.spilled > SPILLED] == []
    assert all(0 < one.registers < 255 for one in made)


def is_scan(one):
    """Return whether a kernel scans: it has no limit."""
    return "_scan_" in one.name


@pytest.mark.sampled
@needs_ptxas
@pytest.mark.each_value
@pytest.mark.parametrize("is_narrow", [True, False])
@pytest.mark.parametrize("chip", registers.CHIPS)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name, chip, is_narrow):
    """Programs for long arrays may have twice the registers."""
    made = registers.assemble_kernel(KERNELS[name], chip, is_narrow=is_narrow)
    check(made)
    most = 64 if is_narrow else 128
    assert [one for one in made if one.registers > most and not is_scan(one)] == []


@needs_ptxas
@pytest.mark.parametrize("name", ["csr-add", "coo-add", "csr-mul", "spmv"])
@pytest.mark.sampled
def test_tiles(name):
    """Threads that share memory do not spill registers either."""
    kernel = KERNELS[name]
    formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
    choices = {"tile": 32}
    compiled = nacho.mlir.compile(kernel.expression, formats, "f64", choices=choices)
    for chip in registers.CHIPS:
        made = ptxas.assemble(compiled.ptx(chip), chip)
        check(made)
        assert any(one.shared for one in made)


@pytest.mark.sampled
@needs_ptxas
@pytest.mark.each_value
@pytest.mark.parametrize("chip", registers.CHIPS)
@pytest.mark.parametrize("path", lit_kernels(), ids=str)
def test_kernels_of_lit_tests(path, chip):
    kernel = nacho.mlir.compile((TESTS / path).read_text())
    check(ptxas.assemble(kernel.ptx(chip), chip))


def test_all_lit_tests_with_kernels_are_found():
    found = {path.name for path in lit_kernels()}
    inputs = {path.name for path in (TESTS / "Pipelines" / "Inputs").glob("*.mlir")}
    run = {
        path.name
        for path in (TESTS / "Execution").glob("*.mlir")
        if "nacho.assign" in path.read_text()  # Others are written for the simulator.
    }
    assert inputs | run <= found


def test_ptxas_is_found():
    """Where NVIDIA's wheel is installed, as tools/dev does, nothing here is skipped."""
    try:
        metadata.version("nvidia-cuda-nvcc")
    except metadata.PackageNotFoundError:
        pytest.skip("there is no package nvidia-cuda-nvcc")
    assert ptxas.find_ptxas() is not None


@needs_ptxas
def test_what_cannot_be_assembled():
    with pytest.raises(Exception, match="exit status"):
        ptxas.assemble("no PTX", "sm_90")
