"""x"""

FITTED: dict[str, float] = {}
