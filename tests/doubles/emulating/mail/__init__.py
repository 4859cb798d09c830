"""Mail as emulated services look at it: raw messages, their headers, and words to search for."""
