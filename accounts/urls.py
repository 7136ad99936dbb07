"""Addresses of the room accounts."""

from __future__ import annotations

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("login", views.Login.as_view(), name="login"),
    path("logout", views.Logout.as_view(), name="logout"),
    path("demo", views.demo_login, name="demo"),
    path("teams", views.teams, name="teams"),
    path("teams/<slug:slug>/choose", views.choose, name="choose-team"),
]
