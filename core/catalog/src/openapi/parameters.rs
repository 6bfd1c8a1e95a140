//! Table of the path and query parameters of requests.

/// A parameter of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The name in the request; unique, for the same name never means two things here.
    pub(crate) name: &'static str,
    /// The type in JSON schema.
    pub(crate) ty: &'static str,
    /// Whether it is a required part of the path. Otherwise it is in the query.
    pub(crate) in_path: bool,
    pub(crate) description: &'static str,
}

impl Parameter {
    /// The value of `in` in OpenAPI.
    pub(crate) fn location(&self) -> &'static str {
        if self.in_path { "path" } else { "query" }
    }
}

const fn query(name: &'static str, ty: &'static str, description: &'static str) -> Parameter {
    Parameter { name, ty, in_path: false, description }
}

const fn path(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, ty: "string", in_path: true, description }
}

/// References to parameters of the table.
pub(crate) type Parameters = &'static [&'static Parameter];

macro_rules! parameters {
    ($($constant:ident = $parameter:expr;)+) => {
        $(pub(crate) static $constant: Parameter = $parameter;)+

        /// All parameters.
        pub(crate) static ALL: Parameters = &[$(&$constant),+];
    };
}

parameters! {
    ALLOW_WATCH_BOOKMARKS = query("allowWatchBookmarks", "boolean",
        "Allows a watch to send events of type BOOKMARK, which only carry a resource version.");
    COMMAND = query("command", "string",
        "A word of the command to run; the first is the program. May be repeated.");
    CONTAINER = query("container", "string",
        "The container of the pod; may be left out if there is only one.");
    CONTINUE = query("continue", "string",
        "The token of the page before, to go on where it ended; all else in the query must be as it was.");
    DRY_RUN = query("dryRun", "string",
        "With the value All, everything is done but the storing.");
    FIELD_MANAGER = query("fieldManager", "string",
        "The name of who makes this change, at most 128 printable characters. Apply requires it.");
    FIELD_SELECTOR = query("fieldSelector", "string",
        "A selector to restrict the list of returned objects by their fields.");
    FIELD_VALIDATION = query("fieldValidation", "string",
        "What to do about unknown and repeated fields: Ignore them, Warn about each (the default), \
         or be Strict and refuse the request.");
    FOLLOW = query("follow", "boolean", "Goes on with what is logged from now on.");
    FORCE = query("force", "boolean",
        "Takes over fields that others own, when applying; must not be set otherwise.");
    GRACE_PERIOD_SECONDS = query("gracePeriodSeconds", "integer",
        "How long the object may take to end; zero ends it at once.");
    IGNORE_STORE_READ_ERROR = query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean",
        "Deletes an object that cannot be read any more, without regard to finalizers. Dangerous.");
    INSECURE_SKIP_TLS_VERIFY_BACKEND = query("insecureSkipTLSVerifyBackend", "boolean",
        "Does not check the certificate of the kubelet that has the log.");
    LABEL_SELECTOR = query("labelSelector", "string",
        "A selector to restrict the list of returned objects by their labels.");
    LIMIT = query("limit", "integer",
        "The most objects to list at once; a token leads to the others.");
    LIMIT_BYTES = query("limitBytes", "integer", "The most bytes of log to send.");
    NAME = path("name", "The name of the object.");
    NAMESPACE = path("namespace", "The namespace of the object.");
    ORPHAN_DEPENDENTS = query("orphanDependents", "boolean",
        "Deprecated: use propagationPolicy. Whether to leave dependent objects alone.");
    PORTS = query("ports", "integer", "The ports of the pod to forward to.");
    PRETTY = query("pretty", "string", "With the value true, the answer is indented.");
    PREVIOUS = query("previous", "boolean", "Shows the log of the container's run before this one.");
    PROPAGATION_POLICY = query("propagationPolicy", "string",
        "What becomes of dependent objects: Orphan, Background or Foreground.");
    PROXY_PATH = path("path", "The path of the request behind the proxy.");
    RESOURCE_VERSION = query("resourceVersion", "string",
        "How recent what is served must be; for a watch, where it begins.");
    RESOURCE_VERSION_MATCH = query("resourceVersionMatch", "string",
        "How resourceVersion is meant when listing: Exact or NotOlderThan.");
    SEND_INITIAL_EVENTS = query("sendInitialEvents", "boolean",
        "Begins a watch with the objects that exist, ended by a bookmark.");
    SINCE_SECONDS = query("sinceSeconds", "integer", "Shows only what is younger than this.");
    SINCE_TIME = query("sinceTime", "string", "Shows only what is younger than this moment.");
    STDERR = query("stderr", "boolean", "Connects to standard error.");
    STDIN = query("stdin", "boolean", "Connects to standard input.");
    STDOUT = query("stdout", "boolean", "Connects to standard output.");
    STREAM = query("stream", "string", "The stream to show: All, Stdout or Stderr.");
    TAIL_LINES = query("tailLines", "integer", "Shows only so many lines at the end of the log.");
    TIMEOUT_SECONDS = query("timeoutSeconds", "integer",
        "How long the request may take, however much there is to tell.");
    TIMESTAMPS = query("timestamps", "boolean", "Begins each line with the time it was written.");
    TTY = query("tty", "boolean", "Gives the program a terminal.");
    WATCH = query("watch", "boolean",
        "Watch for changes to the described resources: each is told as it happens, and nothing is listed.");
}

