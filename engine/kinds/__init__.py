"""The kinds of work: each folder says what a piece of work asks, which candidates there are and what comes of one."""
