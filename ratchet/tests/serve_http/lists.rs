//! Tests of lists: their resource version, pagination, and refused options.

use crate::server::Server;
use ratchet_store::Revision;
use serde_json::json;
use std::time::Instant;

#[tokio::test]
async fn pages_show_one_state_while_objects_change() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let names: Vec<String> = (0..10).map(|index| format!("m{index}")).collect();
    for name in &names {
        client.map(&maps, name).await;
    }
    let mut page = client.get(&format!("{maps}?limit=4")).await;
    let first = page.version();
    assert_eq!(page.json()["metadata"]["remainingItemCount"], 6);
    let mut listed = page.names();
    client.delete(&format!("{maps}/m5")).await;
    client.map(&maps, "m45").await;
    client.patch(&format!("{maps}/m8"), json!({"data": {"a": "changed"}})).await;
    let mut last = page.json();
    while let Some(token) = last["metadata"]["continue"].as_str() {
        page = client.get(&format!("{maps}?limit=4&continue={token}")).await;
        assert_eq!(page.version(), first, "all pages are of the first one's state");
        listed.extend(page.names());
        last = page.json();
    }
    assert_eq!(listed, names);
    assert_eq!(last["items"][0]["data"]["a"], "b", "m8 is shown as it was");
    assert!(last["metadata"].get("remainingItemCount").is_none());
}

