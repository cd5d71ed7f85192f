"""The pages of the site that are generated: passes, ops, operators, files, the API.

Passes and ops are documented in TableGen, from which mlir-tblgen makes Markdown. The
pages of the API ask Sphinx for the docstrings of the public names, so that a name that
is added has to be added here, too, as a test says.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import nacho
import nacho.mlir
from nacho._notation.functions import FUNCTIONS
from nacho._notation.operators import OPERATORS, Operator

ROOT = Path(__file__).resolve().parents[2]

PASSES = {
    "transforms": "Transforms: from index notation to bounded loops",
    "optimizations": "Optimizations: rewrites that only make it faster",
    "conversion": "Conversion: from loops to the dialects of a backend",
    "sparsifier": "Sparsifier: kernels in modules of other code",
}
"""The folders with passes, and the titles of their pages."""


def generated() -> dict[str, str]:
    """Return the pages that are generated, by their paths."""
    pages = {
        f"reference/{folder}.md": passes(folder, title)
        for folder, title in PASSES.items()
    }
    return {
        **pages,
        "reference/dialect.md": dialect(),
        "reference/operators.md": operators(),
        "reference/choices.md": choices(),
        **{f"api/{page.name}.md": page.text() for page in API},
        "api/index.md": _contents("API reference", [page.name for page in API]),
        "reference/index.md": _contents(
            "Reference of the compiler",
            ["operators", "dialect", *PASSES, "choices", "glossary", "every-file"],
        ),
    }


def _contents(title: str, names: Iterable[str]) -> str:
    listed = "\n".join(names)
    return f"# {title}\n\n```{{toctree}}\n:maxdepth: 2\n\n{listed}\n```\n"


# --- TableGen -------------------------------------------------------------------------


def _llvm(what: str) -> str:
    asked = ["llvm-config-22", f"--{what}"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout[:-1]


def _tablegen(file: str, *options: str) -> str:
    include = ROOT / "include"
    command = [f"{_llvm('bindir')}/mlir-tblgen", f"-I{include}"]
    command += [f"-I{_llvm('includedir')}", str(include / "nacho" / file), *options]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    # Its first line says that it is generated.
    return made.stdout.partition("\n")[2].lstrip()


def passes(folder: str, title: str) -> str:
    """Return the page of the passes of a folder, with a heading for each."""
    text = _tablegen(f"{folder.capitalize()}/Passes.td", "-gen-pass-doc")
    text = re.sub(r"^### `-([\w-]+)`$", r"## `--\1`", text, flags=re.MULTILINE)
    return f"# {title}\n\n{_one_level_up(text)}"


def dialect() -> str:
    """Return the page of the ops, attributes and types of the dialect."""
    text = _tablegen("IR/Nacho.td", "-gen-dialect-doc", "-dialect=nacho")
    return text.replace("# 'nacho' Dialect", "# The dialect", 1).replace("[TOC]\n", "")


def _one_level_up(text: str) -> str:
    return re.sub(r"^####? (?=\w)", "### ", text, flags=re.MULTILINE)


# --- Tables ---------------------------------------------------------------------------


def operators() -> str:
    """Return the page with a table of all operators and functions."""
    lines = [
        "# Operators and functions",
        "",
        "The table is `include/nacho/IR/Operators.td`, from which the compiler and the "
        "Python package are built. [The notation](../notation.md) says what they mean "
        "for entries that are not stored.",
        "",
        "| Notation | In Python | NumPy | Types | Where the result has entries |",
        "|---|---|---|---|---|",
    ]
    lines += [_operator_row(each) for each in OPERATORS.values()]
    lines += ["", "Functions that are written with these operators:", ""]
    known = {each.function for each in OPERATORS.values()}
    lines += [
        f"- `nacho.{name}`: {_summary(function)}"
        for name, function in FUNCTIONS.items()
        if name not in known
    ]
    return "\n".join(lines) + "\n"


def _summary(function: object) -> str:
    text = (function.__doc__ or "").removeprefix("Return ").replace("``", "`")
    return text[:1].upper() + text[1:]


def _operator_row(operator: Operator) -> str:
    spelling = operator.spelling.replace("|", r"\|")
    written = {1: f"{spelling}x", 2: f"x {spelling} y"}
    if operator.grammar == "call":
        arguments = ", ".join(("x", "y", "z")[: operator.arity])
        written[operator.arity] = f"{spelling}({arguments})"
    python = f"`nacho.{operator.function}`" if operator.function else "the same"
    numpy = f"`{operator.numpy}`" if operator.numpy else ""
    cells = (
        f"`{written[operator.arity]}`",
        python,
        numpy,
        _types(operator),
        _pattern(operator),
    )
    return f"| {' | '.join(cells)} |"


def _types(operator: Operator) -> str:
    if operator.is_integral:
        return "integers and bools"
    texts = ["no complex numbers"] if operator.needs_order else []
    texts += ["no bools"] if operator.refuses_bools else []
    texts += ["integers become f64"] if operator.is_fractional else []
    return ", ".join(texts) or "all"


def _pattern(operator: Operator) -> str:
    if operator.annihilator == "either":
        return "where both operands have one"
    if operator.annihilator == "dividend":
        return "where the dividend has one"
    if operator.name == "where":
        return "where `x` and `y` have one, or `z` has"
    if operator.name == "pow":
        return "where `x` has one, if `y` is a positive number"
    if operator.numpy and _of_zeros(operator) != 0:
        return "everywhere, since it is not 0 for zeros"
    return f"where {'the' if operator.arity == 1 else 'one'} operand has one"


def _of_zeros(operator: Operator) -> float:
    with np.errstate(all="ignore"):
        return getattr(np, operator.numpy)(*[0] * operator.arity)


_CHOICE = re.compile(
    r'NACHO_(?:CHOICE|VALUE)\(\w+, (\w+), (?:\w+, )?"([\w-]+)",\s*'
    r'(?:"([\w-]+)",\s*)?((?:"[^"]*"\s*)+)\)'
)
_OPTION = re.compile(
    r'NACHO_OPTION\([\w:]+, \w+, "([\w-]+)", ([^,]+),\s*((?:"[^"]*"\s*)+)\)'
)


def choices() -> str:
    """Return the page of everything that a module is compiled with."""
    text = (ROOT / "include/nacho/Execution/CompileOptions.def").read_text()
    lines = [
        "# Options of compilation",
        "",
        "Options of the pipelines `--nacho-cpu`, `--nacho-cuda` and "
        "`--nacho-cuda-sim`.",
        "",
        "## Variants",
        "",
        "These options choose a variant of a kernel: the operands of a call decide, "
        'unless `choices=` in Python does, as `{"drafts": True}`. All variants compute '
        "the same. Of three or more values, each includes those before it: what "
        "`choices=` turns on turns on these, too, and what it turns off turns off "
        "those after it.",
        "",
        "| Option | Value | In `choices=` | What it does |",
        "|---|---|---|---|",
    ]
    for option, value, name, what in _CHOICE.findall(text):
        if name:
            lines.append(f"| `{option}` | `{value}` | `{name}` | {_joined(what)} |")
        else:
            lines.append(f"| `{option}` | | | {_joined(what)}; by default `{value}` |")
    lines += [
        "",
        f"A kernel has the variants to which some call leads. Those of `{_PRODUCT}`, "
        "with matrices in CSR, have these choices on:",
        "",
        *(f"- {shown}" for shown in _variants(_PRODUCT, "csr")),
        "",
        "## All variants",
        "",
        "These options are the same for all variants of a kernel.",
        "",
        "| Option | By default | What it does |",
        "|---|---|---|",
    ]
    for name, initial, what in _OPTION.findall(text):
        lines.append(f"| `{name}` | `{initial.strip()}` | {_joined(what)} |")
    return "\n".join(lines) + "\n"


_PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"


def _variants(text: str, format: str) -> list[str]:
    """Return what is on in each variant that calls of a kernel can come to."""
    kernel = nacho.mlir.compile(text, formats=dict.fromkeys("ABZ", format))
    variants = kernel._default.native.variants()
    names = [
        [f"`{name}`" for name, is_on in each.items() if is_on] for each in variants
    ]
    return sorted((", ".join(each) or "none" for each in names), key=len)


def _joined(literals: str) -> str:
    return "".join(re.findall(r'"([^"]*)"', literals))


# --- The API --------------------------------------------------------------------------


class Page(NamedTuple):
    """A page of the API: a title, a sentence, and the names that it documents."""

    name: str
    title: str
    about: str
    names: tuple[str, ...]

    def text(self) -> str:
        directives = "\n\n".join(_directive(name) for name in self.names)
        return f"# {self.title}\n\n{self.about}\n\n```{{eval-rst}}\n{directives}\n```\n"


_WITH_INHERITED = {"nacho.Tensor", "nacho.Lazy"}
"""Classes whose users do not see that some methods are those of another class."""
_WHOLE_MODULES = {"nacho.array_api", "nacho.cache"}


def _directive(name: str) -> str:
    if name in _WHOLE_MODULES:
        return f".. automodule:: {name}\n   :members:"
    if name.endswith(".Explanation"):
        # Sphinx cannot read the overloads of str's constructor.
        return f".. autoclass:: {name}()\n   :members:"
    if name.startswith(("nacho.torch.", "nacho.dask.")):
        kind = "class" if name.rpartition(".")[2][0].isupper() else "function"
    else:
        kind = "class" if isinstance(named(name), type) else "function"
    options = "\n   :members:" if kind == "class" else ""
    if name in _WITH_INHERITED:
        options += "\n   :inherited-members: object"
    return f".. auto{kind}:: {name}{options}"


def named(name: str) -> object:
    """Return what a dotted name stands for."""
    found: object = nacho
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def _errors() -> tuple[str, ...]:
    kinds = (nacho.NachoError, nacho.NachoWarning)
    found = [
        name
        for name in nacho.__all__
        if isinstance(each := getattr(nacho, name), type) and issubclass(each, kinds)
    ]
    first = ["NachoError", *(name for name in found if name != "NachoError")]
    return tuple(f"nacho.{name}" for name in first)


API = (
    Page(
        "computing",
        "Computing an expression",
        "What expressions mean is said in [the notation](../notation.md).",
        (
            "nacho.evaluate",
            "nacho.einsum",
            "nacho.explain",
            "nacho.Explanation",
            "nacho.partition",
            "nacho.Partition",
            "nacho.Nest",
            "nacho.Part",
            "nacho.Piece",
            "nacho.join",
            "nacho.load",
            "nacho.LoadedKernel",
        ),
    ),
    Page(
        "tensors",
        "Tensors, formats and files",
        "Containers of other libraries are operands, too; a tensor has any format.",
        (
            "nacho.Tensor",
            "nacho.Lazy",
            "nacho.Format",
            "nacho.asarray",
            "nacho.read",
            "nacho.write",
        ),
    ),
    Page(
        "expressions",
        "Expressions in Python",
        "What the notation writes as text can be written with Python's operators.",
        (
            "nacho.indices",
            "nacho.access",
            "nacho.Index",
            "nacho.Expression",
            *(f"nacho.{name}" for name in FUNCTIONS),
        ),
    ),
    Page(
        "semirings",
        "Semirings",
        "[The notation](../notation.md#semirings) says what they mean.",
        ("nacho.Semiring", "nacho.Monoid", "nacho.op", "nacho.Op"),
    ),
    Page(
        "gradients",
        "Gradients",
        "[A page](../gradients.md) shows them, and `nacho.torch`, which needs PyTorch.",
        ("nacho.grad", "nacho.torch.evaluate", "nacho.torch.SparseArrays"),
    ),
    Page(
        "dask",
        "More than one machine",
        "[A page](../clusters.md) shows them; they need Dask.",
        (
            "nacho.dask.evaluate",
            "nacho.dask.explain",
            "nacho.dask.Explanation",
            "nacho.dask.partition",
            "nacho.dask.from_tensor",
            "nacho.dask.from_array",
            "nacho.dask.from_delayed",
            "nacho.dask.read",
            "nacho.dask.Tensor",
        ),
    ),
    Page(
        "mlir",
        "The compiler's interface",
        "[Plans and partitions](../plans.md) shows how libraries use it.",
        tuple(
            f"nacho.mlir.{name}" for name in ("compile", "Kernel", "Function", "Plan")
        ),
    ),
    Page(
        "array-api",
        "Functions of the Array API",
        "They are what `T.__array_namespace__()` returns for a tensor `T`.",
        ("nacho.array_api",),
    ),
    Page(
        "cache",
        "The cache of compiled code",
        "Kernels are compiled once on a machine.",
        ("nacho.cache",),
    ),
    Page(
        "errors",
        "Errors and warnings",
        "Errors are also what a Python user expects: a `ShapeError` is a `ValueError`.",
        _errors(),
    ),
)


def public_names() -> set[str]:
    """Return every name that users may use, but the modules that have them."""
    names = {f"nacho.{name}" for name in (*nacho.__all__, *FUNCTIONS)}
    names |= {f"nacho.mlir.{name}" for name in nacho.mlir.__all__}
    return names - {"nacho.mlir", "nacho.__version__"}
