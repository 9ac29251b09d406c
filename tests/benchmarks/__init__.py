"""Measurements: run one by hand with its make target; none of them is a test."""
