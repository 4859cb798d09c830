"""Mail, calendar and contacts at the providers, behind one set of types, readers and writers."""
