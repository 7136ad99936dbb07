"""What else: scenarios, series, what-if, and backwards from a budget."""
