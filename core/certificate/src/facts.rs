//! What stands in a certificate, read once and without believing any of it.
