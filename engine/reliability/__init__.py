"""Failures, checkpoints and what both cost in time."""
