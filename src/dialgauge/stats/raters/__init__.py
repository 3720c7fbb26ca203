"""How raters differ: in severity, consistency, agreement with others, use of the scale, and care."""
