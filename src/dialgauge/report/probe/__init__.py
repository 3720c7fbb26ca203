"""What injected texts do to ratings: read from a store, and shown."""
