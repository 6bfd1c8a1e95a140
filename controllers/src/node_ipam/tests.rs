//! What a node says about its networks.
