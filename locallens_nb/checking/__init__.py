"""What an answer says and cites, held against the excerpts that it was written from."""
