"""How closely raters agree on each dimension, by the coefficients of the field, and why these differ."""

from dialgauge.analyse.agreement.records import (
    Agreement,
    AgreementCoefficient,
    CoefficientName,
    DimensionAgreement,
    RaterScope,
    RefusedAgreement,
    WeightsChoice,
)
from dialgauge.analyse.agreement.study import analyse_agreement

__all__ = [
    "Agreement",
    "AgreementCoefficient",
    "CoefficientName",
    "DimensionAgreement",
    "RaterScope",
    "RefusedAgreement",
    "WeightsChoice",
    "analyse_agreement",
]
