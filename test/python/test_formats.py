"""Formats: names, level maps, and the encodings that they become."""

import copy
import pickle

import pytest

import nacho
from nacho import Format
from nacho.formats import known_names

CSR_MAP = "(d0, d1) -> (d0 : dense, d1 : compressed)"
MAPS = {
    "csr": CSR_MAP,
    "dcsr": "(d0, d1) -> (d0 : compressed, d1 : compressed)",
    "csc": "(d0, d1) -> (d1 : dense, d0 : compressed)",
    "dcsc": "(d0, d1) -> (d1 : compressed, d0 : compressed)",
    "sparse-vector": "(d0) -> (d0 : compressed)",
}


@pytest.mark.parametrize("name", MAPS)
def test_a_name_is_short_for_a_level_map(name):
    named, mapped = Format(name), Format(MAPS[name])
    assert named == mapped
    assert hash(named) == hash(mapped)
    assert mapped.name == str(mapped) == name
    assert named.level_map() == MAPS[name]


def test_attributes():
    csc = Format("csc")
    assert csc.rank == 2
    assert csc.levels == ((1, "dense"), (0, "compressed"))
    assert csc.order == (1, 0)
    assert csc.compressed == (1,)
    assert repr(csc) == "nacho.Format('csc')"
    assert Format("dcsr").compressed == (0, 1)


def test_names_of_dimensions_and_spaces_do_not_matter():
    assert Format("( i,j )->( i:dense ,j : compressed )") == Format("csr")


def test_encoding():
    assert Format("csr").encoding(64, 32) == (
        f"#sparse_tensor.encoding<{{ map = {CSR_MAP}, posWidth = 64, crdWidth = 32 }}>"
    )


def test_any_rank():
    for name in ("coo", "csf", "dense"):
        assert Format(name).rank is None
        assert Format(name) != Format("csr")
        with pytest.raises(nacho.FormatError, match="fits any rank"):
            Format(name).encoding(32, 32)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(i,j,k) -> (i : compressed, j : compressed, k : compressed)", "csf"),
        ("(i,j) -> (i : dense, j : dense)", "dense"),
        ("(i,j) -> (i : compressed(nonunique), j : singleton(soa))", "coo"),
        (
            "(i,j,k) -> (i : compressed(nonunique), j : singleton(soa,nonunique), "
            "k : singleton(soa))",
            "coo",
        ),
        (
            "(i,j) -> (i:compressed,j:dense)",
            "(d0, d1) -> (d0 : compressed, d1 : dense)",
        ),
    ],
)
def test_canonical_names(text, name):
    assert Format(text).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("crs", "unknown format 'crs': expected one of csr, dcsr, csc, dcsc"),
        ("", "unknown format ''"),
        ("(d0, d1) ->", "is not a level map"),
        ("(d0, d0) -> (d0 : dense, d0 : dense)", "repeated dimension 'd0'"),
        ("(d0, d1) -> (d0 : dense)", "exactly one level"),
        ("(d0, d1) -> (d0 : dense, d0 : dense)", "exactly one level"),
        ("(d0, d1) -> (d0 : dense, d2 : dense)", "unknown dimension 'd2'"),
        ("(d0, d1) -> (d0 : dense, d1 : packed)", "unknown kind 'packed'"),
        ("(d0, d1) -> (d0 : dense, d1)", "expected 'd0 : kind', found 'd1'"),
        ("(d0, d1) -> (d0 : dense(soa), d1 : dense)", "'dense' cannot be 'soa'"),
        (7, "a format is a name or a level map, not int"),
    ],
)
def test_not_a_format(text, message):
    with pytest.raises(nacho.FormatError) as caught:
        Format(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "(d0, d1) -> (d0 floordiv 2 : dense, d1 : compressed)",
        "(d0, d1) -> (d0 : dense, d1 : loose_compressed)",
    ],
)
def test_foreign_level_maps(text):
    with pytest.raises(nacho.UnsupportedError):
        Format(text)


@pytest.mark.parametrize("name", ["coo", "csf", "dense", "sparse-vector"])
def test_not_compiled(name):
    with pytest.raises(nacho.UnsupportedError, match=f"operand 'A': format '{name}'"):
        Format(name).require_compiled("A")


@pytest.mark.parametrize("name", known_names())
def test_copies(name):
    format = Format(name)
    assert Format(format) == format
    assert pickle.loads(pickle.dumps(format)) == format
    assert copy.deepcopy(format) == format


def test_immutable():
    with pytest.raises(AttributeError):
        Format("csr").name = "csc"
