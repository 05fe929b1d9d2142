"""The paper's benchmarks on real data: Tables 3 to 5, the molhiv table, and what depth they ask."""
