"""How far prices move with time: readings of the releases, the moves between them, the fit, and the back-test."""
