"""Documents name the files and passes that there are."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/site"))

import file_index  # noqa: E402

import nacho  # noqa: E402

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
COMPILER = (ROOT / "tools/site/compiler.md").read_text()


def passes():
    files = (ROOT / "include").rglob("*Passes.td")
    return sorted(
        flag
        for file in files
        for flag in re.findall(r'Pass<\s*"([\w-]+)"', file.read_text())
    )


def test_the_index_has_the_title_of_every_file():
    page = file_index.page()
    for path in (ROOT / "lib").rglob("*.cpp"):
        assert f"| `{path.name}` | " in page
    assert "## `lib/Execution`" in page
    assert "| `Chooser.cpp` | The choice of a variant for a call |" in page
    assert "| `parser.py` | " in page


def test_a_file_without_a_title_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(file_index, "ROOT", tmp_path)
    for name, text in (("A.cpp", "#include <vector>\n"), ("a.py", "import os\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=f"{name} does not say what is in it"):
            file_index.title(tmp_path / name)


def test_contributing_is_short():
    assert len(CONTRIBUTING.encode()) <= 8192


def test_the_picture_has_every_stage():
    picture = COMPILER.partition("```\n  assign")[2].partition("```")[0]
    named = {"assign", *re.findall(r"^  ([\w, ]+?)  ", picture, re.MULTILINE)}
    named = {stage for names in named for stage in names.split(", ")}
    text = "Z[i,j] = A[i,j] * B[i,j]"
    for target in ("cpu", "cuda-sim"):
        kernel = nacho.mlir.compile(text, formats={"A": "csr"}, target=target)
        assert set(kernel.stages) <= named
    assert "ptx" in named


def test_the_table_has_every_pass():
    table = COMPILER.partition("| Leads to | Pass | Does |")[2]
    names = [re.sub("^convert-nacho", "", flag) for flag in passes()]
    assert [name for name in names if f"{name}`" not in table] == []


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["readme", "contributing"])
def test_files_that_are_named_are_there(text):
    paths = re.findall(r"[`(]((?:include|lib|python|test|tools)/[\w./+-]+)[`)]", text)
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_version_has_one_place(monkeypatch):
    """The files that build wheels read it, and so does CMake."""
    assert f"\nversion: {nacho.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    regex = pytest.importorskip("scikit_build_core.metadata.regex")
    for folder in (ROOT, ROOT / "tools/nacho-opt"):
        read = tomllib.loads((folder / "pyproject.toml").read_text())
        assert read["project"]["dynamic"] == ["version"]
        how = read["tool"]["scikit-build"]["metadata"]["version"]
        assert how.pop("provider") == regex.__name__
        monkeypatch.chdir(folder)
        assert regex.dynamic_metadata("version", how) == nacho.__version__
    program = ROOT / "build/dev/bin/nacho-opt"
    if not program.exists():
        pytest.skip("nacho-opt is not built")
    said = subprocess.run([program, "--version"], capture_output=True, text=True)
    assert f"nacho {nacho.__version__}\n" in said.stdout
