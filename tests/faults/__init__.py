"""Everything that can break, broken at random moments while people work: ``make faults``.

``python -m tests.faults --minutes 3 --seed 7`` starts a PostgreSQL, a Redis, a receiver of webhooks, web, workers and a
sweeper on free ports and small disks of their own, lets clients ask for plans and documents, injects the faults of
``injections``, ends them all, waits, and then asks the oracle: has each accepted job ended, is each file there once and equal
to one that is made from its plan alone, is nothing stuck, how long did recovery take?

The seed decides which fault comes when and for how long; what it meets there depends on the machine.
"""
