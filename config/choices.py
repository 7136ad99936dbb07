"""Every state and kind of the API with the words that it can be: read from the rows and types that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from accounts.roles import Role
from accounts.tokens import SCOPES
from catalog.models import BatchStatus
from catalog.own import OWN_KINDS
from catalog.records import CONFIDENCES, OPTIONS, OWN
from engine.inputs.hardware import PROVIDER_TIERS
from engine.reliability.patterns import PATTERNS
from engine.reliability.saving import WAYS
from exports.formats import FORMATS
from jobs.models import State as JobState
from planner.quotation_tables import Unit
from planner.versions import State as ReviewState
from webhooks.models import Off
from webhooks.models import State as DeliveryState
from webhooks.outbox import TEST, TYPES

_BOUNDS: Final = ("compute", "bandwidth", "kv", "network", "queue")
REVIEW: Final = ReviewState.values
CHOICES: Final[dict[str, Sequence[str]]] = {
    "VersionSummary.state": REVIEW,
    "PlanBody.status": REVIEW,
    "BudgetBody.state": REVIEW,
    "BudgetLine.kind": ("opex", "capex"),
    "FeedLine.kind": ("opex", "capex"),
    "Withdrawn.why": ("superseded", "archived"),
    "QuoteBody.unit": Unit.values,
    "ComparedBody.standing": ("open", "valid", "short", "ended"),
    **{f"{kind}.basis": ("list", "quoted", "second_hand", "marketplace") for kind in ("Offer", "AlternativeOffer")},
    **{f"{kind}.tier": ("", *PROVIDER_TIERS) for kind in ("Offer", "AlternativeOffer")},
    "Backing.standing": ("quoted", "public", "indicative"),
    "ExportBody.state": (*JobState.values, "expired"),
    "ExportBody.format": tuple(FORMATS),
    "ExportBody.paper": ("A4", "Letter"),
    "ImportBody.state": JobState.values,
    "PriceListSummary.status": BatchStatus.values,
    "PriceListBody.status": BatchStatus.values,
    "PriceBody.mode": tuple(OPTIONS),
    "PriceBody.option": tuple(OPTIONS),
    "PriceBody.confidence": (*CONFIDENCES, OWN),
    "FactBody.confidence": (*CONFIDENCES, OWN),
    "EntryBody.kind": OWN_KINDS,
    "DeliveryBody.state": DeliveryState.values,
    "DeliveryDetail.state": DeliveryState.values,
    "DeliveryBody.type": (*TYPES, TEST),
    "DeliveryDetail.type": (*TYPES, TEST),
    "HookBody.events": tuple(TYPES),
    "HookWithSecret.events": tuple(TYPES),
    "HookBody.off_reason": tuple(filter(None, Off.values)),
    "HookWithSecret.off_reason": tuple(filter(None, Off.values)),
    "TeamBody.role": Role.values,
    "TokenBody.scopes": SCOPES,
    "TokenWithSecret.scopes": SCOPES,
    "SensitivityAnswer.method": ("one_at_a_time", "monte_carlo"),
    "DataPath.tier": ("object", "nfs", "parallel", "local"),
    **{f"{kind}.bound": _BOUNDS for kind in ("Option", "Alternative")},
    "Way.key": tuple(WAYS),
    "Standing.pattern": PATTERNS,
    "PatternCost.pattern": PATTERNS,
    "StandingCase.case": ("normal", "host", "maintenance", "morning", "site", "provider"),
    "Lost.cause": ("hosts", "site", "provider", "mornings"),
    "Checkpoint.way": ("waiting", "background"),
}
"""`Schema.property` → all that it may be; of a list, of each of its entries."""
