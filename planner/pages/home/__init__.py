"""The start page of those who come back."""
