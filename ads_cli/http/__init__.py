"""HTTP for everything: connections with deadlines, bodies within limits, downloads; signs nothing."""