pub(crate) static OF_LIST: Parameters = &[
    &ALLOW_WATCH_BOOKMARKS,
    &CONTINUE,
    &FIELD_SELECTOR,
    &LABEL_SELECTOR,
    &LIMIT,
    &RESOURCE_VERSION,
    &RESOURCE_VERSION_MATCH,
    &SEND_INITIAL_EVENTS,
    &TIMEOUT_SECONDS,
    &WATCH,
];

pub(crate) static OF_CHANGE: Parameters = &[&DRY_RUN, &FIELD_MANAGER, &FIELD_VALIDATION];

pub(crate) static OF_PATCH: Parameters = &[&DRY_RUN, &FIELD_MANAGER, &FIELD_VALIDATION, &FORCE];

pub(crate) static OF_DELETE: Parameters = &[
    &DRY_RUN,
    &GRACE_PERIOD_SECONDS,
    &IGNORE_STORE_READ_ERROR,
    &ORPHAN_DEPENDENTS,
    &PROPAGATION_POLICY,
];

pub(crate) static OF_DELETE_COLLECTION: Parameters = &[
    &CONTINUE,
    &DRY_RUN,
    &FIELD_SELECTOR,
    &GRACE_PERIOD_SECONDS,
    &IGNORE_STORE_READ_ERROR,
    &LABEL_SELECTOR,
    &LIMIT,
    &ORPHAN_DEPENDENTS,
    &PROPAGATION_POLICY,
    &RESOURCE_VERSION,
    &RESOURCE_VERSION_MATCH,
    &TIMEOUT_SECONDS,
];

/// The parameters of a connecting subresource.
pub(crate) fn of_subresource(name: &str) -> Parameters {
    let row = OF_SUBRESOURCES.iter().find(|(subresource, _)| *subresource == name);
    row.map_or(&[], |(_, parameters)| parameters)
}

static OF_SUBRESOURCES: &[(&str, Parameters)] = &[
    ("attach", &[&CONTAINER, &STDERR, &STDIN, &STDOUT, &TTY]),
    ("exec", &[&COMMAND, &CONTAINER, &STDERR, &STDIN, &STDOUT, &TTY]),
    (
        "log",
        &[
            &CONTAINER,
            &FOLLOW,
            &INSECURE_SKIP_TLS_VERIFY_BACKEND,
            &LIMIT_BYTES,
            &PREVIOUS,
            &SINCE_SECONDS,
            &SINCE_TIME,
            &STREAM,
            &TAIL_LINES,
            &TIMESTAMPS,
        ],
    ),
    ("portforward", &[&PORTS]),
];
