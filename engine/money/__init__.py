"""What it costs: models of named expressions, evaluated over arrays for ranking and printed as formulas."""
