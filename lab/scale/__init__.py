"""How the product behaves when there is much of it: long lists, long series, several workers, costly requests."""
