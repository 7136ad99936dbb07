"""How approved plans look on today's market: asked again when prices have changed, and told when it matters."""
