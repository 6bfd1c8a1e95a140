//! Which cluster IPs and node ports a Service gets: a plan, made from what is taken.
