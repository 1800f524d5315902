"""Notebook front ends: the magic and what it shows."""
