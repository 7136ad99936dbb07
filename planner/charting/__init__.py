"""The charts of a plan, built once from its numbers and told in a given voice: pages draw them as SVG, documents natively.

Conventions that every drawer relies on: `tornado` has two series of differences from the expected total, low end
and high end; `interval` has three series, low, expected and high; `stacked_bar` has one series for each part.
"""
