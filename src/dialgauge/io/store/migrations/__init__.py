"""Numbered changes of the tables; Alembic runs them when a study is opened."""
