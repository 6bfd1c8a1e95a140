//! The source of an audit, by name.

/// Where the objects came from, by name.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// The URL of a server.
    Server(String),
    /// Paths of files.
    Files(Vec<String>),
}

impl Input {
    /// The name in titles.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Server(url) => url.clone(),
            Self::Files(files) => files.join(", "),
        }
    }
}
