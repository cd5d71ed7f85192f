"""Formats: names, level maps, and the encodings that they become."""

import copy
import pickle

import numpy as np
import pytest

import nacho
from nacho import Format
from nacho import _elements as elements
from nacho._storage.formats import known_names

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
    assert csc.kinds == ("dense", "compressed")
    assert csc.compressed == csc.stored == (1,)
    assert repr(csc) == "nacho.Format('csc')"
    assert Format("dcsr").compressed == (0, 1)
    coo = Format("coo").for_rank(3)
    assert (coo.compressed, coo.stored) == ((0,), (0, 1, 2))
    assert (coo.owners, coo.sharing[1]) == ((0, 1, 2), range(1, 2))
    pairs = Format(level_map("dense", *INTERLEAVED))
    assert (pairs.compressed, pairs.stored, pairs.owners) == ((1,), (1, 2), (1,))
    assert pairs.sharing == (range(1), range(1, 3), range(1, 3))


def test_only_dense_levels():
    dense, columns = Format("dense"), "(i, j) -> (j : dense, i : dense)"
    assert dense.is_dense
    assert dense.for_rank(3).is_dense
    assert Format(columns).is_dense
    assert not Format("csr").is_dense
    assert not Format("coo").is_dense


def test_names_of_dimensions_and_spaces_do_not_matter():
    assert Format("( i,j )->( i:dense ,j : compressed )") == Format("csr")


def test_encoding():
    assert Format("csr").encoding(64, 32) == (
        f"#sparse_tensor.encoding<{{ map = {CSR_MAP}, posWidth = 64, crdWidth = 32 }}>"
    )


def test_encoding_of_dense_levels():
    """They have no index arrays, and so no widths of them."""
    assert Format("dense").for_rank(2).encoding(64, 64) == (
        "#sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>"
    )


def test_any_rank():
    for name in ("coo", "coo-interleaved", "csf", "dense"):
        assert Format(name).rank is None
        assert Format(name) != Format("csr")
        with pytest.raises(nacho.FormatError, match="fits any rank"):
            Format(name).encoding(32, 32)


FAMILIES = {
    ("coo", 2): "(a, b) -> (a : compressed(nonunique), b : singleton(soa))",
    ("coo", 3): "(a, b, c) -> (a : compressed(nonunique), "
    "b : singleton(nonunique, soa), c : singleton(soa))",
    ("coo-interleaved", 2): "(a, b) -> (a : compressed(nonunique), b : singleton)",
    ("coo-interleaved", 3): "(a, b, c) -> (a : compressed(nonunique), "
    "b : singleton(nonunique), c : singleton)",
    ("csf", 3): "(a, b, c) -> (a : compressed, b : compressed, c : compressed)",
    ("dense", 2): "(a, b) -> (a : dense, b : dense)",
    ("dense", 1): "(a) -> (a : dense)",
}


@pytest.mark.parametrize("name, rank", FAMILIES)
def test_of_one_rank(name, rank):
    format = Format(name).for_rank(rank)
    assert format == Format(FAMILIES[name, rank])
    assert format.rank == rank
    assert format.for_rank(rank) is format
    assert Format(name).for_rank(rank) is format


@pytest.mark.parametrize("name, same", [("coo", "sparse-vector"), ("csf", "dcsr")])
def test_names_of_the_same_levels(name, same):
    """What has two names goes by the one that says the rank."""
    assert Format(name).for_rank(Format(same).rank) == Format(same)
    assert Format(name).for_rank(Format(same).rank).name == same


@pytest.mark.parametrize("name", ["coo", "coo-interleaved", "csf", "dense"])
def test_all_ranks(name):
    for rank in range(1, 9):
        format = Format(name).for_rank(rank)
        assert format.order == tuple(range(rank))
        assert format.require_compiled("A") is format


