//! Who asks: certificates and tokens become a user.
