"""The command ``nacho``: expressions over files, and what they are compiled to."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nacho
from nacho import cache
from nacho._notation.parser import parse
from nacho._pages.explore import explored
from nacho._pages.page import page_of
from nacho._storage.formats import Format
from nacho._targets import CPU, GPU, TARGETS
from nacho.errors import NachoError, OptionError, UnsupportedError

_TARGETS = " or ".join(TARGETS)

_EXAMPLES = """\
  nacho run "Z[i,j] = A[i,j] * B[i,j]" A=a.mtx B=b.mtx -o z.mtx
  nacho run "s = sqrt(sum(i, j, A[i,j]**2))" A=a.mtx
  nacho run "Z[i,j] = c * A[i,j]" A=a.tns c=2.5 -f A:csr
  nacho explain "Z[i,k] = A[i,j] * B[j,k]" A=a.mtx B=a.mtx
  nacho partition "Z[i,j] = A[i,j] + B[i,j]" 8 A=a.mtx B=b.mtx
  nacho ir "Z[i,j] = A[i,j] * B[i,j]" -f A:csr -f B:dcsr --stage partition
  nacho explore "Z[i,j] = A[i,j] * B[i,j]" -f A:dcsr -f B:dcsr -o page.html
  nacho explore "y[i] = A[i,j] * x[j]" A=a.mtx x=x.mtx
  nacho convert a.mtx a.npz -f csc
  nacho info
"""
_OPERANDS = """
An operand is a file (.mtx, .tns, .npz, .bsp.h5, .npy, .csv), or a number. Sparse
matrices are read as csr, and other tensors as their files store them, unless -f says
how.
"""
_EXIT_CODES = """
The exit code is 0 if all went well, 1 if nacho refuses something, and 2 if the command
is wrong.
"""
_TEXTS = ("llvm", "asm", "ptx")
"""What ``nacho ir`` shows besides the stages."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: print(
                f"nacho: warning: {_in_own_words(message, given)}", file=sys.stderr
            )
            return int(given.run(given) or 0)
    except BrokenPipeError:
        # The reader of the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (NachoError, OSError) as error:
        print(f"nacho: error: {_in_own_words(error, given)}", file=sys.stderr)
        return 1


def _in_own_words(message: object, given: argparse.Namespace) -> str:
    """Return a message with options of the command in place of those of functions."""
    text = re.sub(r'formats=\{"(\w+)": "([\w-]+)"\}', r"-f \1:\2", str(message))
    if isinstance(message, OSError) and message.strerror and message.filename:
        text = f"{message.strerror}: '{message.filename}'"
    if given.run is _convert:
        return re.sub(r'\bout="([\w-]+)"', r"-f \1", text)
    left = re.match(r"\s*\w+", getattr(given, "expression", ""))
    result = left[0].strip() if left else "Z"
    return re.sub(r'\bout="([\w-]+)"', rf"-f {result}:\1", text)


# --- Arguments ------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nacho",
        description="Compute sparse tensor expressions over files, in balanced parts.",
        epilog=f"examples:\n{_EXAMPLES}{_OPERANDS}{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=nacho.__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: Callable[[Any], int | None], text: str) -> Any:
        lines = _EXAMPLES.splitlines(keepends=True)
        examples = [line for line in lines if line.split()[1] == name]
        about_operands = _OPERANDS if any("=a." in line for line in examples) else ""
        made = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"examples:\n{''.join(examples)}{about_operands}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(run=run)
        return made

    def add_expression(made: Any, options: bool = True) -> None:
        made.add_argument("expression", help='such as "Z[i,j] = A[i,j] + B[i,j]"')
        made.add_argument(
            "-f",
            "--format",
            action="append",
            default=[],
            metavar="NAME:FORMAT",
            help="how an operand, or the result, is stored: A:csr, Z:dense",
        )
        if options:
            made.add_argument("--threads", type=int, help="use at most so many threads")
            made.add_argument("--parts", type=int, help="cut into so many parts")
            made.add_argument("--target", help=f"where to compute: {_TARGETS}")

    run = add("run", _run, "compute an expression")
    add_expression(run)
    _add_operands(run)
    run.add_argument(
        "-o",
        "--output",
        type=Path,
        help="the file for the result; without it, the result is shown in short",
    )
    explain = add("explain", _explain, "compute an expression, and tell how")
    add_expression(explain)
    _add_operands(explain)
    explain.add_argument("--html", type=Path, help="write a page to this file")
    partition = add("partition", _partition, "show where parts begin, and their costs")
    add_expression(partition, options=False)
    partition.add_argument("parts", type=int, help="into how many parts to cut")
    _add_operands(partition)
    ir = add("ir", _ir, "show what an expression is compiled to")
    add_expression(ir, options=False)
    ir.add_argument(
        "--stage",
        default="loops",
        help="a stage, such as loops (the default) or scf, or llvm, asm, ptx",
    )
    ir.add_argument("--target", default=CPU.name, help=f"where to compute: {_TARGETS}")
    explore = add("explore", _explore, "write a page with all that is compiled and cut")
    add_expression(explore, options=False)
    _add_operands(explore)
    explore.add_argument("--target", help=f"where to compute: {_TARGETS}")
    explore.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("explore.html"),
        help="the file for the page (explore.html)",
    )
    convert = add("convert", _convert, "write a tensor into a file of another kind")
    _add_files(convert)
    info = add("info", _info, "show versions, the machine, and the cache")
    info.add_argument("--clear", action="store_true", help="clear the cache before")
    return parser


