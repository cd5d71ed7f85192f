"""The targets that tests run kernels on, and comparisons of their results.

Tests that are marked ``any_target`` run on the host and, by option, on a GPU or on a
simulated one. They call ``nacho.evaluate``, ``nacho.einsum`` and ``nacho.mlir.compile``
as always: for such a run these are replaced by functions whose ``target`` is another
one unless the test names it. Each call is then computed on the host, too, with as many
parts, and both results have to be the same, bit for bit.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from typing import Any, NoReturn

import hypothesis
import pytest

import nacho
import oracle
from checks import same_numbers

HOST, SIMULATED, GPU = "cpu", "cuda-sim", "cuda"
NAMES = (HOST, SIMULATED, GPU)
BY_DEFAULT = (HOST, SIMULATED)

_ROUNDED = re.compile(r"\b(exp|log|sin|cos|tanh)\(")
"""The functions that CUDA's libdevice rounds in another way than the C library."""
_REFUSALS = ("libdevice", "of complex numbers has no lowering for GPUs")
"""What errors say of functions that a GPU does not have."""


@functools.cache
def missing(target: str) -> str:
    """Return what a target needs and this machine lacks; empty if it can be used."""
    if target != GPU:
        return ""
    name = os.environ.get("NACHO_LIBCUDA") or "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError as error:
        return f"no GPU: NVIDIA's driver cannot be loaded: {error}"
    status = driver.cuInit(0)
    if status:
        return f"no GPU: {name} is here, but cuInit returned {status}"
    count = ctypes.c_int()
    status = driver.cuDeviceGetCount(ctypes.byref(count))
    if status or not count.value:
        return f"no GPU: {name} is here, but finds no device"
    return ""


@functools.cache
def has_libdevice() -> bool:
    """Return whether the driver runs functions of CUDA's libdevice.

    The driver of tests does not interpret all their instructions.
    """
    driver = ctypes.CDLL(os.environ.get("NACHO_LIBCUDA") or "libcuda.so.1")
    return not hasattr(driver, "nacho_allocated_bytes")


def use(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels run on a target unless a test names another one."""
    if target == HOST:
        return
    for owner, name in ((nacho, "evaluate"), (nacho, "einsum")):
        called = _called(getattr(owner, name), target)
        monkeypatch.setattr(owner, name, called)
    compiled = _compiled(nacho.mlir.compile, target)
    monkeypatch.setattr(nacho.mlir, "compile", compiled)


def _options(target: str) -> dict[str, Any]:
    """Return the options with which operands of the host are copied to a target."""
    return {"target": target, "device": 0} if target == "cuda" else {"target": target}


def _called(function: Any, target: str) -> Any:
    """Return ``evaluate`` or ``einsum`` with another target by default."""

    @functools.wraps(function)
    def call(text: Any, /, *operands: Any, **named: Any) -> Any:
        if "target" in named:
            return function(text, *operands, **named)
        _require_functions(text, target)
        found = _run(lambda: function(text, *operands, **_options(target), **named))
        if _is_comparable(text, named.get("parts"), target):
            _check(lambda more: function(text, *operands, **named | more), named, found)
        return found

    return call


def _compiled(function: Any, target: str) -> Any:
    """Return ``compile`` with another target by default."""

    @functools.wraps(function)
    def compile(expr: Any, *pinned: Any, **options: Any) -> Any:
        if "target" in options:
            return function(expr, *pinned, **options)
        _require_functions(expr, target)
        kernel = _run(lambda: function(expr, *pinned, **_options(target), **options))
        return Compared(
            kernel, lambda more: function(expr, *pinned, **options | more), options
        )

    return compile


class Compared:
    """A kernel whose results are compared with those of the host.

    In all else it is the kernel itself. The host's is compiled when it is needed.
    """

    def __init__(self, kernel: Any, on_host: Any, options: dict[str, Any]) -> None:
        self._kernel = kernel
        self._compile = on_host
        self._options = options
        self._compiled: dict[bool, Any] = {}

    def _on_host(self, more: dict[str, Any]) -> Any:
        known = self._compiled
        if bool(more) not in known:
            known[bool(more)] = self._compile(more)
        return known[bool(more)]

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        kernel = self._kernel
        found = _run(lambda: kernel(*operands, **named))
        parts = named.get("parts", kernel.parts)
        if _is_comparable(kernel.expression, parts, kernel.target):
            on_host = self._on_host
            _check(lambda more: on_host(more)(*operands, **named), self._options, found)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def _is_comparable(text: Any, parts: int | None, target: str) -> bool:
    """Return whether the result of an expression is the same on the host, bit for bit.

    Without a number of parts, targets may cut reductions at different places.
    """
    if target == GPU and _ROUNDED.search(str(text)):
        return False
    is_statement = isinstance(text, str) and "=" in text
    return parts is not None or (is_statement and not oracle.reduces(text))


def _check(on_host: Any, options: dict[str, Any], found: Any) -> None:
    """Check that the result of another target is what the host computes.

    ``on_host`` takes further options than ``options``. A GPU may sort products where
    the host adds them to a few rows of sums, which is another order of adding them up:
    then the host is asked to sort them, too.
    """
    first = on_host({})
    if not same_numbers(first, found) and "choices" not in options:
        first = on_host({"choices": {"sort-products": True}})
    compare(first, found)


def compare(on_host: Any, found: Any) -> None:
    """Check that the result of another target is the one of the host."""
    assert type(found) is type(on_host)
    assert same_numbers(found, on_host), (found, on_host)


def _require_functions(text: Any, target: str) -> None:
    """Give up a test whose functions the driver of tests cannot run."""
    if target == GPU and _ROUNDED.search(str(text)) and not has_libdevice():
        _give_up("the driver of tests has no functions of libdevice")


def _run(call: Any) -> Any:
    """Run what a GPU may have no functions for; then there is no such test."""
    try:
        return call()
    except nacho.NachoError as error:
        if not any(refusal in str(error) for refusal in _REFUSALS):
            raise
        _give_up(f"no function of a GPU: {error}")


def _give_up(reason: str) -> NoReturn:
    """Skip a test, or draw another example in place of this one."""
    if hypothesis.currently_in_test_context():
        hypothesis.reject()
    pytest.skip(reason)
