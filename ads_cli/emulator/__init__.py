"""An emulator of the service: a WSGI application over one SQLite file.

`app.Emulator` is the application, whose `data` is what it stores, for tests; `server` serves it.
To add an endpoint, write a handler (`core.handlers.handler`) in a module of `resources`, and name the
module in `MODULES` of its package. Nothing is imported here: every command with `--profile local` pays
for it.
"""
