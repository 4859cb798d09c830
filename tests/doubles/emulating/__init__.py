"""What the emulated providers share: a server on the loopback that fails when it is told to."""
