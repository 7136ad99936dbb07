"""What the properties and parameters of the API mean where no string under their field says so: by name in every schema, or by schema."""

from __future__ import annotations

from config.meanings.answers import ANSWERS
from config.meanings.everywhere import EVERYWHERE
from config.meanings.inputs import INPUTS
from config.meanings.parameters import PARAMETERS
from config.meanings.rooms import ROOMS

__all__ = ["ALIKE", "MEANINGS", "PARAMETERS"]

MEANINGS = {**EVERYWHERE, **ANSWERS, **INPUTS, **ROOMS}
"""`property`, or `Schema.property` where a name says something else there."""
ALIKE = {
    "Alternative": ("Option", "ServingResult"),
    "AlternativeCost": ("Cost", "CostModel"),
    "AlternativeOffer": ("Offer",),
    "Option": ("ServingResult",),
    "Cost": ("CostModel",),
}
"""Schemas that hold fields of other ones, which say what they mean."""
