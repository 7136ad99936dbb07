"""The one way out: every request that Sextant sends to another server goes through `outgoing.client`."""
