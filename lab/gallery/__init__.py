"""Requests that differ in everything, and what must hold for the answer to each of them.

`requests` reads `examples/gallery`, `invariants` judges one answer, `loosening` plans the request again with each limit
loosened, `run` does all of it on every core.
"""
