"""What approved plans pay, for finance: lines, files, the feed, FOCUS and its parquet; `sheets` are kept ready."""
