"""Kinds of feeds that shops already have, a data file for each: how columns and values become products."""
