"""Rules as a file: what is to happen to records when their numbers say so.

`language.py` parses conditions, `rules.py` reads the file, `decide.py` finds out what would happen, and
`history.py` what has happened. Nothing of a condition is evaluated by Python.
"""