@pytest.mark.parametrize(
    ("name", "rank", "error", "message"),
    [
        ("csr", 3, nacho.FormatError, "format 'csr' is of rank 2, not of rank 3"),
        ("coo", 0, nacho.FormatError, "a scalar has no format 'coo'"),
        ("csf", 9, nacho.UnsupportedError, "rank 9 is not supported (supported: 1 to"),
    ],
)
def test_of_no_such_rank(name, rank, error, message):
    with pytest.raises(error) as caught:
        Format(name).for_rank(rank, "A")
    assert f"operand 'A': {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("(i,j,k) -> (i : compressed, j : compressed, k : compressed)", "csf"),
        ("(i,j) -> (i : dense, j : dense)", "dense"),
        ("(i,j) -> (i : compressed(nonunique), j : singleton(soa))", "coo"),
        ("(i,j) -> (i : compressed(nonunique), j : singleton)", "coo-interleaved"),
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
        "(d0, d1) -> (d0 : batch, d1 : compressed)",
        "(d0, d1) -> (d0 + d1 : dense, d1 : compressed)",
    ],
)
def test_foreign_level_maps(text):
    with pytest.raises(nacho.UnsupportedError):
        Format(text)


def level_map(*kinds):
    names = [f"d{n}" for n in range(len(kinds))]
    stored = [f"{name} : {kind}" for name, kind in zip(names, kinds, strict=True)]
    return f"({', '.join(names)}) -> ({', '.join(stored)})"


PAIR = ("compressed(nonunique)", "singleton(soa)")
INTERLEAVED = ("compressed(nonunique)", "singleton")
COMPILED = [
    (*INTERLEAVED, "compressed"),
    (*INTERLEAVED, *INTERLEAVED),
    ("dense", *INTERLEAVED, "dense"),
    ("compressed", "compressed(nonunique)", "singleton(nonunique)", "singleton"),
    ("compressed", "dense", "compressed"),
    (*PAIR, "compressed"),
    (*PAIR, *PAIR),
    ("dense", "dense", "compressed"),
    ("dense", *PAIR, "dense"),
    ("compressed", *PAIR),
    ("compressed", "dense", "dense"),
]
REFUSED = {
    ("compressed(nonunique)",): "the last level of coo is unique",
    ("compressed(nonunique)", "compressed"): "needs a singleton behind it",
    ("compressed", "singleton(soa)"): "a singleton needs 'compressed(nonunique)'",
    ("compressed", "singleton"): "a singleton needs 'compressed(nonunique)'",
    (*PAIR, *INTERLEAVED): "either all singletons are 'soa' or none is",
    ("compressed(nonunique)", "singleton(nonunique, soa)"): "the last level of coo",
    ("compressed(nonordered)",): "no level is 'nonordered'",
    ("dense",) * 9: "rank 9",
}


@pytest.mark.parametrize("kinds", COMPILED)
def test_compiled(kinds):
    format = Format(level_map(*kinds))
    assert format.require_compiled("A") is format


@pytest.mark.parametrize("kinds", REFUSED)
def test_not_compiled(kinds):
    message = refusal(Format(level_map(*kinds)).require_compiled, "A")
    assert message.startswith("operand 'A': format '")
    assert REFUSED[kinds] in message


def refusal(function, *args):
    with pytest.raises(nacho.UnsupportedError) as caught:
        function(*args)
    return str(caught.value)


@pytest.mark.parametrize("name", known_names())
def test_copies(name):
    format = Format(name)
    assert Format(format) == format
    assert pickle.loads(pickle.dumps(format)) == format
    assert copy.deepcopy(format) == format


def test_immutable():
    with pytest.raises(AttributeError):
        Format("csr").name = "csc"


# --- Element types --------------------------------------------------------------------


def test_element_types():
    assert elements.STORED.keys() == elements.MLIR.keys()
    for name, dtype in elements.STORED.items():
        assert elements.stored_name(dtype) == name
    for name, dtype in elements.ELEMENTS.items():
        assert elements.element_name(dtype) == name
    for other in ("f2", "u2", "u4", "u8", "g", "O", ">f8", "M8[s]", "U3"):
        assert elements.element_name(np.dtype(other)) is None
