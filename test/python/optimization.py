"""Kernels that LLVM does not optimise: they compile in less than half the time."""

from __future__ import annotations

import pytest

from nacho._kernels import copies, evaluation, specialisers
from nacho._kernels.cache import Cache

_SPECIALISERS, _REPEATABLE, _COPIES = Cache(), Cache(), Cache()


def leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not optimise what is compiled, here and in processes that are started.

    Kernels of ``nacho.evaluate`` and of conversions have caches of their own meanwhile,
    so that no result depends on which tests were run before.
    """
    monkeypatch.setenv("NACHO_OPTIMIZE", "0")
    monkeypatch.setattr(specialisers, "_specialisers", _SPECIALISERS)
    monkeypatch.setattr(evaluation, "_repeatable", _REPEATABLE)
    monkeypatch.setattr(copies, "_specialisations", _COPIES)
