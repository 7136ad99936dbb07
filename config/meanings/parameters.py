"""What the parts of addresses and the plain filters mean, by name or, where a name says something else there, by operation."""

from __future__ import annotations

from typing import Final

PARAMETERS: Final = {
    "accelerator": "Slug of an accelerator, as of `GET /accelerators`; without it all of them.",
    "catalog_id": "Id of a price list of the team.",
    "comment_id": "Id of a comment on the plan.",
    "delivery_id": "Id of a delivery.",
    "export_id": "Id of an export.",
    "granularity": "Calendar months; days come from `GET /budget-lines`.",
    "import_id": "Id of the import, as the answer to it gave it.",
    "kind": "What the entry is about.",
    "letter": "Number of the letter in the request for quotation, from 1.",
    "link_id": "Id of a share link.",
    "number": "Number of the version, from 1.",
    "plan_id": "Id of a plan of the team.",
    "provider": "Short name of a provider, as prices have it; without it all of them.",
    "quotation_id": "Id of a request for quotation.",
    "region": "The provider's own name of a region; without it all of them.",
    "scenario_id": "Id of a scenario of the plan.",
    "slug": "Its short name, as the list has it.",
    "replace_entry.slug": "Its short name: that of the public one whose values it takes the place of, or a new one.",
    "token_id": "Id of a token of the team.",
    "webhook_id": "Id of a webhook of the team.",
}
"""`parameter`, or `operation.parameter`."""
