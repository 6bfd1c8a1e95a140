//! A durable store in one file, for one machine.