#[tokio::test]
async fn pages_of_a_selection_do_not_count_what_remains() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for index in 0..9 {
        let labels = json!({"odd": (index % 2 == 1).to_string()});
        let body = json!({"metadata": {"name": format!("m{index}"), "labels": labels}});
        client.post(&maps, body).await;
    }
    let mut listed = Vec::new();
    let mut token = String::new();
    loop {
        let path = format!("{maps}?limit=2&labelSelector=odd%3Dtrue&continue={token}");
        let page = client.get(&path).await;
        assert!(page.names().len() <= 2);
        listed.extend(page.names());
        let metadata = page.json()["metadata"].clone();
        assert!(metadata.get("remainingItemCount").is_none());
        match metadata["continue"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(listed, ["m1", "m3", "m5", "m7"]);
}

#[tokio::test]
async fn a_version_says_which_state_is_shown() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let early = client.map(&maps, "a").await.version();
    let late = client.map(&maps, "b").await.version();
    let names = async |query: String| client.get(&format!("{maps}?{query}")).await.names();
    assert_eq!(names(format!("resourceVersion={early}&resourceVersionMatch=Exact")).await, ["a"]);
    assert_eq!(names(format!("resourceVersion={early}&limit=5")).await, ["a"], "exact, as of old");
    assert_eq!(names(format!("resourceVersion={early}")).await, ["a", "b"]);
    let not_older = format!("resourceVersion={late}&resourceVersionMatch=NotOlderThan");
    assert_eq!(names(not_older).await, ["a", "b"]);
    assert_eq!(names("resourceVersion=0&limit=1".into()).await, ["a", "b"], "the limit is nothing");
    assert_eq!(names("limit=-1".into()).await, ["a", "b"]);
    let exact = format!("{maps}?resourceVersion={early}&resourceVersionMatch=Exact");
    assert_eq!(client.get(&exact).await.version(), early);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    client.map(&maps, "b").await;
    let page = client.get(&format!("{maps}?limit=1")).await.json();
    let token = page["metadata"]["continue"].as_str().unwrap().to_owned();
    let options = "ListOptions.meta.k8s.io \"\" is invalid: ";
    let matching = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden";
    let number = "strconv.ParseInt: parsing \"x\": invalid syntax";
    let broken = "invalid continue token: continue key is not valid";
    let rows: &[(&str, u16, String)] = &[
        ("resourceVersionMatch=Exact", 422, format!("{options}{matching} unless resourceVersion is provided")),
        ("resourceVersion=0&resourceVersionMatch=Exact", 422, format!("{options}resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"")),
        ("resourceVersion=5&resourceVersionMatch=Foo", 422, format!("{options}resourceVersionMatch: Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"")),
        ("sendInitialEvents=true", 422, format!("{options}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list")),
        (&format!("continue={token}&resourceVersion=5&resourceVersionMatch=Exact"), 422, format!("{options}{matching} when continue is provided")),
        (&format!("continue={token}&resourceVersion=5"), 400, "specifying resource version is not allowed when using continue".into()),
        ("resourceVersion=abc", 400, "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax".into()),
        ("limit=x", 400, number.into()),
        ("timeoutSeconds=x", 400, number.into()),
        ("continue=!", 400, format!("{broken}: illegal base64 data at input byte 0")),
        ("continue=eyJ2IjoidjAifQ", 400, format!("{broken}: server does not recognize this encoded version v0")),
        ("labelSelector=a%20in%20b", 400, "unable to parse requirement: found 'b' expected: '('".into()),
        ("fieldSelector=a", 400, "invalid selector: 'a'; can't understand 'a'".into()),
    ];
    for (query, code, message) in rows {
        let answer = client.get(&format!("{maps}?{query}")).await;
        assert_eq!(answer.refusal(), (*code, message.clone()), "{query}");
    }
}

#[tokio::test]
async fn a_version_of_the_future_is_waited_for_and_then_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let start = Instant::now();
    let answer = client.get(&format!("{maps}?resourceVersion=99999999")).await;
    let waited = start.elapsed().as_secs_f64();
    assert!((2.9..20.0).contains(&waited), "{waited}");
    let (code, message) = answer.refusal();
    assert_eq!(code, 504);
    assert!(message.starts_with("Timeout: Too large resource version: 99999999, current: "));
    assert_eq!(answer.json()["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn what_is_forgotten_is_told_and_a_page_can_go_on() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    let early = client.map(&maps, "a").await.version();
    client.map(&maps, "b").await;
    client.map(&maps, "c").await;
    let page = client.get(&format!("{maps}?limit=1")).await.json();
    let token = page["metadata"]["continue"].as_str().unwrap().to_owned();
    client.delete(&format!("{maps}/b")).await;
    let latest = server.store.latest().await.unwrap();
    server.store.compact(Revision(latest.0)).await.unwrap();

    let exact = format!("{maps}?resourceVersion={early}&resourceVersionMatch=Exact");
    let gone = client.get(&exact).await;
    let text = "The resourceVersion for the provided list is too old.";
    assert_eq!((gone.refusal(), &gone.json()["reason"]), ((410, text.into()), &json!("Expired")));

    let expired = client.get(&format!("{maps}?limit=1&continue={token}")).await;
    let (code, text) = expired.refusal();
    assert_eq!(code, 410);
    assert!(text.starts_with("The provided continue parameter is too old to display a consistent"));
    let token = expired.json()["metadata"]["continue"].as_str().unwrap().to_owned();
    let rest = client.get(&format!("{maps}?limit=5&continue={token}")).await;
    assert_eq!(rest.names(), ["c"], "the rest of what is there now");
}

#[tokio::test]
async fn a_reader_sees_what_was_written_before() {
    let client = Server::shared().admin().await;
    let other = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for index in 0..50 {
        let name = format!("m{index}");
        let version = client.map(&maps, &name).await.version();
        let (one, list) = (other.get(&format!("{maps}/{name}")).await, other.get(&maps).await);
        assert_eq!(one.version(), version);
        assert_eq!(list.names().len(), index + 1);
        assert!(list.version() >= version);
        let gone = other.delete(&format!("{maps}/{name}")).await;
        assert_eq!(gone.code, 200);
        assert_eq!(client.get(&format!("{maps}/{name}")).await.code, 404);
        client.map(&maps, &name).await;
    }
}

#[tokio::test]
async fn no_namespace_is_an_empty_list() {
    let client = Server::shared().admin().await;
    let list = client.get("/api/v1/namespaces/nowhere/configmaps").await;
    assert_eq!((list.code, list.names().len()), (200, 0));
    assert!(list.text().contains("\"items\":[]"));
}
