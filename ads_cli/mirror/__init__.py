"""The mirror: the records and the statistics of accounts in a database, the same tables every morning."""
