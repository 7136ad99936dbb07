"""Measured against predicted: reads published measurements, predicts each from its own configuration, prints the error."""
