//! Reads the documents back and looks for what clients look for.
