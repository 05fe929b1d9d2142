"""Side-by-side timings: every figure that must hold, as ratios and errors of one run."""
