"""What goes in: the request, models, hardware on the market, and assumptions; plain frozen dataclasses."""
