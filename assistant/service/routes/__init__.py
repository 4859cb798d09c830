"""What the API offers, one module for each thing."""
