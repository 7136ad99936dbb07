"""Addresses of the room exports."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "exports"
urlpatterns: list[URLPattern] = []
