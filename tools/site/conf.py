"""The configuration of Sphinx."""

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx
from sphinx.pycode.parser import VariableCommentPicker

project = "Nacho"
highlight_language = "none"
html_title = "Nacho"
html_theme = "furo"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["deflist", "dollarmath"]
# Links to headings of a page, as GitHub names them.
myst_heading_anchors = 4
html_show_copyright = False

# The site is built where there is no PyTorch.
autodoc_mock_imports = ["torch", "distributed", "dask"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
python_maximum_signature_line_length = 80
python_display_short_literal_types = True
# Types of properties name numpy.dtype, and some classes have a property dtype, too.
suppress_warnings = ["ref.python"]
# These are shown by their names, not as what they stand for.
autodoc_type_aliases = {
    name: name for name in ("Array", "ArrayLike", "Arrays", "DType", "DTypeLike")
}

MADE_BY_NACHO = frozenset(
    [
        "Explanation",
        "Expression",
        "Kernel",
        "Lazy",
        "Nest",
        "Part",
        "Partition",
        "Piece",
        "Plan",
        "Tensor",
    ]
)
"""Classes whose constructors are not for users."""


class MlirLexer(RegexLexer):
    """Colours MLIR; whatever it does not know stays black."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    tokens: ClassVar = {
        "root": [
            (r"//.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"[%@#!^][\w.$-]+", Name.Variable),
            (r"-?\d+(\.\d+)?(e[+-]?\d+)?\b", Number),
            (r"[a-z_]+(\.[a-z_0-9]+)+", Keyword),
            (r"[\w]+", Name),
            (r"[-+*/=<>:|&?]+", Operator),
            (r"(.|\n)", Text),
        ]
    }


def hide_constructor(
    _: Sphinx, what: str, name: str, *about: object
) -> tuple[str, None] | None:
    is_hidden = what == "class" and name.rpartition(".")[2] in MADE_BY_NACHO
    return ("", None) if is_hidden else None


def setup(app: Sphinx) -> None:
    # Overloads are for type checkers: the site has one signature for each function.
    VariableCommentPicker.is_overload = lambda self, decorators: False
    app.add_lexer("mlir", MlirLexer)
    app.connect("autodoc-process-signature", hide_constructor)
