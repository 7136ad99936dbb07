"""What people see and do, by task: `form`, `home`, `plan`, `explore`, `portfolio`, `accuracy`. Nothing else of the room imports it."""
