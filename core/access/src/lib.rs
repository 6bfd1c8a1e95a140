//! Who may do what: RBAC as a pure function.
