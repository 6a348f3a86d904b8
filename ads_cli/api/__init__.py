"""The service as data: one Request class per endpoint, one type per kind of field.

A limit of the service is written here and nowhere else. The command line, the check before
sending, the client and the emulator all read these classes; nothing here knows of HTTP libraries.
"""
