"""The grammar of the cost model: one text per line, evaluated in Python, printed as an Excel formula and in words.

Numbers, names, `+ - * /`, parentheses, comparisons, and the functions min, max, ceil, round, if. Parsed once by
Python's own parser and checked against this list, so nothing else can ever run.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Any

Formula = Callable[[Mapping[str, float]], Any]

_BINARY: dict[type[ast.operator], tuple[str, int, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", 1, operator.add),
    ast.Sub: ("-", 1, operator.sub),
    ast.Mult: ("*", 2, operator.mul),
    ast.Div: ("/", 2, lambda a, b: a / b if b else math.nan),
    ast.Pow: ("^", 3, operator.pow),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_FUNCTIONS = {"min": "MIN", "max": "MAX", "ceil": "ROUNDUP", "round": "ROUND", "if_": "IF"}


class ExpressionError(ValueError):
    """The text is not in the grammar; the message names the piece."""


def cents(value: float) -> float:
    """That amount rounded half up to whole cents, as Excel's ROUND(x, 2) does."""
    return rounded_to(value, 2)


def rounded_to(value: float, digits: int) -> float:
    """That amount rounded half up to so many decimals, as Excel's ROUND does.

    Spreadsheets round what they show, 15 significant digits: 97.17499999999998 is half a cent to them, and so here.
    """
    # A sum of nothing is 0, not −0.
    return float(Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)) + 0.0


class Expression:
    """One parsed formula over named values."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._body = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(f"“{text}” is not a formula: {error.msg}.") from error
        _check(self._body)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The values it needs, in order of first use."""
        found = [node.id for node in ast.walk(self._body) if isinstance(node, ast.Name)]
        return tuple(dict.fromkeys(name for name in found if name not in _FUNCTIONS))

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Its value with those inputs. KeyError names a missing one."""
        return float(self._evaluate(values))

    @cached_property
    def _evaluate(self) -> Formula:
        return _formula(self._body)

    def excel(self, reference: Callable[[str], str]) -> str:
        """The Excel formula without the leading `=`, each name replaced by `reference(name)`."""
        return _excel(self._body, reference, 0)

    def words(self, label: Callable[[str], str]) -> str:
        """The formula with each name as its label and × ÷ as signs."""
        return _words(self._body, label, 0)


def _check(node: ast.expr) -> None:
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError("a formula holds numbers, not true or false.")
        case ast.Constant(value=int() | float()) | ast.Name():
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left)
            _check(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            _check(left)
            _check(right)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            for argument in args:
                _check(argument)
        case _:
            raise ExpressionError(f"“{ast.unparse(node)}” is not part of the formula grammar.")


def _formula(node: ast.expr) -> Formula:
    """The formula as one function of the values: a tree that is walked once and not at each evaluation."""
    match node:
        case ast.Constant(value=value):
            return lambda _values: value
        case ast.Name(id=name):
            return operator.itemgetter(name)
        case ast.BinOp(left=left, op=op, right=right):
            return _of_two(_BINARY[type(op)][2], _formula(left), _formula(right))
        case ast.UnaryOp(operand=operand):
            inner = _formula(operand)
            return lambda values: -inner(values)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _of_two(_COMPARE[type(op)][1], _formula(left), _formula(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            arguments = [_formula(argument) for argument in args]
            return lambda values: _call(name, [argument(values) for argument in arguments])
    raise ExpressionError(f"“{ast.unparse(node)}” cannot be evaluated.")


def _of_two(apply: Callable[[Any, Any], Any], left: Formula, right: Formula) -> Formula:
    return lambda values: apply(left(values), right(values))


def _call(name: str, arguments: list[Any]) -> Any:
    match name, arguments:
        case "min", _:
            return min(arguments)
        case "max", _:
            return max(arguments)
        case "ceil", [value]:
            return math.ceil(round(value, 9))
        case "round", [value]:
            return cents(value)
        case "if_", [condition, yes, no]:
            return yes if condition else no
    raise ExpressionError(f"“{name}” does not take {len(arguments)} values.")


def _excel(node: ast.expr, reference: Callable[[str], str], level: int) -> str:
    match node:
        case ast.Constant(value=value):
            return repr(value)
        case ast.Name(id=name):
            return reference(name)
        case ast.BinOp(left=left, op=op, right=right):
            sign, own, _ = _BINARY[type(op)]
            text = f"{_excel(left, reference, own)}{sign}{_excel(right, reference, own + 1)}"
            return f"({text})" if own < level else text
        case ast.UnaryOp(operand=operand):
            return f"-{_excel(operand, reference, 3)}"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"{_excel(left, reference, 1)}{_COMPARE[type(op)][0]}{_excel(right, reference, 1)}"
        case ast.Call(func=ast.Name(id=name), args=args):
            inner = [_excel(argument, reference, 0) for argument in args]
            if name == "ceil":
                return f"ROUNDUP(ROUND({inner[0]},9),0)"
            return f"ROUND({inner[0]},2)" if name == "round" else f"{_FUNCTIONS[name]}({','.join(inner)})"
    raise ExpressionError(f"“{ast.unparse(node)}” has no Excel form.")


def _words(node: ast.expr, label: Callable[[str], str], level: int) -> str:
    match node:
        case ast.Constant(value=int() | float() as value):
            return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"
        case ast.Name(id=name):
            return label(name)
        case ast.BinOp(left=left, op=op, right=right):
            sign, own, _ = _BINARY[type(op)]
            shown = {"*": "×", "/": "÷", "-": "−"}.get(sign, sign)
            text = f"{_words(left, label, own)} {shown} {_words(right, label, own + 1)}"
            return f"({text})" if own < level else text
        case ast.UnaryOp(operand=operand):
            return f"−{_words(operand, label, 3)}"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"{_words(left, label, 1)} {_COMPARE[type(op)][0]} {_words(right, label, 1)}"
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call_words(name, [_words(argument, label, 0) for argument in args])
    raise ExpressionError(f"“{ast.unparse(node)}” has no words.")


def _call_words(name: str, inner: list[str]) -> str:
    match name:
        case "ceil":
            return f"{inner[0]}, rounded up"
        case "round":
            return inner[0]
        case "if_":
            return f"{inner[1]} if {inner[0]}, else {inner[2]}"
        case "min":
            return f"the smaller of {' and '.join(inner)}"
    return f"the larger of {' and '.join(inner)}"
