"""The paper's claims, one file each, settled by computation.

Every module of this package defines a ``CLAIM`` (:class:`polyfilter.claim.Claim`);
:mod:`polyfilter.ledger` finds and runs them. Claims import nothing from each other.
"""
