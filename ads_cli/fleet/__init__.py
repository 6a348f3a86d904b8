"""Many commands, each under its own profile, on this machine or on a cluster."""
