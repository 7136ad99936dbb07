"""A request as a team writes it: fields, quantities and amounts, drafts, and the one reader of all of them."""
