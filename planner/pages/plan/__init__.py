"""A frozen plan: its page, its review, its prices of today, its quotations and levers."""
