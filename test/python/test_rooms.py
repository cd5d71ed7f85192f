"""The packages inside of nacho, and the folders of lib: which uses which.

Nothing may be used in circles: neither packages nor folders, nor the modules of a
package. Imports inside of functions count, and so do those for type checkers.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import nacho
from includes import circles, imports_of, included_by, room_of

ROOT = Path(nacho.__file__).parent
SOURCES = ROOT.parents[1]

ALLOWED = {
    "": set(),  # errors and elements
    "_pictures": {""},
    "_notation": {""},
    "_runtime": {""},
    "_storage": {"", "_notation"},
    "_mlir": {"", "_notation", "_storage"},
    "_kernels": {"", "_pictures", "_notation", "_runtime", "_storage", "_mlir"},
    "_arrays": {"", "_notation", "_storage", "_kernels"},
    "_files": {"", "_notation", "_storage", "_arrays"},
    "_pages": {
        "",
        "_pictures",
        "_notation",
        "_storage",
        "_mlir",
        "_kernels",
        "_arrays",
    },
    "_pieces": {"", "_notation", "_storage", "_kernels"},
    "dask": {
        "",
        "_pictures",
        "_notation",
        "_storage",
        "_arrays",
        "_kernels",
        "_files",
        "_pieces",
    },
    "torch": {"", "_notation", "_storage", "_kernels"},
}
"""Per package, those that its modules may import besides their own.

What users import is free to show what is inside, ``nacho`` and ``nacho.mlir``, and so
are the commands that use these.
"""
DOORS = {"__init__", "mlir/__init__", "_command", "__main__"}

MODULES = {
    module: path
    for path in sorted(ROOT.rglob("*.py"))
    if (module := str(path.relative_to(ROOT).with_suffix(""))) not in DOORS
}
IMPORTS = {
    module: imports_of(path, ROOT) - DOORS - {module}
    for module, path in MODULES.items()
}

FILES = [
    path
    for folder in ("lib", "include/nacho")
    for path in sorted((SOURCES / folder).rglob("*"))
    if path.suffix in (".cpp", ".h")
]


def package_of(module):
    """Return the package of a module of nacho."""
    return module.rpartition("/")[0]


def joined(uses, room):
    """Return which rooms use which, given the files; ``room`` is that of a file."""
    found = {}
    for path, used in uses.items():
        others = found.setdefault(room(path), set())
        others.update({room(each) for each in used} - {room(path)})
    return found


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_packages_import_downwards(module):
    own = package_of(module)
    for each in IMPORTS[module]:
        assert package_of(each) in ALLOWED[own] | {own}, each


def test_packages_are_in_order():
    """Each may import what comes before it in the table, and nothing else."""
    before = set()
    for package, allowed in ALLOWED.items():
        assert allowed <= before
        before.add(package)
    assert {package_of(module) for module in MODULES} <= before


def test_no_circle_of_packages():
    assert circles(joined(IMPORTS, package_of)) == []


def test_no_circle_of_modules():
    assert circles(IMPORTS) == []


def test_only_one_module_looks_names_up():
    """What imports would show as a circle is not found by its name, but in one file."""
    for path in MODULES.values():
        is_public = path.name == "_public.py"
        assert ('sys.modules["nacho' in path.read_text()) == is_public, path


def test_no_circle_of_folders():
    uses = {path: included_by(path, SOURCES) for path in FILES}
    assert circles(joined(uses, lambda path: room_of(path, SOURCES))) == []


def test_no_circle_in_assembly():
    """A header and its source are one."""
    files = [path for path in FILES if path.parent.name == "Assembly"]
    uses = {
        path: {each for each in included_by(path, SOURCES) if each in files}
        for path in files
    }
    assert circles(joined(uses, lambda path: path.stem)) == []


def test_circles_are_found(tmp_path):
    """Those of a tree that is made up, of Python and of C++."""
    texts = {
        "nacho/__init__.py": "",
        "nacho/_low/a.py": "def f():\n    from nacho._low import b\n",
        "nacho/_low/b.py": "from nacho._low.a import f\nfrom nacho._high.c import g\n",
        "nacho/_high/c.py": "import nacho._low.d\n",
        "nacho/_low/d.py": "import numpy\n",
        "include/nacho/IR/Op.h": '#include "nacho/Levels/Level.h"\n',
        "include/nacho/Levels/Level.h": '#include "mlir/IR/Value.h"\n',
        "lib/Levels/Dense.cpp": '#include "Dense.h"\n',
        "lib/Levels/Dense.h": '#include "nacho/IR/Op.h"\n',
        "lib/IR/Op.cpp": '#include "nacho/IR/Op.h"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    modules = [name for name in texts if name.endswith(".py")]
    imports = {
        name.removeprefix("nacho/").removesuffix(".py"): imports_of(
            tmp_path / name, tmp_path / "nacho"
        )
        for name in modules
    }
    assert circles(imports) == [["_low/a", "_low/b"]]
    assert circles(joined(imports, package_of)) == [["_high", "_low"]]
    sources = [tmp_path / name for name in texts if name not in modules]
    includes = {path: included_by(path, tmp_path) for path in sources}
    assert circles(includes) == []
    rooms = joined(includes, lambda path: room_of(path, tmp_path))
    assert circles(rooms) == [["IR", "Levels"]]


def test_importing_is_inert():
    """No extension, no library, no thread, no change of the environment."""
    code = (
        "import os, sys, threading\n"
        "before, threads = dict(os.environ), threading.active_count()\n"
        "import nacho, nacho.mlir\n"
        "assert dict(os.environ) == before\n"
        "assert threading.active_count() == threads\n"
        "late = {'nacho._nacho', 'scipy', 'torch'} & set(sys.modules)\n"
        "assert not late, late\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT.parent)


def test_nothing_is_left_at_exit():
    """Kernels are freed when Python ends, or nanobind tells of them."""
    code = (
        "import nacho, numpy as np\n"
        "x = nacho.evaluate('y[i] = 2 * x[i]', x=np.ones(3))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
