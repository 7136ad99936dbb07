"""Training: from a workload to the best layout on each cluster, its price, and what else was possible."""
