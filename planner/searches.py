"""The searches that this process remembers for its pages and its API, so that a new price or deadline only ranks again.

One memory for all teams: a key holds every value that a search depends on and the release of the team's own market, so
a team finds what another one's search left only where both searches are the same to the last field.
"""

from __future__ import annotations

from engine.inputs.known import Known

SEARCHES = Known()
