"""What the service sends to others: challenges and deliveries to webhooks, and events to streams."""
