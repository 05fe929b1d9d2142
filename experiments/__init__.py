"""The runs that produce every table, figure and number we print."""
