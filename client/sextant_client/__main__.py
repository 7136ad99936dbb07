"""`python -m sextant_client` is the command `sextant`."""

import sys

from sextant_client.cli import main

sys.exit(main())
