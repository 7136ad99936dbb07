"""How sure: bands of estimates, the chance that a limit holds, and the measured runs behind both."""
