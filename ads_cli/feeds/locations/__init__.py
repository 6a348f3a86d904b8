"""Where feeds are: paths, standard input, addresses, object stores."""
