"""One module for each verb of the command line; ``main`` lists them."""
