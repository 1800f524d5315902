"""Turn the bytes of one file into text: one module for a format."""
