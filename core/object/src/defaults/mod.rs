//! What the API server fills in where a writer is silent.
