"""Price sources: one module each, a file or feed → price rows. Nothing here writes to the database."""
