"""What collecting ratings will take, how far it is, and what it came to."""
