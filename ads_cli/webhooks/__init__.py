"""What sender and receiver of webhook deliveries share."""
