"""What the words at the head of a number mean, for whoever meets them for the first time: one or two short sentences each."""

from __future__ import annotations

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "figure.cost": "What this work costs until its end, or over the months that it is planned for; of what is signed only the share "
    "that it uses.",
    "figure.time": "From the first day until the last result, with failures, restarts and the hours that saving takes.",
    "figure.hardware": "Which accelerators, how many, and from whom. An accelerator is one graphics or AI processor with its own memory.",
    "figure.mfu": "Useful arithmetic as a share of what the accelerators could do at their dense peak in that precision.",
    "figure.ttft": "How long 19 of 20 people wait at most until the answer begins.",
    "figure.tpot": "How long 19 of 20 people wait at most between two tokens of an answer. A token is a "
    "short word, or a piece of a longer one.",
    "figure.promise": "How likely the latency that was promised is kept, given how wrong such estimates have been against measurements.",
    "figure.price": "The cost of the service divided by what it answers with, at the load that was planned.",
}
"""By what they stand at."""
