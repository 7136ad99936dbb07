"""Worked cases of cost, failures and checkpoints: one general function for each kind of model."""
