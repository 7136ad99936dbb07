"""What a team wants, and what we recommend."""

from __future__ import annotations

from django.apps import AppConfig


class PlannerConfig(AppConfig):
    """Registers the kinds of job that send a notice and that answer a question backwards."""

    name = "planner"

    def ready(self) -> None:
        """Tells the queue who does what."""
        from accounts import letters, sealing
        from jobs import queue
        from jobs.lanes import Lane
        from jobs.registry import at_each_sweep, register
        from planner import notices, stale
        from planner.backwards import work as backwards_work
        from planner.outlook import work as outlook
        from planner.series import work as series

        register(notices.KIND, notices.send, lane=Lane.MAIL)
        register(backwards_work.KIND, backwards_work.answer)
        register(stale.KIND, stale.check, lane=Lane.IMPORTS)
        register(series.KIND, series.work_piece, lane=Lane.SWEEPS)
        register(outlook.KIND, outlook.check, lane=Lane.SWEEPS)
        register(outlook.PIECE_KIND, outlook.work_piece, lane=Lane.SWEEPS)
        at_each_sweep(stale.request_check)
        at_each_sweep(outlook.request_check)
        at_each_sweep(outlook.request_letters)
        at_each_sweep(sealing.seal_new)
        # Letters of the room below, which knows no queue.
        letters.carry_by(lambda payload: queue.enqueue(letters.KIND, team=None, payload=payload))
        register(letters.KIND, letters.deliver, lane=Lane.MAIL)
