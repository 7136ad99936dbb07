"""The one way in for files: each upload is measured before it is read, and read in a process of its own."""
