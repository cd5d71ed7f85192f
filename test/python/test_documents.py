"""Documents name the files and passes that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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


def test_where_to_read_names_every_file_of_the_compiler():
    _, _, rest = CONTRIBUTING.partition("\n## Where to read\n")
    text = rest.partition("\n## ")[0]
    found = sorted(path.name for path in (ROOT / "lib").rglob("*.cpp"))
    assert [name for name in found if f"{name}`" not in text] == []


def test_the_picture_has_every_pass():
    picture = COMPILER.partition("```\n  Z[i,j]")[2].partition("```")[0]
    assert [flag for flag in passes() if f"--{flag}" not in picture] == []


def test_the_table_has_every_pass():
    table = COMPILER.partition("| Pass | Does |")[2]
    names = [re.sub("^convert-nacho", "", flag) for flag in passes()]
    assert [name for name in names if f"{name}`" not in table] == []


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["readme", "contributing"])
def test_files_that_are_named_are_there(text):
    paths = re.findall(r"[`(]((?:include|lib|python|test|tools)/[\w./+-]+)[`)]", text)
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
