"""Rules of the operational advice, by topic: each has an id, a choice and a reason with numbers."""
