"""Attributes of HLO instructions that are more than one word or number."""
