"""Who may come in, and with which rights."""
