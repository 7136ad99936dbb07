"""Work that outlives a request: one row per job, with a lease and its progress."""
