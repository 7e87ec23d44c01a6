"""Answers to questions about a recording, computed in the worker that holds it."""
