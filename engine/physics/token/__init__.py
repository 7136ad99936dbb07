"""One token: what a replica of a language model takes for a step of prefill or decode, and what it holds in memory."""
