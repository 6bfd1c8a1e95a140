//! The exam.
