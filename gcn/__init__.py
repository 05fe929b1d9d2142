"""Graph convolutional networks that stand on :mod:`polyfilter`."""
