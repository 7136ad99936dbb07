"""A cost expression over arrays: all draws of the Monte Carlo at once, by the same grammar as one evaluation."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from engine.money.expressions import Expression, ExpressionError, rounded_to

Formula = Callable[[Mapping[str, Any]], Any]

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


_NEAR_TIE = 2e-14
"""How near a half, relative to the amount, the scalar rule must decide: 15 significant digits err by 5e-15."""


def round_to(amount: Any, digits: int = 2) -> Any:
    """Amounts rounded half away from zero to so many decimals, exactly as `expressions.rounded_to` does; what is not
    finite stays."""
    values, size = np.asarray(amount, dtype=np.float64), 10.0**digits
    scaled = np.abs(values) * size
    below = np.floor(scaled)
    rounded = np.copysign(np.floor(scaled + 0.5) / size, values) + 0.0
    tied = np.isfinite(scaled) & (np.abs(scaled - below - 0.5) <= _NEAR_TIE * scaled)
    if np.any(tied):
        exact = np.array([rounded_to(float(value), digits) for value in values[tied]])
        rounded = np.asarray(rounded)
        rounded[tied] = exact
    return rounded


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda *items: reduce(np.minimum, items),
    "max": lambda *items: reduce(np.maximum, items),
    "ceil": lambda value: np.ceil(np.round(value, 9)),
    "round": round_to,
    "if_": np.where,
}


@lru_cache(maxsize=2048)
def over_arrays(text: str) -> Formula:
    """That formula as a function of named arrays and numbers. ExpressionError when it is not in the cost grammar."""
    return _formula(ast.parse(Expression(text).text, mode="eval").body)


def _formula(node: ast.expr) -> Formula:
    match node:
        case ast.Constant(value=value):
            return lambda _values: value
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.UnaryOp(operand=operand):
            inner = _formula(operand)
            return lambda values: -inner(values)
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            return _pair(_OPERATORS[type(op)], _formula(left), _formula(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(_FUNCTIONS[name], [_formula(argument) for argument in args])
    raise ExpressionError(f"“{ast.unparse(node)}” cannot be evaluated.")


def _pair(function: Callable[[Any, Any], Any], left: Formula, right: Formula) -> Formula:
    return lambda values: function(left(values), right(values))


def _call(function: Callable[..., Any], arguments: list[Formula]) -> Formula:
    return lambda values: function(*(argument(values) for argument in arguments))
