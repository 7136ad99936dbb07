"""Thousands of plans asked for at once: scenarios of a version, or a whole portfolio on today's prices."""
