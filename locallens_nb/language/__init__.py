"""What is known of natural languages: words, sentences, numbers, dates, and the phrases of each. Knows no file and no brain."""
