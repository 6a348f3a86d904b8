"""An emulator of the service: a WSGI application over one SQLite file.

`app.Emulator` is the application, whose `data` is what it stores, for tests; `server` serves it.
To add an endpoint, declare a `Collection` or write a handler (`core.handlers.handler`) in a module of
`resources`. Nothing is imported here: every command with `--profile local` pays for it.
"""
