//! Every kind before and after its defaults.
