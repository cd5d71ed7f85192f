"""What is logged under the name "nacho", and the line that shows a long compilation."""

import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels import logs

A = sp.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]]))
SOURCES = Path(nacho.__file__).parents[1]


def of_level(caplog, level):
    return [r.getMessage() for r in caplog.records if r.levelno == level]


def test_compiles_and_hits_are_logged(caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("NACHO_CACHE_DIR", str(tmp_path / "cache"))
    caplog.set_level(logging.DEBUG, "nacho")
    text = "Z[i,j] = A[i,j] * 0.40625"
    nacho.evaluate(text, A=A)
    compiled, *_ = of_level(caplog, logging.INFO)
    assert compiled.startswith(f"'{text}': compiled in ")
    assert 0 < float(compiled.split()[-2]) < 60
    assert of_level(caplog, logging.DEBUG) == []
    caplog.clear()
    nacho.evaluate(text, A=A)
    assert caplog.messages == [f"'{text}': kernel found in memory"]
    # Another process finds the code on the disk.
    found = logged(text, tmp_path / "cache")
    assert f"INFO nacho '{text}': compiled code found, in " in found
    assert "compiled in" not in found
    (tmp_path / "file").touch()
    for nowhere in ("", tmp_path / "file" / "cache"):
        assert ", kept in memory only" in logged(text, nowhere)


def logged(text, directory):
    """Return what another process logs that evaluates an expression."""
    code = (
        "import logging, numpy, nacho, scipy.sparse as sp\n"
        "logging.basicConfig(format='%(levelname)s %(name)s %(message)s', level=20)\n"
        f"nacho.evaluate({text!r}, A=sp.csr_array(numpy.eye(3)))\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(NACHO_CACHE_DIR=str(directory)),
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stderr


def environment(**changes):
    return os.environ | {"PYTHONPATH": str(SOURCES)} | changes


def test_variants_are_logged_once(caplog):
    caplog.set_level(logging.INFO, "nacho")
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * B[i,j] * 0.375")
    for _ in range(3):
        kernel.plan(A, A)
        kernel(A, A)
    variants = [text for text in caplog.messages if ": variant " in text]
    assert len(variants) == len(set(variants)) >= 1
    reasons = [text for text in variants if "drafts" in text]
    assert all("; " in text for text in reasons)


def test_conversions_are_logged(caplog):
    caplog.set_level(logging.INFO, "nacho")
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * 2", formats={"A": "csr"})
    kernel(A.tobsr())
    assert "'Z[i,j] = A[i,j] * 2': A: bsr converted to csr" in caplog.messages


def test_what_is_refused_is_not_compiled(caplog):
    caplog.set_level(logging.DEBUG, "nacho")
    with pytest.raises(nacho.NachoError):
        nacho.mlir.compile("Z[i,j] = exp(A[i,j])")
    assert caplog.messages == []


def test_nobody_hears_of_it_unless_they_ask():
    code = (
        "import numpy, nacho, scipy.sparse as sp\n"
        "nacho.evaluate('Z[i,j] = A[i,j] * 2', A=sp.csr_array(numpy.eye(3)))\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert (made.stdout, made.stderr) == ("", "")


# --- The line -------------------------------------------------------------------------

LINE = "\r\033[Knacho: compiling Z[i,j] = A[i,j] * 2 ("


def shown(patience):
    """Return what a process shows on a terminal that compiles an expression."""
    code = (
        "import sys, time, nacho\n"
        "from nacho._kernels import logs\n"
        "assert sys.stderr.isatty() and not sys.stdout.isatty()\n"
        f"logs.PATIENCE = {patience}\n"
        "with logs.compiling('Z[i,j] = A[i,j] * 2'):\n"
        "    time.sleep(0.5)\n"
        "nacho.mlir.compile('Z[i,j] = A[i,j] * 2')\n"
    )
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"this system has no pseudo-terminal: {error}")
    try:
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment(NACHO_CACHE_DIR=""),
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            check=True,
        )
        os.close(theirs)
        return read_all(ours)
    finally:
        os.close(ours)


def read_all(terminal):
    found = b""
    while True:
        try:
            some = os.read(terminal, 1 << 16)
        except OSError:
            # Linux reports the end of a terminal as an error.
            some = b""
        if not some:
            return found.decode()
        found += some


def test_a_terminal_shows_what_takes_long():
    text = shown(patience=0.01)
    assert text.startswith(f"{LINE}0 s)")
    assert text.endswith("\r\033[K")
    # The second compilation is one of the compiler's.
    assert text.count(LINE) == 2


def test_a_terminal_does_not_show_what_is_fast():
    assert shown(patience=30) == ""


def test_patience_is_a_second():
    assert logs.PATIENCE == 1


def test_the_line_goes_when_compiling_fails(monkeypatch):
    class Terminal:
        def __init__(self):
            self.text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    terminal = Terminal()
    monkeypatch.setattr(logs.sys, "stderr", terminal)
    monkeypatch.setattr(logs, "PATIENCE", 0.0)
    with pytest.raises(ValueError, match="no"), logs.compiling("x" * 100):
        raise ValueError("no")
    assert terminal.text.endswith("\r\033[K")
    assert f"compiling {'x' * 60}… (0 s)" in terminal.text
