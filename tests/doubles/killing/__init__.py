"""Kills programs at random moments and counts what took effect against what was approved."""
