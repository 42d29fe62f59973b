"""The arguments of `solve` as the catalogue keeps them: JSON values in `Problem.signature`."""

from collections.abc import Mapping
from typing import Any

from problems.formula import Formula
from problems.schema import Argument, ValueRule
from problems.vocabulary import ArrayMemory, Dtype, Role, ValueOrder


def to_row(argument: Argument) -> dict[str, Any]:
    """Return `argument` as JSON values."""
    return {
        "name": argument.name,
        "role": argument.role.value,
        "dtype": argument.dtype.value,
        "shape": [formula.text for formula in argument.shape],
        "value": argument.value.text if argument.value else None,
        "values": _rule_to_row(argument.values) if argument.values else None,
        "memory": argument.memory.value,
        "device": argument.device,
    }


def from_row(row: Mapping[str, Any]) -> Argument:
    """Return the argument for the JSON values of `to_row`. It has no tolerance.

    Old rows have no information about values. They allow no custom values for scalars.
    """
    dtype, role = Dtype(row["dtype"]), Role(row["role"])
    rule = row.get("values")
    if "value" not in row and role is Role.SCALAR:
        rule = {"custom": False}
    return Argument(
        row["name"],
        role,
        dtype,
        tuple(Formula.parse(text) for text in row["shape"]),
        value=_formula(row.get("value"), dtype),
        values=_rule_from_row(rule, dtype) if rule else None,
        memory=ArrayMemory(row.get("memory", ArrayMemory.DEVICE)),
        device=row.get("device", 0),
    )


def _rule_to_row(rule: ValueRule) -> dict[str, Any]:
    return {
        "least": rule.least.text if rule.least else None,
        "most": rule.most.text if rule.most else None,
        "order": rule.order.value if rule.order else None,
        "custom": rule.custom,
    }


def _rule_from_row(row: Mapping[str, Any], dtype: Dtype) -> ValueRule:
    return ValueRule(
        _formula(row.get("least"), dtype),
        _formula(row.get("most"), dtype),
        ValueOrder(row["order"]) if row.get("order") else None,
        row["custom"],
    )


def _formula(text: str | None, dtype: Dtype) -> Formula | None:
    return None if text is None else Formula.parse(text, fractions=dtype.is_float)
