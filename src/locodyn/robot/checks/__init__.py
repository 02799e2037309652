"""What is refused in a description, and in which words."""
