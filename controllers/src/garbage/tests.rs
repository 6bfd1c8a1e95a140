//! The graph step by step, and whole worlds by chance.
