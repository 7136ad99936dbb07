"""The chapters of a plan: each module turns one part of the frozen answer into blocks. `exports.compose` orders them."""
