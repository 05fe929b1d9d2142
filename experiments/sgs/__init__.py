"""The paper's filter-fitting experiment: Table 2, its figures, and what the paper did not ask."""
