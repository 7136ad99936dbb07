"""Judging and measuring the product. Imports what it likes; nothing imports it."""
