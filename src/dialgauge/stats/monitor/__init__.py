"""Watching a fixed set of targets over time: evidence that does not grow false however often one looks.

============= =========================================================================================================
``exchange``  an e-value from one baseline and later occasions, exact where occasions could be exchanged
``sequence``  e-values of many occasions into one process, and Holm's adjustment over many processes
``parts``     what is exchanged: means for shifts, spread within and between targets for reliability
============= =========================================================================================================
"""
