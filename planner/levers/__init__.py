"""What a plan could save, one step at a time: offered, taken, kept beside a version, weighed."""
