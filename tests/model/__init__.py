"""A model of what the service must hold, whatever a user does and whatever goes wrong meanwhile."""
