"""Ratings in, labelled results out."""
