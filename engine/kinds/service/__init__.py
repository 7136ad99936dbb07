"""Serving: how many replicas of what hold a latency promise at the peak, in what time and memory.

Public entry points: `work_from`, `search`, `quickest`, `describe`, `SERVING_ASSUMPTIONS`. The modules below answer one
question each: `shape` (model), `machine` (accelerator), `step` (time of a step), `memory`, `steady` (closed form),
`bounds` (what no replica can beat), `capacity` (rate that holds the promises), `sizing` (the search), `description`,
`samples` (models that are not language models), `bands`.
"""

from engine.kinds.service.description import answered, describe
from engine.kinds.service.outcome import ServingChoice, ServingDetail, ServingPhysics, ServingSearch
from engine.kinds.service.sizing import quickest, search
from engine.kinds.service.work import ServingWork, any_traffic, work_from
from engine.physics.token.coefficients import SERVING_ASSUMPTIONS

__all__ = [
    "SERVING_ASSUMPTIONS",
    "ServingChoice",
    "ServingDetail",
    "ServingPhysics",
    "ServingSearch",
    "ServingWork",
    "answered",
    "any_traffic",
    "describe",
    "quickest",
    "search",
    "work_from",
]
