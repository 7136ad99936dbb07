"""A team's own look: what is taken in, checked, and kept as versions that never change."""
