"""The manners of the REST API, the same for every room: problems, strict JSON, pages, conditions, limits, once only."""
