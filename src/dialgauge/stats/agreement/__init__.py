"""Agreement of raters, corrected for chance: one page for each family of coefficients.

====================== ==============================================================================================
``counts``             ratings as targets x categories, the form that most coefficients start from
``weights``            how much a near miss counts, from the declared points of the scale
``observed``           percent agreement, exact agreement of all raters
``chance``             Fleiss, Brennan-Prediger, Gwet's AC1 and AC2, the test of Fleiss' kappa against zero
``conger``             Conger's kappa: each rater keeps their own marginal distribution
``cohen``              two raters: Cohen's kappa and its test, Scott's pi; Light's mean over all pairs of raters
``alpha``              Krippendorff's alpha
``expected``           the agreement by chance of each coefficient, beside what was observed
``twoway``             the interval for new targets and new raters, from a coefficient with each of them left out
``jackknife``          alpha with each target, rater or cell left out, and its interval
``leaveout``           the same for percent agreement, the kappas of many raters and AC
``pairs``              the same for Light's kappa
``concordance``        Kendall's W
``marginals``          do two raters use the categories equally often: Stuart-Maxwell and Bhapkar
====================== ==============================================================================================

The intervals of ``jackknife``, ``leaveout`` and ``pairs`` are for new targets and new raters; all others treat the
raters as fixed. No negative value is clipped.
"""
