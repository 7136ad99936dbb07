"""What each approved version pays, kept as it was first reckoned, so that the feed of budgets opens no plan."""
