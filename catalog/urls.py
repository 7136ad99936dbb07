"""Addresses of the room catalog."""

from __future__ import annotations

from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.browse, name="browse"),
    path("accelerators/<slug:slug>/", views.accelerator, name="accelerator"),
]
