"""Parses the table `values` of an argument: rules for the values that a program reads."""

from problems.formula import Formula, FormulaError
from problems.schema import ValueRule
from problems.table import TomlTable
from problems.vocabulary import Dtype, Role, ValueOrder

ONE = Formula.parse("1")  # replaces a faulty formula
_RANGE = '{ least = "0.5", most = "2" }'


def parse_formula(table: TomlTable, key: str, text: str, *, fractions: bool = False) -> Formula:
    """Return the formula in `text`, or a placeholder, with a fault at `key`."""
    try:
        return Formula.parse(text, fractions=fractions)
    except FormulaError as error:
        table.fault(key, f'{error}; write it like "rows * cols"')
        return ONE


def parse_values(argument: TomlTable, role: Role, dtype: Dtype) -> ValueRule | None:
    """Return the rule for the values of an argument, None without one."""
    if not argument.has("values"):
        return None
    if role is Role.OUT:
        argument.fault("values", "an argument of role out is only written; remove it")
    if role is Role.SCALAR and argument.has("value"):
        argument.fault("values", "a scalar has a value, or values to draw it from; remove one of them")
    table = argument.table("values")
    rule = ValueRule(
        least=_bound(table, "least", dtype),
        most=_bound(table, "most", dtype),
        order=table.choice("order", ValueOrder) if table.has("order") else None,
        custom=table.flag("custom") if table.has("custom") else True,
    )
    table.close()
    if role is Role.SCALAR and (rule.least is None or rule.most is None):
        argument.fault("values", f"a scalar that is drawn needs least and most; write values = {_RANGE}")
    if rule.order is not None and role is Role.SCALAR:
        table.fault("order", "is for arrays; remove it")
    if rule.order is ValueOrder.PERMUTATION:
        if dtype.is_float or dtype is Dtype.BOOL:
            table.fault("order", f"{dtype} holds no indices; only an integer dtype has permutations")
        if rule.least is not None or rule.most is not None:
            table.fault("", "a permutation holds 0 to the length of a row less 1; remove least and most")
    return rule


def _bound(table: TomlTable, key: str, dtype: Dtype) -> Formula | None:
    if not table.has(key):
        return None
    text = table.text(key, most=200, example='"0"')
    return parse_formula(table, key, text, fractions=dtype.is_float) if text else ONE
