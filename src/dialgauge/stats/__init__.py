"""Numbers: arrays in, frozen results out. Knows no study and no data frame."""
