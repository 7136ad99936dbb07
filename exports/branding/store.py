"""The team's current look, and the one step that changes it."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace

from django.db import transaction

from accounts import access, audit
from accounts.models import Membership, Team
from exports.brand import OURS, Brand
from exports.models import Look, LookFile

_PLAIN = ("accent", "ink", "highlight", "font", "footer", "paper", "locale", "logo_alt")


def current_look(team: Team) -> Look | None:
    """The newest look of the team; None while it uses ours."""
    found = Look.objects.filter(team=team).select_related("team", "logo", "word", "slides").order_by("-number").first()
    return found if found is not None and found.sha256 else None


def brand_of(team: Team) -> Brand:
    """The brand that the team's documents are made in now."""
    look = current_look(team)
    return look.brand if look else OURS


def brand_named(team: Team, sha256: str) -> Brand | None:
    """The brand of the team with that hash, ours for an empty one; None when the team never had it."""
    if not sha256:
        return OURS
    found = Look.objects.filter(team=team, sha256=sha256).select_related("team", "logo", "word", "slides").first()
    return found.brand if found else None


@transaction.atomic
def set_look(member: Membership, brand: Brand) -> Look | None:
    """Keeps that brand as the team's next look and returns it; the same again changes nothing. Admins only: PermissionDenied."""
    access.require_role(member)
    team = Team.objects.select_for_update().get(pk=member.team.pk)
    brand = replace(brand, logo_alt=f"Logo of {team}" if brand.logo.png else "")
    newest = Look.objects.filter(team=team).order_by("-number").first()
    if (newest.sha256 if newest else "") == brand.sha256:
        return newest
    made = Look.objects.create(
        team=team,
        number=newest.number + 1 if newest else 1,
        sha256=brand.sha256,
        settings={name: getattr(brand, name) for name in _PLAIN} | {"rate": asdict(brand.rate)},
        logo_size=[brand.logo.width, brand.logo.height] if brand.logo.png else [],
        logo=_file(team, brand.logo.png),
        word=_file(team, brand.word),
        slides=_file(team, brand.slides),
        made_by=member.user,
    )
    data = {"number": made.number, "sha256": made.sha256 or "ours"}
    audit.record("look.changed", f"look-{made.number}", team=team, actor=member.user, data=data)
    return made


def _file(team: Team, data: bytes) -> LookFile | None:
    if not data:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return LookFile.objects.get_or_create(team=team, sha256=digest, defaults={"data": data})[0]
