"""What Prometheus reads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from jobs import queue
from jobs.models import Job, State
from operations.metrics import exposition
from tests.conftest import People

pytestmark = pytest.mark.django_db


def _samples() -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(exposition().decode())
    return {
        (sample.name, *map(str, sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_an_idle_installation_has_no_queue() -> None:
    found = _samples()
    assert found[("sextant_queue_waiting", "interactive")] == 0
    assert found[("sextant_queue_oldest_seconds", "sweeps")] == 0
    assert found[("sextant_sweepers",)] == 0


def test_age_and_length_of_each_lane_and_what_ended(people: People) -> None:
    old, new, failed, silent = (queue.enqueue("exports.render", team=people.team, payload={}) for _ in range(4))
    Job.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(seconds=90))
    Job.objects.filter(pk=failed.pk).update(state=State.FAILED, finished_at=timezone.now())
    queue.claim(silent.pk, worker="w")
    Job.objects.filter(pk=silent.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    queue.note_worker("celery@one", lanes=["mail"])
    found = _samples()

    assert found[("sextant_queue_waiting", "interactive")] == 2
    assert 89 < found[("sextant_queue_oldest_seconds", "interactive")] < 120
    assert found[("sextant_jobs_running", "interactive")] == found[("sextant_jobs_overdue", "interactive")] == 1
    assert found[("sextant_jobs_ended_last_hour", "exports.render", "failed")] == 1
    assert found[("sextant_heard_seconds", "mail", "celery@one")] < 30
    assert new.pk


def test_only_who_shows_the_token_reads_it(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "a long word"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 404
    answer = client.get("/metrics", headers={"Authorization": "Bearer a long word"})
    assert answer.status_code == 200
    assert "sextant_queue_oldest_seconds" in answer.content.decode()
