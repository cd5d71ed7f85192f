"""Compiled code on disk: found again, and never in the way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

PROGRAM = """
import numpy as np, scipy.sparse as sp, nacho
A = sp.csr_array(np.eye(3))
Z = nacho.evaluate("Z[i,j] = A[i,j] + 2 * A[j,i]", A=A)
assert (Z.toarray() == 3 * np.eye(3)).all()
kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"})
assert "kernel_execute" in kernel.llvm() and "kernel_compute" in kernel.asm()
"""


def run(directory: Path | str, home: Path | None = None) -> None:
    """Compile two kernels in a new process."""
    environment = os.environ | {"NACHO_CACHE_DIR": str(directory)}
    if home is not None:
        environment["XDG_CACHE_HOME"] = str(home)
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)


def files(directory: Path) -> dict[Path, int]:
    return {f: f.stat().st_mtime_ns for f in directory.glob("llvmcache-*")}


def test_code_is_found_again(tmp_path):
    cache = tmp_path / "made" / "by us"
    run(cache)
    made = files(cache)
    assert len(made) == 2
    assert all(f.stat().st_mode & 0o077 == 0 for f in made)
    run(cache)
    assert files(cache) == made


@pytest.mark.parametrize("damage", ["empty", "truncated", "edited"])
def test_damaged_files_are_made_anew(tmp_path, damage):
    run(tmp_path)
    made = files(tmp_path)
    for file in made:
        good = file.read_bytes()
        edited = bytearray(good)
        edited[len(good) // 2] ^= 1
        bad = {"empty": b"", "truncated": good[: len(good) // 2], "edited": edited}
        file.write_bytes(bad[damage])
    run(tmp_path)
    assert files(tmp_path).keys() == made.keys()
    for file in made:
        assert len(file.read_bytes()) > 1000


def test_no_cache_is_asked_for(tmp_path):
    run("", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_directory_that_cannot_be(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    environment = os.environ | {"NACHO_CACHE_DIR": str(file / "cache")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    assert file.read_text() == ""
    message = f"NachoWarning: compiled code is not kept in NACHO_CACHE_DIR: {file}"
    assert done.stderr.count(message + "/cache cannot be made: Not a directory") == 1
    environment.pop("NACHO_CACHE_DIR")
    environment["XDG_CACHE_HOME"] = str(file)
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    assert "NachoWarning" not in done.stderr
    assert "compiled code is not kept: " in done.stderr


@pytest.mark.parametrize("place", ["/proc", "/sys"])
def test_a_directory_in_which_nobody_can_write(place):
    """Rights do not tell: the administrator seems to have them."""
    if not os.path.ismount(place):
        pytest.skip(f"{place} is not mounted")
    environment = os.environ | {"NACHO_CACHE_DIR": f"{place}/nacho"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    message = f"not kept in NACHO_CACHE_DIR: {place}/nacho cannot be made: "
    assert done.stderr.count(message) == 1


def test_files_of_others_are_not_run(tmp_path):
    """A link, or a file that others can write, is replaced; so is one renamed."""
    cache = tmp_path / "cache"
    run(cache)
    link, open_to_all = sorted(files(cache))
    elsewhere = tmp_path / "elsewhere"
    link.rename(elsewhere)
    link.symlink_to(elsewhere)
    open_to_all.chmod(0o666)
    run(cache)
    assert not link.is_symlink()
    assert open_to_all.stat().st_mode & 0o022 == 0
    link.write_bytes(open_to_all.read_bytes())
    run(cache)
    assert link.read_bytes() != open_to_all.read_bytes()


@pytest.mark.parametrize("mode", [0o777, 0o755, 0o710])
def test_a_directory_made_with_ordinary_rights_is_closed_to_others(tmp_path, mode):
    cache = tmp_path / "cache"
    cache.mkdir()
    for _ in range(2):
        cache.chmod(mode)
        run(cache)
        assert len(files(cache)) == 2
        assert cache.stat().st_mode & 0o7777 == 0o700


@pytest.mark.parametrize(
    ("mode", "file", "why"),
    [
        (0o755, "mine.txt", "and has files that are not of the cache: its mode should"),
        (0o1777, None, "is for all users: its mode should"),
    ],
)
def test_a_directory_of_others_stays_open(tmp_path, mode, file, why):
    """It is not used, and the log says so, once."""
    cache = tmp_path / "cache"
    cache.mkdir()
    if file is not None:
        (cache / file).touch()
    cache.chmod(mode)
    environment = os.environ | {"NACHO_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    assert not files(cache)
    assert cache.stat().st_mode & 0o7777 == mode
    assert done.stderr.count(f"{why} be 0700") == 1


def test_code_that_is_not_optimised(monkeypatch):
    """It calls what is inlined otherwise; neither code is taken for the other."""
    operand, vector = sp.csr_array(np.eye(3)), np.arange(3.0)
    for optimised in ("1", "0", "1", "0"):
        monkeypatch.setenv("NACHO_OPTIMIZE", optimised)
        kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"})
        calls = "call void @_mlir_ciface_kernel_execute" in kernel.llvm()
        assert calls == (optimised == "0")
        assert kernel(operand, vector).tolist() == vector.tolist()


ASSEMBLY = """
import nacho
print(nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"}).asm())
"""


def test_code_that_is_found_is_shown_as_it_was_compiled(tmp_path):
    environment = os.environ | {"NACHO_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", ASSEMBLY]
    made, found = (
        subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
        for _ in range(2)
    )
    assert made.stdout == found.stdout


def test_workers_are_compiled_apart(monkeypatch):
    """All other code is compiled with less care."""
    monkeypatch.setenv("NACHO_OPTIMIZE", "1")
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    modules = kernel.llvm().split("; ModuleID")[1:]
    calls = [code for code in modules if "@nacho_packed_kernel_execute(" in code]
    assert len(calls) == 1 and len(modules) == 3
    for worker in ("@kernel_compute_worker_entry(", "@kernel_assemble_worker_entry("):
        defining = [code for code in modules if _has(code, "define", worker)]
        assert len(defining) == 1 and defining != calls
        assert _has(calls[0], "declare", worker)
    assert _has(calls[0], "define", "@kernel_partition_worker_entry(")


def test_small_workers_are_compiled_together(monkeypatch):
    """More units would not be done before that of the largest worker is."""
    monkeypatch.setenv("NACHO_OPTIMIZE", "1")
    kernel = nacho.mlir.compile("y[i] = A[i,j] * B[j,k] * x[k]", {"x": "dense"})
    largest, small, sums, _ = kernel.llvm().split("; ModuleID")[1:]
    for code, name, count in (
        (largest, "compute_worker", 1),
        (small, "compute_worker", 2),
        (sums, "combine_worker", 6),
    ):
        workers = re.findall(r"^define .*@(\w+_worker\w*)\(", code, re.MULTILINE)
        assert len(workers) == count and all(name in each for each in workers)


def _has(code: str, kind: str, name: str) -> bool:
    return any(line.startswith(kind) and name in line for line in code.splitlines())
