"""The page on which people rate: one small web application, started by ``dialgauge serve``."""
