"""What the commands of declared requests share: the steps of one request, and changes of several records."""
