// Empty: the target exists so that its dependencies, the plugins, are built.
