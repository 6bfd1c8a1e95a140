//! Tests of the garbage collector: the graph step by step, and random graphs.

mod steps;
mod world;
mod worlds;
