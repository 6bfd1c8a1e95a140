//! The graph step by step, and whole worlds by chance.

mod steps;
mod world;
mod worlds;
