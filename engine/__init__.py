"""Planning of accelerators as a pure function: `recommend(spec, arch, market)` says what to run on, how long and at what cost.

Rooms, lowest first: `inputs` (what is asked, what models and hardware are), `answer` (what is said back), `physics` (one step,
one token), `reliability` (failures, checkpoints), `odds` (how sure), `money` (what it costs), `choice` (what is best), `kinds`
(training, service). Nothing here reads a file of a user, a clock or the network, and nothing is kept between calls.
"""

from engine.glance import Glance
from engine.recommend import glance, recommend

__all__ = ["Glance", "glance", "recommend"]
