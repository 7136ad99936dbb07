"""Addresses of the room accounts."""

from __future__ import annotations

from django.urls import path

from accounts import (
    account_views,
    factor_views,
    invite_views,
    join_views,
    passkey_views,
    second_views,
    sso_views,
    team_views,
    views,
)

app_name = "accounts"
urlpatterns = [
    path("login", views.Login.as_view(), name="login"),
    path("logout", views.Logout.as_view(), name="logout"),
    path("demo", views.demo_login, name="demo"),
    path("second", second_views.second, name="second"),
    path("second/passkey", passkey_views.second, name="second-passkey"),
    path("needed", second_views.needed, name="needed"),
    path("confirm", second_views.confirm, name="confirm"),
    path("confirm/passkey", passkey_views.confirm, name="confirm-passkey"),
    path("passkeys/options/<slug:purpose>", passkey_views.options, name="passkey-options"),
    path("passkeys/sign-in", passkey_views.sign_in, name="passkey-sign-in"),
    path("sso", sso_views.start, name="sso"),
    path("sso/callback", sso_views.callback, name="sso-callback"),
    path("sso/connect", sso_views.connect, name="sso-connect"),
    path("sso/link", sso_views.link, name="sso-link"),
    path("forgotten", join_views.forgotten, name="forgotten"),
    path("reset/<uidb64>/<token>", join_views.Reset.as_view(), name="reset"),
    path("invitation", join_views.invitation, name="invitation"),
    path("invitation/<str:secret>", join_views.open_invitation, name="invitation-open"),
    path("account", account_views.page, name="account"),
    path("account/name", account_views.rename, name="rename"),
    path("account/password", account_views.password, name="password"),
    path("account/app", factor_views.set_up, name="app"),
    path("account/app/off", factor_views.turn_off, name="app-off"),
    path("account/recovery-codes", factor_views.recovery_codes, name="recovery-codes"),
    path("account/passkeys", passkey_views.make, name="passkey-make"),
    path("account/passkeys/<str:passkey_id>/rename", passkey_views.rename, name="passkey-rename"),
    path("account/passkeys/<str:passkey_id>/remove", passkey_views.remove, name="passkey-remove"),
    path("account/sessions/end", account_views.end_sessions, name="sessions-end"),
    path("account/sessions/<str:session_id>/end", account_views.end_session, name="session-end"),
    path("account/identities/<str:identity_id>/remove", account_views.disconnect, name="identity-remove"),
    path("teams", views.teams, name="teams"),
    path("team", team_views.page, name="team"),
    path("team/role", team_views.set_role, name="team-role"),
    path("team/second-factor", team_views.second_factor, name="team-second-factor"),
    path("team/approvals", team_views.approvals, name="team-approvals"),
    path("team/members/<str:user_id>/remove", team_views.remove, name="team-remove"),
    path("team/invitations", invite_views.invite, name="team-invite"),
    path("team/invitations/<str:invitation_id>/again", invite_views.again, name="team-invite-again"),
    path("team/invitations/<str:invitation_id>/revoke", invite_views.revoke, name="team-invite-revoke"),
    path("team/tokens", team_views.make_token, name="team-token"),
    path("team/tokens/<str:token_id>/revoke", team_views.revoke_token, name="team-token-revoke"),
    path("teams/<slug:slug>/choose", views.choose, name="choose-team"),
]
