"""What the result and plan pages show: a frozen plan turned into texts, tables and charts, outside the templates."""

from planner.presenters.answer import Answer, charts_of, present
from planner.presenters.currency import currency_of

__all__ = ["Answer", "charts_of", "currency_of", "present"]
