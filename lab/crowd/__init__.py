"""A crowd of simulated people who type at a real server: the load test behind `manage.py load`.

`page` reads a form as a browser does, `typing` is what people type, `person` one of them, `server` the installation
under test, `report` what came out. `feed` and `soak` are other crowds at such a server: one reads all budgets, one stays for an hour.
"""
