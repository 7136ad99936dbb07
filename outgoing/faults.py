"""Why a request was not answered."""

from __future__ import annotations


class OutgoingFault(Exception):
    """One sentence that says why there is no answer, a short code, and whether it may work at another time.

    Codes: `address` (not a URL that may be asked), `private_address`, `unknown_host`, `no_connection`, `certificate`,
    `timeout`, `broken_off`, `too_large`, `redirects`.
    """

    def __init__(self, code: str, sentence: str, *, passing: bool = False) -> None:
        super().__init__(sentence)
        self.code = code
        self.passing = passing