def _add_files(convert: Any) -> None:
    convert.add_argument(
        "source",
        type=Path,
        metavar="FILE",
        help="the file to read, of a kind that the end of its name says",
    )
    convert.add_argument(
        "output", type=Path, metavar="OUTPUT", help="the file to write"
    )
    convert.add_argument("-f", "--format", help="store it as csr, coo, dense, ...")
    convert.add_argument("--dtype", help="make its values of a type, such as float32")


def _add_operands(made: Any) -> None:
    made.add_argument(
        "operands", nargs="*", metavar="NAME=FILE", help="operands: files, or numbers"
    )


def _formats(given: argparse.Namespace) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given.format:
        name, colon, format = each.partition(":")
        if not colon:
            raise OptionError(f"-f {each}: expected a name and a format, such as A:csr")
        found[name] = format
    return found


def _operands(given: argparse.Namespace) -> tuple[dict[str, Any], str | None]:
    """Return the operands by name, and the format of the result if it is asked for."""
    formats = _formats(given)
    found: dict[str, Any] = {}
    for each in given.operands:
        name, equals, value = each.partition("=")
        if not equals:
            raise OptionError(f"{each}: expected a name and a file, such as A=a.mtx")
        if name in found:
            raise OptionError(f"operand '{name}' is given twice")
        found[name] = _operand(value, formats.pop(name, None))
    out = formats.pop(parse(given.expression).result.name, None)
    if formats:
        raise OptionError(f"-f: '{next(iter(formats))}' is no operand and no result")
    return found, out


def _operand(value: str, format: str | None) -> Any:
    for kind in (int, float, complex):
        try:
            return kind(value)
        except ValueError:
            continue
    tensor = nacho.read(value)
    if format is None and tensor.ndim == 2 and not tensor.format.is_dense:
        format = "csr"
    return tensor if format is None else tensor.convert(Format(format))


def _options(given: argparse.Namespace) -> dict[str, Any]:
    options = {name: getattr(given, name) for name in ("threads", "parts", "target")}
    return {name: value for name, value in options.items() if value is not None}


# --- Commands -------------------------------------------------------------------------


def _say_written(path: Path) -> None:
    print(f"wrote {path}, {path.stat().st_size} bytes")


def _run(given: argparse.Namespace) -> None:
    operands, out = _operands(given)
    options = {"out": out, "progress": sys.stderr.isatty(), **_options(given)}
    result = nacho.evaluate(given.expression, operands, **options)
    if given.output is not None:
        nacho.write(given.output, result)
        _say_written(given.output)
    else:
        print(result)


def _explain(given: argparse.Namespace) -> None:
    operands, out = _operands(given)
    found = nacho.explain(given.expression, operands, out=out, **_options(given))
    if given.html is None:
        print(found, end="")
    else:
        found.to_html(given.html)
        _say_written(given.html)


def _partition(given: argparse.Namespace) -> None:
    operands, _ = _operands(given)
    found = nacho.partition(given.expression, given.parts, operands)
    print(
        f"loops {', '.join(found.order)}; cost {found.total}; bound {2 * found.delta}"
    )
    for part, cost in enumerate(found.costs):
        begin, end = (tuple(map(int, found.bounds[part + n])) for n in (0, 1))
        print(f"part {part}: from {begin} to {end}, cost {cost}")


def _ir(given: argparse.Namespace) -> None:
    kernel = nacho.mlir.compile(
        given.expression, formats=_formats(given), target=given.target
    )
    if isinstance(kernel, nacho.mlir.Function):
        raise UnsupportedError(f"{kernel!r}: IR is shown of one kernel at a time")
    known = dict.fromkeys((*kernel.stages, *_TEXTS))
    if given.stage not in known:
        raise OptionError(f"--stage {given.stage}: expected one of {', '.join(known)}")
    show = {"llvm": kernel.llvm, "asm": kernel.asm, "ptx": kernel.ptx}
    text = show[given.stage]() if given.stage in show else kernel.mlir(given.stage)
    print(text.rstrip())


def _explore(given: argparse.Namespace) -> None:
    formats = _formats(given)
    operands, out = _operands(given) if given.operands else (None, None)
    if operands is not None:
        result = parse(given.expression).result.name
        formats = {} if out is None else {result: out}
    page = page_of(explored(given.expression, formats, operands, given.target))
    given.output.write_text(page, encoding="utf-8")
    _say_written(given.output)


def _convert(given: argparse.Namespace) -> None:
    if given.format is not None:
        Format(given.format)  # refuses what is no format before a large file is read
    tensor = nacho.read(given.source, format=given.format, dtype=given.dtype)
    nacho.write(given.output, tensor)
    print(f"read {tensor!r}")
    _say_written(given.output)


def _info(given: argparse.Namespace) -> None:
    import numpy

    from nacho import _nacho

    if given.clear:
        print(f"removed {cache.clear()} kernels from the cache")
        return
    kept = cache.info()
    size = f"{kept.kernels} kernels, {kept.bytes / 2**20:.1f} MiB"
    place = kept.directory or "nothing is kept"
    lines = {
        "nacho": nacho.__version__,
        "LLVM": _nacho.LLVM_VERSION,
        "Python": f"{platform.python_version()}, NumPy {numpy.__version__}",
        "CPU": f"{_nacho.cpu_name()}, {len(os.sched_getaffinity(0))} threads",
        "GPU": _gpu(),
        "cache": kept.refusal or f"{place}: {size}",
    }
    for title, text in lines.items():
        print(f"{title:<8}{text}")


def _gpu() -> str:
    """Say whether kernels can run on a GPU; if not, why."""
    try:
        nacho.asarray([0.0]).to(GPU.name)
    except NachoError as error:
        return str(error).splitlines()[0]
    return "the first one of CUDA's can be used"
