//! Authentication: certificates and tokens become users.
//!
//! ```
//! use ratchet_identity::TokenFile;
//!
//! let file = TokenFile::parse("s3cret,ann,42,\"devs,ops\"\n").unwrap();
//! let user = file.user("s3cret").unwrap();
//! assert_eq!((user.name.as_str(), user.groups.len()), ("ann", 3));
//! assert!(file.user("guess").is_none());
//! ```

mod authenticate;
mod bearer;
mod bootstrap_token;
mod bound_object;
mod certificate;
mod claims;
mod headers;
mod impersonation;
mod jwt;
mod keys;
mod legacy;
mod proxy;
mod reloading;
mod service_account;
mod token_file;
mod usage;

pub use authenticate::{Authenticators, Config, Reviewed, Verdict};
pub use certificate::Authorities;
pub use headers::strip_impersonation;
pub use impersonation::impersonation;
pub use keys::{Algorithm, KeyError, PublicKey, SigningKey};
pub use proxy::Proxy;
pub use reloading::{ReloadError, Reloading};
pub use service_account::{Account, Bound, Issued, Issuing, ServiceAccounts};
pub use token_file::{TokenFile, TokenFileError};
pub use usage::{SecretUsage, TokenCounter, TokenUsage};
