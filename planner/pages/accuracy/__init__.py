"""What the accuracy page shows."""
