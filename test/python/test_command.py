"""The command ``nacho``, also ``python -m nacho``."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._command import main

A = sp.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]]))


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nacho.write("a.mtx", A)
    nacho.write("b.tns", A)


def run(*arguments):
    return main(list(arguments))


class Messages(io.StringIO):
    def __init__(self, is_terminal):
        super().__init__()
        self.isatty = lambda: is_terminal


def test_run_writes_a_file(capsys):
    text = "Z[i,j] = A[i,j] * B[i,j]"
    assert run("run", text, "A=a.mtx", "B=b.tns", "-o", "z.npz") == 0
    size = Path("z.npz").stat().st_size
    assert capsys.readouterr().out == f"wrote z.npz, {size} bytes\n"
    found = nacho.read("z.npz")
    assert found.format == nacho.Format("csr")
    np.testing.assert_array_equal(found.to_dense(), A.toarray() ** 2)


def test_run_shows_a_bar_on_terminals(monkeypatch):
    """A call that takes long, as all do here, tells how many parts are done."""
    monkeypatch.setattr("nacho._progress.PATIENCE", 0.0)
    matrix = sp.random_array((800, 800), density=0.1, rng=np.random.default_rng(1))
    nacho.write("large.mtx", matrix)
    text = "Z[i,k] = A[i,j] * A[j,k]"
    for is_terminal in (False, True):
        monkeypatch.setattr(sys, "stderr", Messages(is_terminal))
        assert run("run", text, "A=large.mtx", "-o", "z.mtx") == 0
        told = sys.stderr.getvalue()
        assert is_terminal == ("Z[i,k] = sum(j, A[i,j] * A[j,k])" in told)
        assert is_terminal == ("reading large.mtx" in told)


def test_run_shows_what_is_not_written(capsys):
    assert run("run", "s = sum(i, j, A[i,j]**2)", "A=a.mtx") == 0
    assert capsys.readouterr().out == "14.0\n"
    assert run("run", "Z[i,j] = c * A[i,j]", "A=a.mtx", "c=2.5", "-f", "Z:coo") == 0
    assert capsys.readouterr().out == "<nacho.Tensor: coo, 3x3, float64, 3 entries>\n"


def test_explain(capsys):
    arguments = ("Z[i,j] = A[i,j] + A[j,i]", "A=a.mtx", "-f", "A:dcsr", "--parts", "3")
    assert run("explain", *arguments) == 0
    out = capsys.readouterr().out
    assert "A: dcsr" in out
    assert "3 part(s)" in out
    assert run("explain", *arguments, "--html", "e.html") == 0
    page = Path("e.html").read_text()
    assert capsys.readouterr().out == f"wrote e.html, {len(page.encode())} bytes\n"
    assert ">Z[i,j] = A[i,j] + A[j,i]</td>" in page


def test_partition(capsys):
    assert run("partition", "Z[i,j] = A[i,j] + A[i,j]", "2", "A=a.mtx") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("loops i, j; cost ")
    assert lines[1].startswith("part 0: from (0, 0) to ")
    assert lines[2].startswith("part 1: from ")
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("stage", "word"),
    [("loops", "nacho.coiterate"), ("llvm", "define"), ("asm", "ret")],
)
def test_ir(capsys, stage, word):
    arguments = ("-f", "A:csr", "-f", "B:csr", "--stage", stage)
    assert run("ir", "Z[i,j] = A[i,j] * B[i,j]", *arguments) == 0
    assert word in capsys.readouterr().out


def test_info(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("NACHO_CACHE_DIR", str(tmp_path / "cache"))
    assert run("info") == 0
    out = capsys.readouterr().out
    for title in ("nacho ", "LLVM ", "Python ", "CPU ", "GPU ", "cache "):
        assert f"\n{title}" in f"\n{out}"
    assert "cache: 0 kernels" in out
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "llvmcache-1").write_bytes(b"12345")
    (tmp_path / "cache" / "other").write_bytes(b"12345")
    assert nacho.cache.info()[1:3] == (1, 5)
    assert run("info", "--clear") == 0
    assert capsys.readouterr().out == "removed 1 kernels from the cache\n"
    assert (tmp_path / "cache" / "other").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "Z[i,j] = A[i,j", "A=a.mtx"), "expected ']', found the end"),
        (("run", "Z[i,j] = A[i,j]", "A=none.mtx"), "none.mtx"),
        (("run", "Z[i,j] = A[i,j]", "a.mtx"), "a.mtx: expected a name and a file"),
        (("run", "Z[i,j] = A[i,j]", "A=a.mtx", "A=a.mtx"), "'A' is given twice"),
        (("run", "Z[i,j] = A[i,j]", "A=a.mtx", "-f", "csr"), "-f csr: expected a name"),
        (("run", "Z[i,j] = A[i,j]", "A=a.mtx", "-f", "B:csr"), "'B' is no operand"),
        (("run", "Z[i,j] = A[i,j]"), "missing operand 'A'"),
        (
            ("ir", "Z[i,j] = A[i,j]", "--stage", "x"),
            "--stage x: expected one of assign",
        ),
    ],
)
def test_what_is_refused_is_an_error_in_words(capsys, arguments, message):
    assert run(*arguments) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("nacho: error: ")
    assert message in shown.err
    assert "Traceback" not in shown.err


def test_convert(capsys):
    assert run("convert", "a.mtx", "c.tns", "-f", "csc") == 0
    read, wrote = capsys.readouterr().out.splitlines()
    assert read == "read <nacho.Tensor: csc, 3x3, float64, 3 entries>"
    assert wrote == f"wrote c.tns, {Path('c.tns').stat().st_size} bytes"
    np.testing.assert_array_equal(nacho.read("c.tns").to_dense(), A.toarray())
    assert run("convert", "a.mtx", "d.csv", "-f", "dense", "--dtype", "float32") == 0
    capsys.readouterr()
    np.testing.assert_array_equal(np.loadtxt("d.csv", delimiter=","), A.toarray())
    assert run("run", "y[i] = A[i,j] * x[j]", "A=a.mtx", "x=x.csv") == 1
    assert "x.csv" in capsys.readouterr().err
    Path("x.csv").write_text("1\n2\n3\n")
    assert run("run", "y[i] = A[i,j] * x[j]", "A=a.mtx", "x=x.csv") == 0
    assert capsys.readouterr().out == "[7. 0. 6.]\n"
    for arguments, message in (
        (("a.mtx", "d.npy"), "zeros included"),
        (("a.mtx", "d.npz", "-f", "sparse"), "unknown format 'sparse'"),
        (("none.mtx", "d.npz"), "none.mtx"),
        (("a.mtx", "d.txt"), "the end of the name"),
    ):
        assert run("convert", *arguments) == 1
        assert message in capsys.readouterr().err


def test_messages_have_options_of_the_command(capsys):
    assert run("run", "Y[i,j] = exp(A[i,j])", "A=a.mtx") == 1
    assert "ask for that with -f Y:dense\n" in capsys.readouterr().err
    assert run("run", "Y[i,j] = exp(A[i,j])", "A=a.mtx", "-f", "Y:dense") == 0
    assert capsys.readouterr().out.startswith("[[ 2.718")


def test_messages_of_convert_have_its_options(capsys):
    assert run("convert", "a.mtx", "a.csv") == 1
    assert "ask for that with -f dense\n" in capsys.readouterr().err
    assert run("convert", "missing.mtx", "a.csv") == 1
    message = "nacho: error: No such file or directory: 'missing.mtx'\n"
    assert capsys.readouterr().err == message


def test_a_wrong_command_shows_how_it_is_written(capsys):
    with pytest.raises(SystemExit) as error:
        run("walk")
    assert error.value.code == 2
    assert "usage: nacho" in capsys.readouterr().err
    commands = ["run", "explain", "partition", "ir", "explore", "convert", "info"]
    for command in ((), *((each,) for each in commands)):
        with pytest.raises(SystemExit) as error:
            run(*command, "--help")
        assert error.value.code == 0
        examples = capsys.readouterr().out.partition("examples:")[2]
        shown = {line.split()[1] for line in examples.splitlines() if "  nacho" in line}
        assert shown == set(command or commands)
        assert ("An operand is a file" in examples) == (
            command not in (("ir",), ("convert",), ("info",))
        )


def test_warnings_are_a_line(capsys):
    assert run("run", "w[i] = A[i,j]", "A=a.mtx") == 0
    shown = capsys.readouterr()
    assert shown.out == "[3. 0. 3.]\n"
    assert shown.err.startswith("nacho: warning: index 'j' is summed over")


def test_as_a_module():
    command = [sys.executable, "-m", "nacho", "run", "s = sum(i,j,A[i,j])", "A=a.mtx"]
    environment = os.environ | {"PYTHONPATH": str(Path(nacho.__file__).parents[1])}
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "6.0\n", "")


# --- nacho.explain --------------------------------------------------------------------


def test_explain_takes_what_evaluate_takes():
    found = nacho.explain("Z[i,j] = A[i,j] * 2", A=A, parts=2)
    assert isinstance(found, str)
    assert found.sections["expression"] == ("Z[i,j] = A[i,j] * 2",)
    assert "2 part(s)" in found
    i, j = nacho.indices("i j")
    assert "A[i,j] * 3" in nacho.explain(nacho.access(A, i, j) * 3, (i, j))
    assert "out" not in nacho.explain("Z[i,j] = A[i,j]", {"A": A}, out="csc").sections
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j]", formats={"A": "csr"})
    assert kernel.explain(A).sections.keys() == found.sections.keys()
    table = found._repr_html_()
    assert table.startswith("<table>")
    assert table.count("<th>") == len(found.sections)
