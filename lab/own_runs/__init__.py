"""A measurement that a team makes on its own accelerators: training steps, peak memory, exchange; minutes.

`python -m lab.own_runs` needs PyTorch and nothing else of this project but `client/`; it never imports Django or the engine.
"""
