//! Holds the table against the kinds of the schema.
