"""Addresses of the room planner."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

app_name = "planner"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="accounts:login"), name="home"),
    path("new/<slug:kind>", RedirectView.as_view(pattern_name="accounts:login"), name="new"),
]
