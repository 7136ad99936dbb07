"""What the result and plan pages show: a frozen plan turned into texts, tables and charts, outside the templates."""

from planner.presenters.answer import Answer, present

__all__ = ["Answer", "present"]
