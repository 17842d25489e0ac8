"""What is put in before the schema sees a scene: overrides, parameters, copies."""
