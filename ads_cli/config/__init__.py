"""Settings, profiles, atomic files and strict YAML."""
