"""What running hardware of one's own takes by what it is: servers in racks, or computers that stand on a desk.

A desk has power, a network and a line already, and nobody installs a rack for it; few servers take a share of a person
by their number, not the staff of a cluster.
"""

from __future__ import annotations

from engine.answer import CostInput
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import System
from engine.inputs.origin import SET_IN_PLAN, origin
from engine.money.lines import assumed, given, parsed

_RACK_STAFF = "max({servers} / nodes_per_fte, min(least_fte, {servers} / few_nodes_per_fte))"
"""So many servers for a person where there are few, until a cluster has its least staff; more of them once it is large."""
_DESK_STAFF = "{servers} / desktops_per_fte"
_PEOPLE = ("least_fte", "nodes_per_fte", "few_nodes_per_fte")
_ONLY_RACKS = ("network_share", "transit_usd_year", "acceptance_months")
_ALONE = origin("one_server")
_DESK = origin("desk")


def connected(assume: Assumptions) -> bool:
    """Is an internet connection paid? None is behind an air gap."""
    return assume["onprem.transit_usd_year"] > 0


def on_desks(system: System | None, servers: float, *, joined: bool = True) -> bool:
    """Do those servers stand on desks? Several that work on one job together are a cluster, whatever their shape."""
    return system is not None and system.on_a_desk and (servers <= 1 or not joined)


def staff_formula(*, desks: bool, servers: str = "servers") -> str:
    """People who run so many servers, which that expression counts."""
    return (_DESK_STAFF if desks else _RACK_STAFF).format(servers=servers)


def staff_names(*, desks: bool) -> tuple[str, ...]:
    """The assumptions that formula needs."""
    return ("desktops_per_fte",) if desks else _PEOPLE


def staff_of(servers: float, assume: Assumptions) -> float:
    """People who run so many servers in racks."""
    values = {name: assume[f"onprem.{name}"] for name in _PEOPLE}
    return parsed(staff_formula(desks=False)).evaluate({**values, "servers": servers})


def upkeep_name(*, desks: bool) -> str:
    """The assumption on how many servers one person runs where people are there already."""
    return "desktops_per_fte" if desks else "nodes_per_fte"


def lead_name(system: System | None) -> str:
    """The assumption on how long that system takes from the order to the first job."""
    return "desktop_lead_months" if system is not None and system.on_a_desk else "lead_months"


def site_input(name: str, assume: Assumptions, *, desks: bool, servers: int = 0) -> CostInput:
    """That assumption; 0 where it speaks of racks and there are none, or of a network among `servers` and there is one, unless the
    request itself sets it."""
    item = assume.get(f"onprem.{name}")
    if servers == 1 and name == "network_share" and item.source != SET_IN_PLAN:
        return given(name, 0.0, item.unit, _DESK if desks else _ALONE)
    if desks and name in _ONLY_RACKS and item.source != SET_IN_PLAN:
        return given(name, 0.0, item.unit, _DESK)
    return assumed(item.id, assume)
