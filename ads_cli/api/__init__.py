"""The service as data: one Request class per endpoint, with the types and limits of its fields.

A limit of a field is declared here and nowhere else; those of files of media are in `media/rules.py`.
Commands, their help, validation, the client and the emulator are derived from these classes. Nothing here
imports an HTTP library.
"""
