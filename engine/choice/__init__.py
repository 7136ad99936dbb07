"""From what is possible to what is recommended: ranking, cautions, what would flip it, and the advice around it."""
