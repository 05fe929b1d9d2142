"""Polynomial graph filters as stacks of second-order layers."""
