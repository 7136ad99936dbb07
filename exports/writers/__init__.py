"""One module per format: each prints a `Document` and knows nothing of what a plan says."""
