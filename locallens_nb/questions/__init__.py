"""What is read out of a question before anything is searched: filters, names, what is asked for, what it follows on."""
