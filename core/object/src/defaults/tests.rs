//! Tests of every kind before and after its defaults.
