//! Issuer of service account tokens that a door lends to the controllers.

/// The service account of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account<'a> {
    /// The namespace of the account.
    pub namespace: &'a str,
    /// The name of the account.
    pub name: &'a str,
    /// The uid of the account.
    pub uid: &'a str,
}

/// Issues tokens. Signing is the one thing that the API does not do for controllers.
pub trait TokenIssuer: Send + Sync + 'static {
    /// A token of the account, valid as long as this secret holds it.
    fn token(&self, account: Account<'_>, secret: &str) -> Result<String, String>;
}
