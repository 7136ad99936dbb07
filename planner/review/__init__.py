"""Who reads, comments on, approves and is shown a plan."""
