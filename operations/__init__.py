"""What whoever runs an installation needs: backup and restore, metrics, the status page."""
