"""Levels with a bit for each coordinate, which Nacho calls ``structured[0, m]``.

``crd`` has words of m bits, the lowest bit for the first coordinate; every fiber begins
with a new word. ``pos`` has the number of entries before each word, and at last that of
all entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacho._storage.level_kind import Array, LevelKind

_MOST = 32
"""The most bits of a word: those of the narrowest ``crd``."""


@dataclass(frozen=True)
class BitmapKind(LevelKind):
    """Levels with a bit for each coordinate."""

    word_size: int = _MOST

    @property
    def unsupported(self) -> str:
        if 1 <= self.word_size <= _MOST:
            return ""
        return f"a word of 'structured[0, m]' has 1 to {_MOST} bits"

    @property
    def fixes_crd(self) -> bool:
        return True

    def pos_length(self, parents: int, extent: int) -> int:
        return parents * self._words(extent) + 1

    def crd_length(self, parents: int, entries: int, extent: int) -> int:
        return parents * self._words(extent)

    def fibers(
        self, pos: Array | None, parents: int, extent: int
    ) -> tuple[Array, Array]:
        assert pos is not None
        if not extent:
            none = np.zeros(parents, pos.dtype)
            return none, none
        bounds = pos[:: self._words(extent)]
        return bounds[:-1], np.diff(bounds)

    def coordinates(self, crd: Array, extent: int) -> Array:
        words, places = self._bits(crd).nonzero()
        inside = words % (self._words(extent) or 1)
        return (inside * self.word_size + places).astype(crd.dtype)

    def stored(self, pos: Array, crd: Array, extent: int) -> tuple[Array, Array]:
        count = self._words(extent)
        fiber = np.repeat(np.arange(pos.size - 1), np.diff(pos))
        place = crd.astype(np.int64)
        words = np.zeros((pos.size - 1) * count, np.uint64)
        word = fiber * count + place // self.word_size
        bits = np.left_shift(np.uint64(1), (place % self.word_size).astype(np.uint64))
        np.bitwise_or.at(words, word, bits)
        before = np.bincount(word, minlength=words.size).cumsum()
        made = np.append(0, before).astype(pos.dtype)
        return made, words.astype(crd.dtype)

    def wrong_position(self, pos: Array, crd: Array) -> tuple[int, str] | None:
        before = np.append(0, self._bits(crd).sum(axis=1).cumsum())
        wrong = np.flatnonzero(pos != before)
        if not wrong.size:
            return None
        place = int(wrong[0])
        return place, f"expected {before[place]}, the number of bits before the word"

    def wrong_coordinate(
        self, pos: Array | None, crd: Array, extent: int, threads: int
    ) -> tuple[int, str] | None:
        words = self._words(extent)
        if not words:
            return None
        places = np.arange(words * self.word_size).reshape(words, -1)
        bits = self._bits(crd).reshape(-1, *places.shape)
        wrong = np.argwhere(bits & (places >= extent))
        return (int(wrong[0][0] * words + wrong[0][1]), "range") if wrong.size else None

    def _words(self, extent: int) -> int:
        """Return the number of words of a fiber."""
        return -(-extent // self.word_size)

    def _bits(self, crd: Array) -> Array:
        """Return a row of the bits, the lowest first, for each word."""
        octets = crd.astype("<i8").view(np.uint8).reshape(-1, 8)
        bits = np.unpackbits(octets, axis=1, bitorder="little")
        return bits[:, : self.word_size].astype(np.bool_)
