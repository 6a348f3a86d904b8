"""The service as data: one Request class per endpoint, with the types and limits of its fields.

A limit of the service is declared here and nowhere else. Commands, their help, validation, the client
and the emulator are derived from these classes. Nothing here imports an HTTP library.
"""
