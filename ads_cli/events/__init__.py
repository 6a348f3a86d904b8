"""Events of the service as they arrive: deliveries to webhooks, and the activity stream."""
