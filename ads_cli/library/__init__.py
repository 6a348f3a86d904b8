"""The Python module: connections, whose methods run commands in the process of a program."""
