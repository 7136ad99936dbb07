"""Pictures of every screen for docs/images: `python -m tests.pictures`."""
