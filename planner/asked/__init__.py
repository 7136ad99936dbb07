"""What was asked for and what is asked of whoever approves, in sentences: one source for pages, API and documents.

A `Voice` says how words, amounts, numbers and days are written; the sentences are the same whoever speaks.
"""

from planner.asked.approval import approval_text, covers, ordered
from planner.asked.kinds import covered_months, goes_on
from planner.asked.request import request_text
from planner.asked.signs import Issue, Sign, signs_of
from planner.asked.taxes import tax_text
from planner.asked.voice import Voice

__all__ = [
    "Issue",
    "Sign",
    "Voice",
    "approval_text",
    "covered_months",
    "covers",
    "goes_on",
    "ordered",
    "request_text",
    "signs_of",
    "tax_text",
]
