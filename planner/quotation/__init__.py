"""Requests for quotation: what a plan asks its seller and rivals for, the letters of it, and the answers with their validity.

`asks` (who is asked for what), `letter` (the words, for document and e-mail), `models` and `steps` (what is kept, and by
which steps), `comparison` (answers beside the list).
"""
