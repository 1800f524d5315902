"""Finding the chunks for a question, by meaning and by words, and how much speaks for an answer being among them."""
