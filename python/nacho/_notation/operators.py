"""The table of operators: everything in Python that depends on single operators.

The build writes ``operators.json`` from ``include/nacho/IR/Operators.td``, from which
the compiler is built as well; that file says what each field means. The table is a file
and not part of the extension, so that ``import nacho`` does not load the compiler.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Operator:
    """One record of the table; ``Operators.td`` says what the fields mean."""

    name: str
    mnemonic: str
    arity: int
    spelling: str
    grammar: str
    noun: str
    function: str
    summary: str
    numpy: str
    needs_order: bool
    is_fractional: bool
    refuses_bools: bool
    is_integral: bool
    gives_real: bool
    annihilator: str
    identity: str
    bool_reduction: str
    reduces: str


def _operator(record: dict[str, Any]) -> Operator:
    """Read a record; operators of some arities lack some of the fields."""
    return Operator(
        name=record["name"],
        mnemonic=record["mnemonic"],
        arity=record["arity"],
        spelling=record["spelling"],
        grammar=record["grammar"],
        noun=record["noun"],
        function=record["function"],
        summary=record["summary"],
        numpy=record["numpy"],
        needs_order=bool(record["needsOrder"]),
        is_fractional=bool(record["isFractional"]),
        refuses_bools=bool(record["refusesBools"]),
        is_integral=bool(record["isIntegral"]),
        gives_real=bool(record.get("givesReal", 0)),
        annihilator=record.get("annihilator", "none"),
        identity=record.get("identity", "none"),
        bool_reduction=record.get("boolReduction", record["name"]),
        reduces=record.get("reduces", ""),
    )


def _operators() -> Iterable[Operator]:
    table = json.loads(Path(__file__).with_name("operators.json").read_bytes())
    records = (table[record] for record in table["!instanceof"]["Operator"])
    return (_operator(record) for record in records if record["spelling"])


OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _operators()}
"""All operators of the notation, by name."""


def written_in(grammar: str) -> dict[str, Operator]:
    """Return the operators that a rule of the grammar reads, by their spellings.

    ``nacho._notation.parser`` shows the grammar.
    """
    return {
        operator.spelling: operator
        for operator in OPERATORS.values()
        if operator.grammar == grammar
    }


REDUCERS: dict[str, Operator] = {
    operator.reduces: operator for operator in OPERATORS.values() if operator.reduces
}
"""The operators that reduce, by the names of explicit reductions, such as ``sum``."""

REDUCTIONS: dict[str, Operator] = {
    f"{operator.spelling}=": operator for operator in REDUCERS.values()
}
"""The operators that reduce, by the sign of the assignment, such as ``max=``."""

SUM = REDUCTIONS["+="]
"""The operator by which ``=`` reduces."""
