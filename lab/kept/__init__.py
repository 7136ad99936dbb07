"""Is what a plan promises kept as often as it says? Drawn apart from the engine, on left-out errors, and of what was chosen."""
