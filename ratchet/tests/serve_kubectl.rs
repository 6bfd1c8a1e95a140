//! Tests of `ratchet serve` with the real kubectl, as a person at a terminal would use it.

mod kubectl;
