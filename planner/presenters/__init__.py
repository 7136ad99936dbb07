"""What the result and plan pages show: a frozen plan turned into texts, tables and charts, outside the templates."""

from planner.presenters.answer import Answer, charts_of, present
from planner.presenters.currency import currency_of
from planner.presenters.glance import GlanceView, present_glance

__all__ = ["Answer", "GlanceView", "charts_of", "currency_of", "present", "present_glance"]
