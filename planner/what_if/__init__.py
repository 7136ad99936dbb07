"""A frozen plan with a few inputs moved: its knobs, how sure the moved plan is, the change as a request."""
