"""Studies made by simulation, with the truth known."""

from dialgauge.simulate.crowd import PROFILES, Profile, generate_crowd_study

__all__ = ["PROFILES", "Profile", "generate_crowd_study"]
