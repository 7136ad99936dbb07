"""Charts, drawn once: the block that says what a chart shows, and all that follows from it. Standard library only."""
