"""REST: the webhooks of a team, their secrets, and the log of what was delivered. For admins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Header, Query

from accounts import access
from accounts.bearer import Bearer, Caller, caller_of
from rest.answers import answer, found, quoted, require_match
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Moment, Whole
from rest.problems import Problem, ProblemItem, invalid
from webhooks import endpoints, outbox
from webhooks.bodies import (
    ChangeRequestBody,
    DeliveryBody,
    DeliveryDetail,
    EventEnvelope,
    EventType,
    HookBody,
    HookRequestBody,
    HookWithSecret,
    RotationRequestBody,
    StateName,
    delivery_body,
    delivery_detail,
    event_body,
    hook_fields,
)
from webhooks.models import Delivery, Endpoint

router = Router(tags=["Webhooks"])
IF_MATCH: Any = Header(None, alias="If-Match", description="The ETag that was read.")
HOOK: Any = Query(None, max_length=40, description="Only deliveries to the webhook with this id.")
STATE: Any = Query(None, description="Only deliveries in this state.")
SINCE: Any = Query(None, description="Only what happened at or after that moment.")
KIND: Any = Query(None, alias="type", description="Only events of this type.")
_MANAGE = Bearer("webhooks:manage")


@router.get("/webhooks", auth=_MANAGE, response=answers(ok=Page[HookBody]), summary="List webhooks")
def list_webhooks(request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR) -> HttpResponse:
    """The team's webhooks, newest first, those that are turned off included."""
    rows = access.rows_of(_admin(request).team, Endpoint).select_related("created_by")
    return page_of_rows(request, rows, _hook, limit=limit, cursor=cursor)


@router.post(
    "/webhooks", auth=_MANAGE, response=answers(409, *BODY, created=HookWithSecret), summary="Set up a webhook"
)
@once
def create_webhook(request: HttpRequest, wanted: HookRequestBody) -> HttpResponse:
    """A new webhook and its secret, shown this once: a repeated request gets the first answer without it."""
    caller = _admin(request)

    def step() -> HttpResponse:
        row, secret = endpoints.create(caller.member, **vars(wanted), token=caller.token)
        headers = {"Location": f"/api/v1/webhooks/{row.public_id}", "ETag": quoted(_tag(row))}
        keep(request, answer(HookWithSecret(**hook_fields(row), secret=None), status=201, headers=headers))
        return answer(HookWithSecret(**hook_fields(row), secret=secret), status=201, headers=headers)

    return _written(step)


