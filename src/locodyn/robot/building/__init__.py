"""The builder: sentences about a robot, drafts of its parts, and what becomes of them."""
