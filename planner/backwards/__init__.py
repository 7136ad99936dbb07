"""What can be had for a budget and a date: the answer, and the job that works it out."""
