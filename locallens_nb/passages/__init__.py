"""What can be quoted of a text of each kind: sentences, rows of tables, statements of code, cells of notebooks."""
