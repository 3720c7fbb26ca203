"""Checks of simulated users: whether their acceptance says anything of the systems, and whether it repeats."""

from dialgauge.analyse.users.records import Replicability, UserChecks, UserShare
from dialgauge.analyse.users.study import check_users

__all__ = ["Replicability", "UserChecks", "UserShare", "check_users"]
