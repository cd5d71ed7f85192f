"""Kernels as files: a library with the code of a kernel, and a header for C."""

from __future__ import annotations

import base64
import json
import os
import pickle
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from nacho._elements import STORED
from nacho._kernels.pins import Pin
from nacho._kernels.specialisation import Specialisation, native_options
from nacho._kernels.statement import NotationSource, Statement
from nacho._mlir.refusals import refuse_compilation
from nacho._runtime.library import (
    FOLDER,
    HEADER,
    LIBRARY,
    VERSION,
    processor_flags,
)
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import TensorType
from nacho.errors import ArgumentError, FileError, UnsupportedError, displayed

_LINKERS = ("ld", "ld.lld", "ld.gold", "ld.lld-22")


def export(specialisation: Specialisation, path: str | os.PathLike[str]) -> None:
    """Write the library of a specialisation, and its header beside it."""
    from nacho import _nacho

    library = _checked_path(path)
    source, statement = specialisation.source, specialisation.statement
    if not isinstance(source, NotationSource):
        raise UnsupportedError(
            "export: this kernel comes from a module of MLIR: "
            "nacho-opt --nacho-sparsifier compiles programs with such modules"
        )
    if specialisation.target != HOST:
        raise UnsupportedError(
            f"export: this kernel is for '{specialisation.target}', and only those for "
            f"'{HOST}' become files"
        )
    if statement.assignment.splits:
        raise UnsupportedError("export: tensors in blocks are not supported")
    prefix = _identifier(library.stem)
    image = f"{prefix}_image"
    described = _description(source, statement, image)
    options = native_options(specialisation.lowering)
    module = statement.module
    assert isinstance(module, str)
    try:
        made = _nacho.export_kernel(module, options, image, described)
    except _nacho.CompileError as error:
        refuse_compilation(statement.assignment, statement.bindings, error)
    try:
        with tempfile.TemporaryDirectory() as folder:
            compiled = Path(folder) / "kernel.o"
            compiled.write_bytes(made)
            _link(compiled, library)
        header = _header(statement, prefix, library.name)
        library.with_suffix(".h").write_text(header)
    except OSError as error:
        raise FileError(f"export: {library} cannot be written: {error}") from error


def _checked_path(path: str | os.PathLike[str]) -> Path:
    try:
        library = Path(path)
    except TypeError as error:
        raise ArgumentError(f"path={displayed(path)}: expected a path") from error
    if library.suffix != ".so":
        raise FileError(f"export: {library} is to be a library, NAME.so")
    return library


def _description(source: NotationSource, statement: Statement, image: str) -> str:
    """Return all that Python has to know to call the kernel, as text."""
    types = {**statement.types, statement.assignment.result.name: statement.result}
    pins = {name: _pinned(type) for name, type in types.items()}
    pinned = NotationSource(statement.assignment, pins, source.lowering)
    described = {
        "version": VERSION,
        "image": image,
        "expression": statement.assignment.text,
        "processor": sorted(processor_flags()),
        "statement": base64.b64encode(
            pickle.dumps((pinned, statement.typing))
        ).decode(),
    }
    return json.dumps(described)


def _pinned(type: TensorType) -> Pin:
    """Return the pin of a tensor; numbers remain weak if they are."""
    if type.format is None:
        return Pin()
    return Pin(type.format, type.dtype, type.pos_width, type.crd_width)


def _link(compiled: Path, library: Path) -> None:
    """Link an object file with the runtime library, by a linker of the system."""
    linker = next((found for name in _LINKERS if (found := shutil.which(name))), None)
    if linker is None:
        shown = ", ".join(_LINKERS[:2])
        raise FileError(f"export: there is no linker ({shown}); install binutils")
    places = f"$ORIGIN:{FOLDER}"
    files = [str(compiled), str(LIBRARY)]
    command = [linker, "-shared", "-o", str(library), *files, "-rpath", places]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise FileError(f"export: {library} cannot be linked: {ran.stderr.strip()}")


# --- The header -----------------------------------------------------------------------

_C_TYPES: Mapping[str, str] = {
    "bool": "bool",
    "float16": "_Float16",
    "float32": "float",
    "float64": "double",
    "complex64": "float _Complex",
    "complex128": "double _Complex",
}
"""The types of C for element types; integers are those of stdint.h."""


def _header(statement: Statement, prefix: str, library: str) -> str:
    """Return a header with the runtime library's, and the numbers of all arguments."""
    assignment = statement.assignment
    operands = [
        line
        for name, type in statement.types.items()
        for line in _arguments(f"{prefix}_{_identifier(name)}", name, type)
    ]
    name = assignment.result.name
    results = list(_arguments(f"{prefix}_{_identifier(name)}", name, statement.result))
    guard = f"{prefix.upper()}_H"
    text = assignment.text.replace("*/", "* /")
    return f"""\
/* {text}
 *
 * A kernel that Nacho compiled. Link with {library} and libnacho_runtime.so. */

#ifndef {guard}
#define {guard}

{HEADER.read_text().rstrip()}

#ifdef __cplusplus
extern "C" {{
#endif

extern nacho_image {prefix}_image;

/* The arguments of the operands, by their numbers in an array. An array needs its
 * address and its number of elements; an extent, 0 and its value. */
enum {{
{_lines(operands)}
  {prefix}_OPERANDS
}};

/* The arguments of the result. Its arrays are released with free(). */
enum {{
{_lines(results)}
  {prefix}_RESULTS
}};

/* Computes the result on so many threads; 0: on as many as are worth it. Errors go to
 * the handler of nacho_set_error_handler(). */
static inline void {prefix}(const nacho_argument *operands, nacho_argument *results,
                            int64_t threads) {{
  nacho_call(&{prefix}_image, operands, results, threads, 0);
}}

#ifdef __cplusplus
}}
#endif

#endif /* {guard} */
"""


def _lines(arguments: list[tuple[str, str]]) -> str:
    return "\n".join(f"  {name}, /* {what} */" for name, what in arguments)


def _arguments(prefix: str, name: str, type: TensorType) -> Iterator[tuple[str, str]]:
    """Yield the name of each argument of a tensor, and what it is, in order."""
    element = STORED[type.dtype].name
    values = _C_TYPES.get(element, f"{element}_t")
    if type.format is None:
        yield f"{prefix}_value", f"{values}: the number {name}"
        return
    for level, (_, kind) in enumerate(type.format.levels):
        where = f"level {level} ({kind}) of {name}"
        if level in type.format.compressed:
            yield f"{prefix}_pos_{level}", f"int{type.pos_width}_t: pos of {where}"
        if level in type.format.owners:
            yield f"{prefix}_crd_{level}", f"int{type.crd_width}_t: crd of {where}"
    yield f"{prefix}_values", f"{values}: the values of {name}"
    for level, (dimension, _) in enumerate(type.format.levels):
        of = f"dimension {dimension} of {name}"
        yield f"{prefix}_extent_{level}", f"the extent of level {level}, {of}"


def _identifier(name: str) -> str:
    """Return a name that C and C++ allow."""
    made = re.sub(r"\W", "_", name, flags=re.ASCII)
    return made if made[:1].isalpha() and made not in _WORDS else f"k{made}"


_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        asm auto bool break case catch char class const constexpr continue
        default delete do double else enum explicit export extern false float
        for friend goto if inline int long main mutable namespace new nullptr
        operator private protected public register requires restrict return
        short signed sizeof static struct switch template this throw true try
        typedef typename typeof union unsigned using virtual void volatile while
        and bitand bitor compl not or xor concept decltype noexcept alignas
        alignof
        """,
    )
)
"""Words of C and C++ that are no names."""
