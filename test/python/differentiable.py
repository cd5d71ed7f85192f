"""Expressions that have derivatives, and operands where they have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._notation.parser import parse

Array = NDArray[Any]

SMOOTH = (
    "Z[i,j] = A[i,j] + 2 * B[i,j] - A[i,j] * B[i,j]",
    "Z[i,k] = A[i,j] * C[j,k]",
    "Z[i] = A[i,j] * x[j]",
    "y[j] = A[i,j] * x[i]",
    "Z[i,k] = A[i,j] * B[j,l] * C[l,k]",
    "Z[i,j] = A[i,j] * A[j,i]",
    "Z[i,k] = A[i,j] * A[k,j]",
    "Z[i,k] = A[i,j] * A[j,k]",
    "Z[k,i] = A[i,j] * A[j,l] * D[l,k] - A[i,l] * D[l,k]",
    "Z[j,i] = A[i,j] + A[j,i]",
    "Z[i,k] = M[i,k] * A[i,j] * C[j,k]",
    "Z[i,j,k] = A[i,j] * C[j,k] + T[i,j,k]",
    "Z[i,l] = T[i,j,k] * C[j,k] * E[l,k]",
    "z = A[i,j] * A[i,j]",
    "z = A[i,j] * x[i] * y[j]",
    "z = s * t - t",
    "Z[i,j] = s * A[i,j] + t",
    "Z[i,j] = A[i,j] * x[i] + y[j]",
    "Z[i] = b[i] + A[i,j] * x[j] - c[i]",
    "Z[i] = -(A[i,j] * x[j] + b[i])",
    "Z[i] = (A[i,j] + b[i]) * x[j]",
    "Z[i] = sum(j, A[i,j] + b[i])",
    "z = sum(i, j, A[i,j] + b[i] * s)",
    "Z[i] += A[i,j] / sum(j, A[i,j] * A[i,j])",
    "Z[i,j] = A[i,j] / B[i,j]",
    "Z[i,j] = A[i,j] / (1 + B[i,j] * B[i,j]) / 3",
    "Z[i,j] = 1 / A[i,j]",
    "Z[i,j] = A[i,j]**2 - A[i,j]**3 + A[i,j]**-2",
    "Z[i,j] = (A[i,j] * 2)**5",
    "Z[i,j] = A[i,j]**0 + A[i,j]**1",
    "Z[i,j] = sin(A[i,j]) * cos(B[i,j])",
    "Z[i,j] = tanh(A[i,j] + s)",
    "Z[i,j] = exp(-A[i,j]) + expm1(A[i,j] / 2)",
    "Z[i,j] = tan(A[i,j] / 2) + sinh(A[i,j]) * cosh(B[i,j])",
    "Z[i,j] = asin(A[i,j] / 2) - acos(B[i,j] / 2) + atan(A[i,j])",
    "Z[i,j] = asinh(A[i,j]) + atanh(B[i,j] / 2) + acosh(3 + A[i,j])",
    "Z[i,j] = cbrt(A[i,j]) * exp2(B[i,j])",
    "Z[i,j] = log2(3 + A[i,j]) + log10(3 + B[i,j])",
    "Z[i,j] = atan2(A[i,j], B[i,j])",
    "Z[i,j] = hypot(A[i,j], x[j]) + logaddexp(A[i,j], B[i,j])",
    "Z[i,j] = real(A[i,j]) * conj(B[i,j]) + imag(A[i,j])",
    "Z[i,j] = sigmoid(A[i,j] * x[j])",
    "Z[i,j] = 2**A[i,j]",
    "Z[i,j] = exp(A[i,j] * A[j,i])",
    "Z[i] = exp(sum(j, A[i,j] * x[j]))",
    "Z[i] = sin(sum(j, A[i,j] * tanh(sum(k, C[j,k] * w[k]))))",
    "Z[i,j] = exp(A[i,j]) / sum(k, exp(A[i,k]))",
    "Z[i] = prod(j, A[i,j])",
    "Z[i] *= A[i,j] * x[j]",
    "z = sum(i, prod(j, A[i,j]) * x[i])",
    "Z[i,k] = sum(j, A[i,j] * sum(l, D[j,l] * F[l,k]))",
)
"""Of numbers of both signs, none of which is near 0."""

POSITIVE = (
    "Z[i,j] = sqrt(A[i,j]) * log(B[i,j]) - log1p(A[i,j])",
    "Z[i] = sqrt(sum(j, A[i,j] * A[i,j]))",
    "Z[i,j] = A[i,j]**0.5 - A[i,j]**-1.5",
    "Z[i,j] = A[i,j]**B[i,j]",
    "Z[i,j] = A[i,j]**s + s**A[i,j]",
    "Z[i,j] = log(A[i,j]) / log(sum(j, A[i,j]))",
)
WITH_EDGES = (
    "Z[i,j] = abs(A[i,j]) - relu(B[i,j])",
    "Z[i,j] = max(A[i,j], B[i,j]) * min(A[i,j], 0.25)",
    "Z[i,j] = max(0, A[i,j]) + min(0, A[i,j] * x[j])",
    "Z[i,j] = max(A[i,j], A[j,i])",
    "Z[i,j] = A[i,j] % x[j] + fmod(A[i,j], B[i,j]) + A[i,j] * (A[i,j] // x[j])",
    "Z[i,j] = copysign(A[i,j], B[i,j]) + clip(A[i,j], 0.5, x[j]) + angle(A[i,j])",
    "Z[i,j] = A[i,j] * round(10 * B[i,j])",
    "Z[i,j] = where(A[i,j] > B[i,j], A[i,j] * x[j], B[i,j]**2)",
    "Z[i,j] = where(A[i,j], exp(B[i,j]), 0)",
    "Z[i,j] = where(A[i,j] > 0, log(A[i,j]), A[i,j])",
    "Z[i] = where(x[i] > 0, sqrt(x[i]), 0)",
    "Z[i] max= A[i,j] * x[j]",
    "Z[i] min= A[i,j]",
    "Z[i] = max(j, A[i,j]) * b[i]",
    "Z[i] = max(j, min(k, C[j,k] * w[k]) + A[i,j])",
    "Z[i,j] = exp(A[i,j] - max(k, A[i,k])) / sum(k, exp(A[i,k] - max(l, A[i,l])))",
    "Z[i,j] = sign(A[i,j]) * A[i,j] + floor(B[i,j]) * ceil(B[i,j]) * x[j]",
    "Z[i] = sum(j, A[i,j] * (A[i,j] > 0)) + count(j, A[i,j] > 0)",
    "Z[i,j] = A[i,j] * pattern(B)[i,j]",
    "Z[i,j] = A[i,j] * (A[i,j] == B[i,j]) + isnan(A[i,j]) * B[i,j]",
)
"""Functions whose derivative jumps somewhere; no number is near such a place."""

CASES = [
    *((text, "smooth") for text in SMOOTH),
    *((text, "positive") for text in POSITIVE),
    *((text, "edges") for text in WITH_EDGES),
]
"""Expressions, and what kind of operands they need."""

SPARSE = (
    ("Z[i,k] = A[i,j] * C[j,k]", "A"),
    ("Z[i] = A[i,j] * x[j] + b[i]", "A"),
    ("Z[i,j] = A[i,j] + 2 * B[i,j] - A[i,j] * B[i,j]", "AB"),
    ("Z[i,j] = A[i,j] * A[j,i]", "A"),
    ("Z[i,k] = A[i,j] * A[j,k]", "A"),
    ("Z[i,k] = M[i,k] * D[i,j] * C[j,k]", "M"),
    ("Z[i] = sum(j, A[i,j])", "A"),
    ("Z[i,j] = A[i,j] / B[i,j]", "A"),
    ("Z[i,j] = tanh(A[i,j]) - relu(A[i,j]) + A[i,j]**2", "A"),
    ("Z[i] = exp(sum(j, A[i,j] * x[j]))", "A"),
    ("Z[i] max= A[i,j]", "A"),
    (
        "Z[i,j] = pattern(A)[i,j] * exp(A[i,j])"
        " / sum(k, pattern(A)[i,k] * exp(A[i,k]))",
        "A",
    ),
    ("Z[i,j] = sin(A[i,j]) * x[j] - A[i,j] * y[i]", "A"),
    ("z = A[i,j] * x[i] * y[j]", "A"),
    ("Z[i,k] = A[i,j] * B[j,k]", "AB"),
    ("Z[i,j] = where(A[i,j] > 0.5, A[i,j]**2, 0)", "A"),
    ("Z[i,j] = 3 * A[i,j] * M[i,j]", "AM"),
)
"""Expressions, and the operands that are sparse."""


def shapes(text: str) -> dict[str, tuple[int, ...]]:
    """Return a shape for each operand: indices of one dimension have one extent."""
    accesses = parse(text).accesses
    extents = {index: "..ijkl".index(index[0]) for index in parse(text).indices}
    for _ in extents:
        for first in accesses:
            for other in accesses:
                if first.name == other.name:
                    for a, b in zip(first.indices, other.indices, strict=True):
                        extents[a] = extents[b] = max(extents[a], extents[b])
    return {
        access.name: tuple(extents[index] for index in access.indices)
        for access in accesses
    }


def operands(text: str, kind: str, rng: np.random.Generator) -> dict[str, Array]:
    """Return arrays of numbers that are not near 0, nor near each other."""
    found: dict[str, Array] = {}
    for name, shape in shapes(text).items():
        count = int(np.prod(shape))
        values = np.linspace(0.3, 1.7, count) + rng.uniform(0, 0.3 / count)
        values = rng.permutation(values)
        if kind != "positive":
            values *= rng.choice([-1, 1], count)
        found[name] = values.reshape(shape)
    return found
