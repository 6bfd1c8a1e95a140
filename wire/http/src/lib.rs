//! The listener: TLS and its reload, draining, certificates, metrics.
