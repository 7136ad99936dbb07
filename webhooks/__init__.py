"""Telling other programs what has happened: endpoints of a team, the outbox, delivery and its log."""
