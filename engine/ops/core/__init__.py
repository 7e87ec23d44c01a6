"""What the ops of all families use: the questions that an op answers, its fields, types and arithmetic."""
