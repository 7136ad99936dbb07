"""Pictures of every screen for docs/images/screens: `python -m tests.pictures`."""