@router.post(
    "/webhooks/{webhook_id}:test", auth=_MANAGE, response=answers(404, 409, 422, accepted=DeliveryBody),
    summary="Send a test event",
)  # fmt: skip
@once
def test_webhook(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """Sends an event of type webhook.test to this webhook alone. 409 while it is turned off."""
    caller, row = _admin(request), _hook_of(request, webhook_id)

    def step() -> HttpResponse:
        return keep(request, _accepted(endpoints.send_test(caller.member, row, token=caller.token)))

    return _written(step)


@router.post(
    "/webhooks/{webhook_id}:rotate-secret", auth=_MANAGE, response=answers(404, 409, *BODY, ok=HookWithSecret),
    summary="Change the secret",
)  # fmt: skip
@once
def rotate_webhook_secret(request: HttpRequest, webhook_id: str, wanted: RotationRequestBody) -> HttpResponse:
    """A new secret, shown this once. For `keep_hours` each delivery is signed with the earlier one too."""
    caller, row = _admin(request), _hook_of(request, webhook_id)

    def step() -> HttpResponse:
        secret = endpoints.rotate(caller.member, row, keep_hours=wanted.keep_hours, token=caller.token)
        headers = {"ETag": quoted(_tag(row))}
        keep(request, answer(HookWithSecret(**hook_fields(row), secret=None), headers=headers))
        return answer(HookWithSecret(**hook_fields(row), secret=secret), headers=headers)

    return _written(step)


@router.get("/webhooks/{webhook_id}", auth=_MANAGE, response=answers(404, ok=HookBody), summary="One webhook")
def get_webhook(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """The webhook without its secret. Its ETag is what a change must send as If-Match."""
    _admin(request)
    row = _hook_of(request, webhook_id)
    return found(request, _hook(row), etag=_tag(row))


@router.patch(
    "/webhooks/{webhook_id}", auth=_MANAGE, response=answers(404, 412, 428, *BODY, ok=HookBody),
    summary="Change a webhook, turn it on or off",
)  # fmt: skip
def change_webhook(
    request: HttpRequest, webhook_id: str, wanted: ChangeRequestBody, if_match: str | None = IF_MATCH
) -> HttpResponse:
    """Replaces the fields that are given. Turning it off gives up what waits for it; turning it on sends what is new."""
    caller, row = _admin(request), _hook_of(request, webhook_id)
    require_match(request, _tag(row))

    def step() -> HttpResponse:
        changed = endpoints.change(caller.member, row, revision=row.revision, **vars(wanted), token=caller.token)
        return answer(_hook(changed), headers={"ETag": quoted(_tag(changed))})

    return _written(step, conflict=412)


@router.delete(
    "/webhooks/{webhook_id}", auth=_MANAGE, response=answers(404, 412, 428, nothing=None), summary="Delete a webhook"
)
def delete_webhook(request: HttpRequest, webhook_id: str, if_match: str | None = IF_MATCH) -> HttpResponse:
    """Removes it with its log. The audit trail stays."""
    caller, row = _admin(request), _hook_of(request, webhook_id)
    require_match(request, _tag(row))

    def step() -> HttpResponse:
        endpoints.delete(caller.member, row, revision=row.revision, token=caller.token)
        return HttpResponse(status=204)

    return _written(step, conflict=412)


@router.post(
    "/deliveries/{delivery_id}:redeliver", auth=_MANAGE, response=answers(404, 409, 422, accepted=DeliveryBody),
    summary="Send it again",
)  # fmt: skip
@once
def redeliver(request: HttpRequest, delivery_id: str) -> HttpResponse:
    """Sends the same message again under the same webhook-id, with new attempts. 409 while its webhook is off."""
    caller, row = _admin(request), _delivery_of(request, delivery_id)

    def step() -> HttpResponse:
        return keep(request, _accepted(endpoints.redeliver(caller.member, row, token=caller.token)))

    return _written(step)


@router.get("/events", auth=Bearer("plans:read"), response=answers(ok=Page[EventEnvelope]), summary="What happened")
def list_events(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    since: Moment | None = SINCE,
    kind: EventType | None = KIND,
) -> HttpResponse:
    """Everything that webhooks are told of, oldest first, whether a webhook asked for it or not; kept for 30 days.

    A receiver that was away asks from the last moment it knows, less a minute: a step may have begun before another that is
    seen already. Equal `id`s are the same event.
    """
    rows = outbox.happened(caller_of(request).team)
    if since is not None:
        rows = rows.filter(occurred_at__gte=since)
    if kind is not None:
        rows = rows.filter(type=kind)
    return page_of_rows(request, rows, event_body, limit=limit, cursor=cursor, sort="occurred_at")


@router.get("/deliveries", auth=_MANAGE, response=answers(404, ok=Page[DeliveryBody]), summary="List deliveries")
def list_deliveries(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    webhook: str | None = HOOK,
    state: StateName | None = STATE,
) -> HttpResponse:
    """What was sent and what waits, newest first; kept for 30 days."""
    rows = access.rows_of(_admin(request).team, Delivery).select_related("endpoint", "event")
    if webhook is not None:
        rows = rows.filter(endpoint=_hook_of(request, webhook))
    if state is not None:
        rows = rows.filter(state=state)
    return page_of_rows(request, rows.prefetch_related("log"), delivery_body, limit=limit, cursor=cursor)


@router.get("/deliveries/{delivery_id}", auth=_MANAGE, response=answers(404, ok=DeliveryDetail), summary="One delivery")
def get_delivery(request: HttpRequest, delivery_id: str) -> HttpResponse:
    """The message as it is sent, and every attempt with the first 2 kB of its answer."""
    return found(request, delivery_detail(_delivery_of(request, delivery_id)))


def _admin(request: HttpRequest) -> Caller:
    """The caller, who is an admin: even the address of a webhook may be a secret."""
    caller = caller_of(request)
    access.require_role(caller.member)
    return caller


def _hook_of(request: HttpRequest, webhook_id: str) -> Endpoint:
    return access.one_of(caller_of(request).team, Endpoint, webhook_id)


def _delivery_of(request: HttpRequest, delivery_id: str) -> Delivery:
    row = access.one_of(_admin(request).team, Delivery, delivery_id)
    return Delivery.objects.select_related("endpoint__team", "event").prefetch_related("log").get(pk=row.pk)


def _written(step: Callable[[], HttpResponse], *, conflict: int = 409) -> HttpResponse:
    """What the step answers, in one transaction, with its refusals as problems."""
    try:
        with transaction.atomic():
            return step()
    except endpoints.Refused as error:
        raise invalid([ProblemItem(pointer=f"/{error.field}", code=error.code, detail=str(error))]) from error
    except endpoints.Conflict as error:
        raise Problem(conflict, str(error)) from error
    except endpoints.TooMany as error:
        raise Problem(429, str(error), headers={"Retry-After": "60"}) from error


def _accepted(row: Delivery) -> HttpResponse:
    return answer(delivery_body(row), status=202, headers={"Location": f"/api/v1/deliveries/{row.public_id}"})


def _hook(row: Endpoint) -> HookBody:
    return HookBody(**hook_fields(row))


def _tag(row: Endpoint) -> str:
    failing = f"-f{row.failing_since.timestamp():.0f}" if row.failing_since else ""
    return f"v{row.revision}{failing}"
