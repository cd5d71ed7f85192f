"""The documentation site: its snippets run, its links lead somewhere, and its reference
has everything that there is."""

import ast
import importlib.util
import inspect
import re
import sys
from functools import cache
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

import nacho
from libraries import OF_SINC, needed
from markup import parsed

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "tools/site"
sys.path.insert(0, str(SITE))


def tool(name):
    """Import a module of the site's tools."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", SITE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


pictures, reference, snippets = map(tool, ("pictures", "reference", "snippets"))
speeds = pictures.speeds

PAGES = [ROOT / "README.md", *sorted(SITE.rglob("*.md"))]
WITH_SNIPPETS = [page for page in PAGES if snippets.snippets(page)]
GALLERY = [page for page in PAGES if page.parent.name == "gallery"]
generated = cache(reference.generated)


def shown(page):
    return str(page.relative_to(ROOT))


# --- Snippets -------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=shown)
def test_snippets(page, tmp_path, monkeypatch):
    needed(*sorted(snippets.required_modules(page) - {"nacho"}))
    monkeypatch.chdir(tmp_path)
    # Programs of the gallery count the words of NumPy's documentation.
    monkeypatch.setattr(np.sinc, "__doc__", OF_SINC)
    snippets.check(page)


def test_every_program_of_the_gallery_is_executed():
    assert len(GALLERY) == 1 + 13
    assert [page for page in GALLERY if page not in WITH_SNIPPETS] == [
        SITE / "gallery/index.md"
    ]


def test_code_is_never_without_a_check():
    """What is neither executed nor compared is a picture, or a command of a set-up."""
    languages = {"python", "sh", "text", "console", ""}
    for page in PAGES:
        fences = re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)
        assert len(fences) % 2 == 0, page
        odd = {fence for fence in fences[::2] if not fence.startswith("{")} - languages
        assert not odd, (page, odd)


def page_of(folder, text):
    page = folder / "page.md"
    page.write_text(text)
    return page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "prints"),
        ("```python\nprint(1)\n```\n", "prints"),
        ("```python\nx = 1\n```\n```text\n1\n```\n", "prints"),
        ("```python\nraise ValueError('bad')\n```\n", "bad"),
        ("```python\nimport warnings\nwarnings.warn('odd')\n```\n", "odd"),
        ("```sh\nexit 3\n```\n", "exit code 3"),
    ],
)
def test_wrong_pages_are_refused(tmp_path, text, message):
    with pytest.raises(snippets.SnippetError, match=message):
        snippets.check(page_of(tmp_path, text))


def test_outputs_are_written(tmp_path):
    text = (
        "a\n```python\nprint(1)\n```\nb\n\n```sh\necho 2\n```\n\n```text\n0\n```\nc\n"
    )
    page = page_of(tmp_path, text)
    snippets.write(page)
    snippets.check(page)
    assert page.read_text() == (
        "a\n```python\nprint(1)\n```\n```text\n1\n```\nb\n\n"
        "```sh\necho 2\n```\n```text\n2\n```\nc\n"
    )


# --- Links ----------------------------------------------------------------------------


def headings(text):
    """Return the names that GitHub gives to the headings of a page."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", plain, re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")
        for title in titles
    }


def text_of(path):
    """Return the text of a page that is written or generated; None if there is none."""
    if path.is_file():
        return path.read_text()
    inside = path.is_relative_to(SITE)
    return generated().get(str(path.relative_to(SITE))) if inside else None


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=shown)
def test_links(page):
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    for link in links:
        assert "://" not in link, "pages that are elsewhere may change"
        name, _, heading = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        text = text_of(target)
        assert text is not None, link
        assert not heading or heading in headings(text), link


def test_every_page_is_listed():
    """Sphinx asks for it, too, but the tests run without Sphinx."""
    listed = set()
    for page in [*PAGES, *generated()]:
        path = page if isinstance(page, Path) else SITE / page
        blocks = re.findall(r"```\{toctree\}\n(.*?)```", text_of(path), re.DOTALL)
        names = [line for block in blocks for line in block.split() if line[0] != ":"]
        listed |= {(path.parent / f"{name}.md").resolve() for name in names}
    written = {page for page in PAGES if page.is_relative_to(SITE)}
    written |= {SITE / name for name in generated()}
    assert written - listed == {SITE / "index.md"}


def test_pictures_are_those_of_the_library():
    for name, text in pictures.pictures().items():
        assert (pictures.FOLDER / name).read_text() == text, "run pictures.py"


def test_pictures_of_speeds_have_the_numbers_of_the_measurements():
    page = (SITE / "performance.md").read_text()
    assert speeds.section() in page, "run speeds.py"
    drawn = dict(speeds.pictures())
    assert len(drawn) == 11
    results = speeds.RESULTS.read_text()
    for kernel, (expression, rows) in speeds.speeds().items():
        text = results.partition(f"## {kernel}: `{expression}`, 2 threads")[2]
        text = text.partition("\n## ")[0]
        svg = parsed(drawn[f"speed-{kernel.replace('+', '-and-')}.svg"].svg())
        bars = svg.all("rect", "bar")
        assert len(bars) == len(rows) > 5
        for bar, speed in zip(bars, rows, strict=True):
            (line,) = re.findall(rf"^\| {re.escape(speed.workload)} .*$", text, re.M)
            assert f"| {float(bar['data-ratio']):.2f} " in line
            assert (float(bar["x"]) < 270) == (speed.ratio < 1)
        for text in svg.all("text"):
            # Of the fonts that browsers have for it, the widest takes 6.6 a character.
            end = 6.6 * len(text.text) if text["text-anchor"] == "start" else 0
            assert float(text["x"]) + end < float(svg.all("svg")[0]["width"])
    order = list(speeds.BY_SKEW)
    assert [row.workload for row in speeds.speeds()["csr-add"][1]] == order


