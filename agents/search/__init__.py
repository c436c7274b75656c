"""Players that search: by sampled worlds, by a tree over what a seat knows, or exactly."""
