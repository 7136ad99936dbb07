"""Addresses of the room webhooks."""

from __future__ import annotations

from django.urls import path

from webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.index, name="list"),
    path("deliveries/<str:public_id>", views.delivery, name="delivery"),
    path("deliveries/<str:public_id>/redeliver", views.redeliver, name="redeliver"),
    path("<str:public_id>", views.one, name="one"),
    path("<str:public_id>/rotate", views.rotate, name="rotate"),
    path("<str:public_id>/delete", views.delete, name="delete"),
    path("<str:public_id>/<slug:verb>", views.step, name="step"),
]
