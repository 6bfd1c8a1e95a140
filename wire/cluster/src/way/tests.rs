//! Tests of invalid kubeconfigs and their error messages.

use super::*;
use std::io::Write;

const GOOD: &str = r#"
apiVersion: v1
kind: Config
current-context: here
clusters:
- {name: one, cluster: {server: "https://127.0.0.1:1"}}
contexts:
- {name: here, context: {cluster: one, user: me}}
- {name: there, context: {cluster: gone, user: me}}
users:
- {name: me, user: {token: abc}}
"#;

async fn config_of(text: &str, way: ConfigFlags) -> Result<Config, String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let way = ConfigFlags { kubeconfig: Some(file.path().to_owned()), ..way };
    let path_text = file.path().display().to_string();
    way.config().await.map_err(|error| error.to_string().replace(&path_text, "FILE"))
}

fn name(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn what_is_named_is_taken() {
    let config = config_of(GOOD, ConfigFlags::default()).await.unwrap();
    assert_eq!(config.cluster_url.to_string(), "https://127.0.0.1:1/");
    let way = ConfigFlags {
        context: name("there"),
        cluster: name("one"),
        impersonate: name("ada"),
        impersonate_groups: vec!["devs".to_owned()],
        ..ConfigFlags::default()
    };
    let config = config_of(GOOD, way).await.unwrap();
    assert_eq!(config.auth_info.impersonate.as_deref(), Some("ada"));
    assert_eq!(config.auth_info.impersonate_groups.unwrap(), ["devs"]);
    assert!(!config.default_retry);
}

#[tokio::test]
async fn what_is_not_there_is_told_with_what_is() {
    let context = ConfigFlags { context: name("nope"), ..ConfigFlags::default() };
    assert_eq!(
        config_of(GOOD, context).await.unwrap_err(),
        "FILE has no context \"nope\"; its contexts are here, there"
    );
    let cluster = ConfigFlags { cluster: name("nope"), ..ConfigFlags::default() };
    assert_eq!(
        config_of(GOOD, cluster).await.unwrap_err(),
        "FILE has no cluster \"nope\"; its clusters are one"
    );
    let user = ConfigFlags { user: name("nope"), ..ConfigFlags::default() };
    assert_eq!(
        config_of(GOOD, user).await.unwrap_err(),
        "FILE has no user \"nope\"; its users are me"
    );
    let dangling = ConfigFlags { context: name("there"), ..ConfigFlags::default() };
    let why = config_of(GOOD, dangling).await.unwrap_err();
    assert!(why.starts_with("FILE: ") && why.contains("gone"), "{why}");
    assert_eq!(
        config_of("", ConfigFlags::default()).await.unwrap_err(),
        "FILE has no current context: name one with --context; it has no contexts"
    );
    let why = config_of("clusters: 5", ConfigFlags::default()).await.unwrap_err();
    assert!(why.starts_with("FILE is no kubeconfig: ") && !why.contains('\n'), "{why}");
}

#[tokio::test]
async fn a_file_that_is_not_there_is_named() {
    let way =
        ConfigFlags { kubeconfig: Some("/nowhere/kubeconfig".into()), ..ConfigFlags::default() };
    let why = way.config().await.unwrap_err().to_string();
    assert!(why.starts_with("cannot read the kubeconfig /nowhere/kubeconfig: "), "{why}");
    assert!(why.ends_with("name another with --kubeconfig"), "{why}");
}
