"""A plan as it was frozen: what is stored, read back whole or in parts, older formats too."""
