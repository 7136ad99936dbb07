"""Addresses of the room planner."""

from __future__ import annotations

from django.urls import path

from planner import plan_views, views

app_name = "planner"
urlpatterns = [
    path("", views.home, name="home"),
    path("new/<slug:kind>", views.new, name="new"),
    path("estimate/<slug:kind>", views.estimate, name="estimate"),
    path("workloads/<str:public_id>", views.answer, name="answer"),
    path("workloads/<str:public_id>/edit", views.edit, name="edit"),
    path("workloads/<str:public_id>/freeze", views.freeze, name="freeze"),
    path("plans/<str:public_id>", plan_views.plan, name="plan"),
    path("plans/<str:public_id>/<slug:verb>", plan_views.step, name="step"),
]
