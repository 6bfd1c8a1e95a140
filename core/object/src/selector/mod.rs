//! Label and field selectors: parsed once, matched against objects.
