//! `ratchet serve` driven by the real kubectl, as a person at a terminal would drive it.

mod kubectl;
