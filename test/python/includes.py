"""Which files of a tree use which: imports of Python, and #includes of C++."""

import ast
import re
from pathlib import Path

_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def imports_of(path, package):
    """Return the modules of a package that a module imports, also inside functions.

    ``package`` is the folder of the package. Names of modules are paths within it, such
    as ``_storage/views``; that of a package is that of its ``__init__``.
    """
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            for alias in node.names:
                found.add(_module(package, f"{node.module}.{alias.name}"))
        elif isinstance(node, ast.Import):
            found.update(_module(package, alias.name) for alias in node.names)
    return found - {None}


def _module(package, dotted):
    """Return the module of a dotted name, which may be that of something in it.

    The extension, which is no file of Python, counts as the package that has it.
    """
    first, *parts = dotted.split(".")
    if first != package.name:
        return None
    for end in range(len(parts), -1, -1):
        at = package.joinpath(*parts[:end])
        if end and at.with_suffix(".py").exists():
            return "/".join(parts[:end])
        if (at / "__init__.py").exists():
            return "/".join([*parts[:end], "__init__"])
    return None


def included_by(path, root):
    """Return the headers of a tree that a file of C++ includes.

    Others, as those of MLIR, and those that are generated, are left out.
    """
    places = [root / "include", *path.parents[: len(path.relative_to(root).parts) - 1]]
    found = set()
    for name in _INCLUDE.findall(path.read_text()):
        at = next((place / name for place in places if (place / name).exists()), None)
        if at is not None:
            found.add(Path(at.resolve()))
    return found


def room_of(path, root):
    """Return the room of a file of C++: its folder, where lib and include are one."""
    parts = path.relative_to(root).parent.parts
    return "/".join(parts[2:] if parts[:2] == ("include", "nacho") else parts[1:])


def circles(uses):
    """Return the circles of a graph: sets of nodes, each of which leads to all others.

    ``uses`` is a mapping from each node to those that it uses.
    """
    reached = {node: _reached(uses, node) for node in uses}
    found = {
        frozenset(n for n in reached[node] if node in reached.get(n, ()))
        for node in uses
        if node in reached[node]
    }
    return sorted(sorted(circle) for circle in found)


def _reached(uses, start):
    """Return the nodes that a walk from a node comes to, which may be that node."""
    found, waiting = set(), [start]
    while waiting:
        for node in uses.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found
