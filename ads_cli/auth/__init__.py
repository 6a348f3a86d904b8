"""Secret stores (keyring, file, environment) and the sign-in flow."""
