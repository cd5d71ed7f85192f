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
                yield prefix / path.relative_to(folder), path.read_bytes()
    for name, text in generated().items():
        yield Path(name), text.encode()


def assemble(source: Path) -> None:
    """Bring the files of a folder up to date; Sphinx reads only those that changed."""
    wanted = dict(files())
    for path in source.rglob("*"):
        if path.is_file() and path.relative_to(source) not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = source / name
        if not (path.is_file() and path.read_bytes() == content):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def main(output: Path) -> int:
    source = output.with_name("site-source")
    assemble(source)
    trees = output.with_name("site-trees")
    shutil.rmtree(output, ignore_errors=True)
    options = ["-W", "--keep-going", "-q", "-j", "auto", "-d", str(trees)]
    return sphinx([*options, str(source), str(output)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
