"""Readers and writers, a module for each format or family of formats; `registry` names them."""
