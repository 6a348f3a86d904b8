"""Everything around a push breaks, again and again; nothing is lost, and nothing is told that is not so."""
