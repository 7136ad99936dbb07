"""Addresses of the room accounts."""

from __future__ import annotations

from django.urls import path

from accounts import team_views, views

app_name = "accounts"
urlpatterns = [
    path("login", views.Login.as_view(), name="login"),
    path("logout", views.Logout.as_view(), name="logout"),
    path("demo", views.demo_login, name="demo"),
    path("teams", views.teams, name="teams"),
    path("team", team_views.page, name="team"),
    path("team/role", team_views.set_role, name="team-role"),
    path("team/members/<str:user_id>/remove", team_views.remove, name="team-remove"),
    path("team/tokens", team_views.make_token, name="team-token"),
    path("team/tokens/<str:token_id>/revoke", team_views.revoke_token, name="team-token-revoke"),
    path("teams/<slug:slug>/choose", views.choose, name="choose-team"),
]