def test_speeds_are_said_in_words():
    assert speeds.Speed("uniform", 2.04, "SciPy").text == "2 times as fast as SciPy"
    assert speeds.Speed("uniform", 0.5, "MKL").text == "2 times as slow as MKL"
    assert speeds.Speed("uniform", 1.0, "MKL").text == "as fast as MKL"


# --- The reference --------------------------------------------------------------------

TABLEGEN = sorted((ROOT / "include").rglob("*.td"))


def test_the_reference_has_every_pass():
    text = "".join(generated()[f"reference/{folder}.md"] for folder in reference.PASSES)
    flags = [
        flag
        for file in TABLEGEN
        for flag in re.findall(r'Pass<\s*"([\w-]+)"', file.read_text())
    ]
    assert len(flags) > 40
    assert [flag for flag in flags if f"\n## `--{flag}`\n" not in text] == []


def test_the_reference_has_every_op():
    text = generated()["reference/dialect.md"]
    ops = [
        op
        for file in TABLEGEN
        for op in re.findall(
            r'^def \w+Op\s*:\s*\w+<\s*"([\w.]+)"', file.read_text(), re.M
        )
    ]
    assert len(ops) > 50
    assert [op for op in ops if f"\n### `nacho.{op}` " not in text] == []


def test_the_reference_has_every_choice():
    from nacho._nacho import CHOICES

    text = generated()["reference/choices.md"]
    known = [*CHOICES, *nacho._kernels.option_checks.SHARED_CHOICES]
    assert [name for name in known if f"| `{name}` |" not in text] == []


DOCUMENTED = {name for page in reference.API for name in page.names}
IN_TORCH = {name for name in DOCUMENTED if name.startswith("nacho.torch.")}
IN_DASK = {name for name in DOCUMENTED if name.startswith("nacho.dask.")}
IN_NACHO = DOCUMENTED - IN_TORCH - IN_DASK


def test_the_reference_has_every_public_name():
    modules = {"nacho.array_api", "nacho.cache"}
    assert reference.public_names() == IN_NACHO
    assert modules < DOCUMENTED


def test_the_reference_has_every_public_name_of_torch():
    needed("torch")
    torch = importlib.import_module("nacho.torch")
    assert {f"nacho.torch.{name}" for name in torch.__all__} == IN_TORCH


def test_the_reference_has_every_public_name_of_dask():
    needed("distributed")
    dask = importlib.import_module("nacho.dask")
    assert {f"nacho.dask.{name}" for name in dask.__all__} == IN_DASK


def members(name):
    """Yield a public name, and the public ones of its members, with what they are."""
    found = reference.named(name)
    yield name, found
    if inspect.ismodule(found):
        for each in found.__all__:
            yield f"{name}.{each}", getattr(found, each)
    elif inspect.isclass(found) and not issubclass(found, nacho.NachoError | Warning):
        for each in dir(found):
            own = inspect.getattr_static(found, each)
            if not each.startswith("_") and not hasattr(str, each):
                yield f"{name}.{each}", own


def parameters(found):
    """Return the names of the parameters that a docstring has to mention."""
    function = getattr(found, "__func__", found)
    if not inspect.isfunction(function):
        return []
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    given = inspect.signature(function).parameters.values()
    return [
        each.name
        for each in given
        if each.kind in kinds and each.name not in ("self", "cls")
    ]


def fields():
    """Yield the fields of public classes, and the text behind each, if there is one."""
    classes = {found.__name__ for found in MEMBERS.values() if inspect.isclass(found)}
    for file in sorted((ROOT / "python/nacho").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.ClassDef) or node.name not in classes:
                continue
            for each, after in zip_longest(node.body, node.body[1:]):
                if isinstance(each, ast.AnnAssign) and each.target.id[0] != "_":
                    value = after.value if isinstance(after, ast.Expr) else None
                    text = value.value if isinstance(value, ast.Constant) else ""
                    yield f"{node.name}.{each.target.id}", text


MEMBERS = dict(pair for name in sorted(IN_NACHO) for pair in members(name))


@pytest.mark.parametrize("name", MEMBERS)
def test_names_are_described(name):
    found = MEMBERS[name]
    if not (callable(found) or isinstance(found, property | classmethod)):
        return
    text = inspect.getdoc(getattr(found, "__func__", found)) or ""
    assert text
    missing = [
        each for each in parameters(found) if not re.search(rf"\b{each}\b", text)
    ]
    assert missing == []


def is_read_as_a_type(text):
    """Return whether Sphinx takes the beginning of the text of a field for its type."""
    return ": " in text.partition("\n")[0]


def test_fields_are_described():
    found = dict(fields())
    assert len(found) > 15
    assert [name for name, text in found.items() if not text] == []
    assert [name for name, text in found.items() if is_read_as_a_type(text)] == []


def test_properties_have_no_text_that_is_read_as_a_type():
    found = {
        name: inspect.getdoc(each)
        for name, each in MEMBERS.items()
        if isinstance(each, property)
    }
    assert len(found) > 20
    assert [name for name, text in found.items() if is_read_as_a_type(text)] == []
