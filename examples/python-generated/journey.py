"""A plan by a client that openapi-python-client makes: estimate, freeze, submit, read the budget, hear what happened.

    pip install openapi-python-client==0.29.1
    openapi-python-client generate --url "$SEXTANT_URL/api/v1/openapi.json" --meta none --output-path sextant
    python journey.py

A client of our own, with retries and one error for each problem, is `client/` of the source.
"""

from __future__ import annotations

import os
from typing import TypeVar

from sextant import AuthenticatedClient
from sextant.api.budget import list_budget_lines
from sextant.api.estimates import create_estimate
from sextant.api.plans import create_plan
from sextant.api.versions import create_approval
from sextant.api.webhooks import list_events
from sextant.models import (
    BudgetBody,
    Constraints,
    ListEventsTypeType0,
    PageEventEnvelope,
    PlanBody,
    ProblemBody,
    Recommendation,
    Spec,
    SpecWorkload,
    Step,
    StepAction,
    Training,
    TrainingMethod,
    VersionSummary,
)

Answer = TypeVar("Answer")


def taken(answer: object, kind: type[Answer]) -> Answer:
    """The answer, or what was refused in the words of the server, field by field."""
    if isinstance(answer, kind):
        return answer
    if isinstance(answer, ProblemBody):
        raise SystemExit("\n".join([answer.detail, *(fault.detail for fault in answer.errors or ())]))
    raise SystemExit(f"The server answers {answer!r}.")


def main() -> None:
    """One journey, told in five lines."""
    address = os.environ.get("SEXTANT_URL", "http://localhost:8000")
    api = AuthenticatedClient(base_url=address, token=os.environ["SEXTANT_TOKEN"])
    spec = Spec(
        name="From a generated client",
        workload=SpecWorkload.TRAINING,
        model="llama-3.1-70b",
        training=Training(method=TrainingMethod.CONTINUE, tokens=15e9, sequence_length=8192),
        constraints=Constraints(deadline_days=21),
    )
    estimate = taken(create_estimate.sync(client=api, body=spec), Recommendation)
    print(estimate.headline.text)
    if estimate.recommended is not None:
        total = estimate.recommended.cost.total
        print(f"P10 to P90: {total.low} to {total.high} {total.currency}")
    plan = taken(create_plan.sync(client=api, body=spec), PlanBody)
    step = Step(action=StepAction.SUBMIT)
    version = taken(create_approval.sync(plan.id, 1, client=api, body=step), VersionSummary)
    print(f"{version.plan_id} v{version.number} is {version.state}")
    budget = taken(list_budget_lines.sync(plan.id, client=api), BudgetBody)
    print(f"{len(budget.data)} lines, {budget.total} in all")
    for event in taken(list_events.sync(client=api, type_=ListEventsTypeType0.PLAN_SUBMITTED), PageEventEnvelope).data:
        print(event.timestamp, event.type_)


if __name__ == "__main__":
    main()
