"""The physics of one training step, written once over arrays: a table of measured runs and an open grid of candidates alike."""
