"""Builds the documentation site: `tools/dev docs` runs this in build/docs-venv.

usage: build.py FOLDER

The pages of this folder, the measurements of the benchmark and the generated reference
come together in FOLDER/../site-source, of which Sphinx makes the site in FOLDER. Every
warning of Sphinx, such as one of a broken link, is an error.
"""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import file_index
import glossary
from reference import ROOT, generated
from sphinx.cmd.build import main as sphinx

SITE = Path(__file__).resolve().parent
RESULTS = ROOT / "tools/nacho-bench/results"
_SUFFIXES = {".md", ".svg"}


def files() -> Iterator[tuple[Path, bytes]]:
    """Yield every file that Sphinx reads, by its path, with what is in it."""
    yield Path("conf.py"), (SITE / "conf.py").read_bytes()
    for folder, prefix in ((SITE, Path()), (RESULTS, Path("measured"))):
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SUFFIXES:
                yield prefix / path.relative_to(folder), _content(path)
    yield Path("reference/every-file.md"), file_index.page().encode()
    yield Path("reference/glossary.md"), glossary.page().encode()
    for name, text in generated().items():
        yield Path(name), text.encode()


def _content(path: Path) -> bytes:
    """Return what is in a file, with links to measurements as the site has these."""
    return path.read_bytes().replace(b"../nacho-bench/results/", b"measured/")


def assemble(source: Path) -> None:
    """Make the folder that Sphinx reads."""
    shutil.rmtree(source, ignore_errors=True)
    for name, content in files():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main(output: Path) -> int:
    source = output.with_name("site-source")
    assemble(source)
    shutil.rmtree(output, ignore_errors=True)
    # All pages are read again: a page remembers that a link of it led nowhere.
    options = ["-W", "--keep-going", "-q", "-E", "-j", "auto"]
    trees = ["-d", str(output.with_name("site-trees"))]
    return sphinx([*options, *trees, str(source), str(output)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
