"""Addresses of the room catalog."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "catalog"
urlpatterns: list[URLPattern] = []
