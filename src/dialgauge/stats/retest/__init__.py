"""Repeated measurement: does a rater repeat itself, and do two raters give the same values.

=============== =====================================================================================================
``repeat``      the correlations of a table targets x replicates in both printed forms; alpha for categories
``incomplete``  which targets and replicates make a complete table, and REML beside it
``between``     every replicate of one rater against every replicate of another: MAE and kappa
``shares``      shares with exact intervals, and what a share of zero still allows
=============== =====================================================================================================
"""
