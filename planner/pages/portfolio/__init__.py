"""A team's plans together."""
