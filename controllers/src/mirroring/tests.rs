//! Plans, behaviour by behaviour.
