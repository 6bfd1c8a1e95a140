//! The audit log: which requests are told, and how much of them.
