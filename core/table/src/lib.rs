//! Objects as rows of the tables that people read.
