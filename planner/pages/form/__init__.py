"""From an empty form to the first answer."""
