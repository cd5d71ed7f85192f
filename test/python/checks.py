"""What every result has to satisfy: its structure, its pattern, its values."""

from __future__ import annotations

from typing import Any

import numpy as np

import oracle
from entries import crd_of, pattern

# --- Buffers --------------------------------------------------------------------------


def buffers(result: Any) -> list[Any]:
    """Return the arrays of a result, in the order of its levels."""
    if hasattr(result, "crd"):
        pairs = zip(result.pos, result.crd, strict=True)
        arrays = [array for pair in pairs for array in pair if array is not None]
        return [*arrays, result.values]
    if hasattr(result, "indptr"):
        return [result.indptr, result.indices, result.data]
    if hasattr(result, "coords"):
        return [*result.coords, result.data]
    return [np.asarray(result)]


def same(one: Any, other: Any) -> bool:
    """Return whether two results are the same, bit for bit."""
    pairs = zip(buffers(one), buffers(other), strict=True)
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def same_numbers(one: Any, other: Any) -> bool:
    """Return whether two results are the same, whatever the bits of a NaN are.

    Which of two NaNs a product is depends on how the code is vectorised.
    """
    pairs = zip(buffers(one), buffers(other), strict=True)
    return all(
        a.dtype == b.dtype and _numbers(a).tobytes() == _numbers(b).tobytes()
        for a, b in pairs
    )


def _numbers(array: Any) -> Any:
    parts = np.array(array, copy=True, order="C")
    if parts.dtype.kind == "c":
        parts = parts.reshape(-1).view(parts.real.dtype)
    if parts.dtype.kind == "f":
        parts[np.isnan(parts)] = np.nan
    return parts


# --- Structure ------------------------------------------------------------------------


def check_structure(result: Any) -> None:
    """Check that entries are sorted and distinct, and that no inner fibre is empty."""
    if hasattr(result, "crd"):
        _check_levels(result)
    elif hasattr(result, "indptr"):
        row_major = result.format == "csr"
        extents = result.shape[:: 1 if row_major else -1]
        fibres = extents[0] if len(extents) == 2 else 1
        arrays = (result.indptr, (result.indices,), extents[-1:])
        assert _check_fibres(fibres, *arrays, inner=False) == result.data.size
        assert result.has_canonical_format
    elif hasattr(result, "coords"):
        pos = np.array([0, result.data.size])
        _check_fibres(1, pos, result.coords, result.shape, inner=False)
        assert result.has_canonical_format


def _check_levels(result: Any) -> None:
    levels, level, count = result.format.levels, 0, 1
    if levels and levels[-1][1].startswith("structured[0,"):
        assert pattern(result).sum() == result.values.size
        return
    while level < len(levels):
        dimension, kind = levels[level]
        if kind == "dense":
            assert result.pos[level] is None
            assert result.crd[level] is None
            count *= result.shape[dimension]
            level += 1
            continue
        inner = level > 0 and levels[level - 1][1] == "compressed"
        end = _end_of_group(levels, level)
        assert all(pos is None for pos in result.pos[level + 1 : end])
        extents = [result.shape[dimension] for dimension, _ in levels[level:end]]
        crds = [crd_of(result, each) for each in range(level, end)]
        count = _check_fibres(count, result.pos[level], crds, extents, inner)
        level = end
    assert result.values.size == count


def _end_of_group(levels: Any, level: int) -> int:
    """Return the level after a compressed one and the singletons that follow it."""
    end = level + 1
    while end < len(levels) and levels[end][1].startswith("singleton"):
        end += 1
    return end


def _check_fibres(fibres: int, pos: Any, crds: Any, extents: Any, inner: bool) -> int:
    """Check the entries of a level, or of a group of levels; return their number."""
    count = crds[0].size
    assert pos.shape == (fibres + 1,)
    assert pos[0] == 0
    assert pos[-1] == count
    assert (np.diff(pos) >= (1 if inner else 0)).all()
    rank = np.zeros(count, np.int64)
    for crd, extent in zip(crds, extents, strict=True):
        assert crd.shape == (count,)
        assert ((crd >= 0) & (crd < extent)).all()
        rank = rank * extent + crd
    starts = np.zeros(count + 1, bool)
    starts[pos] = True
    assert (np.diff(rank)[~starts[1:-1]] > 0).all()
    return count


# --- Values ---------------------------------------------------------------------------


def check(result: Any, text: str, operands: dict[str, Any]) -> None:
    """Check a result against the dense oracle."""
    answer = oracle.solve(text, operands)
    assert result.dtype == answer.value.dtype
    check_answer(result, answer)


def check_answer(
    result: Any, answer: oracle.Answer, *, any_infinity: bool = False
) -> None:
    """Check a result, of whatever type, against an answer of the oracle.

    With ``any_infinity``, a number that is not finite need only be that.
    """
    check_structure(result)
    assert result.shape == answer.value.shape
    value, found = oracle.entries(result)
    if hasattr(result, "format"):
        assert answer.sparse or found.all()
        levels = result.format.levels if hasattr(result, "crd") else ((0, "stored"),)
        np.testing.assert_array_equal(found, oracle.closed(answer.pattern, levels))
    error = answer.error
    converted = result.dtype != answer.value.dtype and result.dtype.kind in "fc"
    if error is not None and converted:
        eps = float(np.finfo(result.dtype).eps)
        error = error + eps * np.abs(answer.value)
    with np.errstate(all="ignore"):
        check_values(value, answer.value.astype(result.dtype), error, any_infinity)


def check_values(
    found: Any, wanted: Any, error: Any, any_infinity: bool = False
) -> None:
    """Check values: exactly, or within an error; infinities and NaN always."""
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, wanted)
        return
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    if wanted.dtype.kind == "f" and not any_infinity:
        np.testing.assert_array_equal(found[~finite], wanted[~finite])
    found, wanted = found[finite], wanted[finite]
    if error is None:
        np.testing.assert_array_equal(found, wanted)
        return
    distance = np.abs(found - wanted)
    wrong = distance > error[finite]
    assert not wrong.any(), (found[wrong], wanted[wrong], error[finite][wrong])
