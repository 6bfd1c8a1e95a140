//! Tests of conversion reviews: what is sent, and every way in which an answer can be none.

use super::*;
use crate::testing::node;

fn webhook(versions: &str) -> ConversionWebhook {
    let text = format!(
        "{{strategy: Webhook, webhook: {{conversionReviewVersions: [{versions}], clientConfig: {{url: 'https://127.0.0.1:9443/convert'}}}}}}"
    );
    ConversionWebhook::of(&node(&text)).unwrap()
}

fn widget(name: &str) -> Node<'static> {
    node(&format!(
        "{{apiVersion: x.io/v1, kind: Widget, metadata: {{name: {name}, namespace: 'n', uid: u, resourceVersion: '7', labels: {{a: b}}}}, spec: {{size: 1}}}}"
    ))
}

fn call(versions: &str, names: &[&str]) -> ConversionCall {
    let objects = names.iter().map(|name| widget(name)).collect();
    ConversionCall::new(&webhook(versions), objects, "x.io/v2", "u-1".into()).unwrap()
}

fn response(body: &str) -> Answer {
    Answer::Response { status: 200, content_type: String::new(), body: body.as_bytes().to_vec() }
}

/// A review with these converted objects.
fn success(objects: &str) -> Answer {
    response(&format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{{"uid":"u-1","result":{{"status":"Success"}},"convertedObjects":[{objects}]}}}}"#
    ))
}

#[test]
fn a_review_names_the_wanted_version() {
    let call = call("v2, v1", &["a"]);
    let expected = concat!(
        r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"x.io/v2","objects":["#,
        r#"{"apiVersion":"x.io/v1","kind":"Widget","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"a":"b"}},"spec":{"size":1}}]},"#,
        r#""response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}"#,
        "\n"
    );
    assert_eq!(call.body(), expected);
    assert_eq!(
        call.client_config().url(CONVERSION_TIMEOUT_SECONDS),
        "https://127.0.0.1:9443/convert?timeout=30s"
    );
    assert!(ConversionWebhook::of(&node("{strategy: None}")).is_none());
    let none = ConversionCall::new(&webhook("v9"), Vec::new(), "x.io/v2", String::new());
    assert_eq!(none.unwrap_err().message, "no supported conversion review versions");
}

#[test]
fn metadata_but_for_labels_and_annotations_stays() {
    let converted = success(
        r#"{"apiVersion":"x.io/v2","kind":"Widget","metadata":{"name":"a","namespace":"n","uid":"u","labels":{"c":"d"},"annotations":null,"generation":9},"spec":{"width":1}}"#,
    );
    let objects = call("v1", &["a"]).finish(converted).unwrap();
    assert_eq!(
        objects[0].to_json(),
        r#"{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"c":"d"}},"apiVersion":"x.io/v2","kind":"Widget","spec":{"width":1}}"#
    );
}

#[test]
fn answers_that_convert_nothing() {
    const START: &str = "conversion webhook for x.io/v1, Kind=Widget ";
    let object = |metadata: &str| {
        format!(r#"{{"apiVersion":"x.io/v2","kind":"Widget","metadata":{metadata}}}"#)
    };
    let same =
        |labels: &str| object(&format!(r#"{{"name":"a","namespace":"n","uid":"u",{labels}}}"#));
    let url = "https://127.0.0.1:9443/convert?timeout=30s".to_string();
    for (answer, message) in [
        (
            Answer::Unreachable { url, reason: "EOF".into() },
            r#"failed: Post "https://127.0.0.1:9443/convert?timeout=30s": EOF"#,
        ),
        (
            Answer::Response { status: 500, content_type: String::new(), body: b"no".to_vec() },
            r#"failed: an error on the server ("no") has prevented the request from succeeding"#,
        ),
        (
            response(r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1"}"#),
            "failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion",
        ),
        (
            response(r#"{"response":{"convertedObjects":1}}"#),
            "failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension",
        ),
        (
            response("{}"),
            "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=",
        ),
        (
            response(r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}"#),
            "failed: no response provided",
        ),
        (
            response(
                r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"x"}}"#,
            ),
            r#"failed: expected response.uid="u-1", got "x""#,
        ),
        (
            response(
                r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u-1","result":{"status":"Failure","message":"cannot"}}}"#,
            ),
            "failed: cannot",
        ),
        (
            response(
                r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u-1"}}"#,
            ),
            "failed: response.result.status was '', not 'Success'",
        ),
        (success(""), "returned 0 objects, expected 1"),
        (
            success(r#"{"apiVersion":"x.io/v1","kind":"Widget"}"#),
            "returned invalid object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v1)",
        ),
        (
            success(r#"{"apiVersion":"x.io/v2","kind":"Gadget"}"#),
            "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)",
        ),
        (success(&object("{}")), "returned invalid object: must have the same name: a != "),
        (
            success(&object(r#"{"name":"a","namespace":"n","uid":"w"}"#)),
            "returned invalid object: must have the same UID: u != w",
        ),
        (
            success(&same(r#""labels":[]"#)),
            "returned invalid metadata: invalid metadata.labels of type []interface {} in converted object",
        ),
        (
            success(&same(r#""annotations":{"k":1}"#)),
            "returned invalid metadata: metadata.annotations[k] must be a string, but is int64 in converted object",
        ),
        (
            success(&same(r#""labels":{"a":"b c"}"#)),
            "returned invalid metadata: metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
    ] {
        let error = call("v1", &["a"]).finish(answer).unwrap_err();
        assert_eq!(error.message, format!("{START}{message}"));
    }
}

#[test]
fn the_older_review_is_believed_without_its_id() {
    let answer = response(
        r#"{"response":{"result":{"status":"Success"},"convertedObjects":[{"apiVersion":"x.io/v2","kind":"Widget","metadata":{"name":"a","namespace":"n","uid":"u"}}]}}"#,
    );
    assert!(call("v1beta1, v1", &["a"]).finish(answer).is_ok());
}

#[test]
fn objects_of_a_list_are_counted() {
    let object = |name: &str| {
        format!(
            r#"{{"apiVersion":"x.io/v2","kind":"Widget","metadata":{{"name":"{name}","namespace":"n","uid":"u"}}}}"#
        )
    };
    let both = format!("{},{}", object("a"), object("b"));
    let objects = call("v1", &["a", "b"]).finish(success(&both)).unwrap();
    assert_eq!(objects[1].text_at(&["metadata", "name"]), "b");
    let twice = format!("{},{}", object("a"), object("a"));
    let error = call("v1", &["a", "b"]).finish(success(&twice)).unwrap_err();
    assert_eq!(
        error.message,
        "conversion webhook for x.io/v1, Kind=Widget returned invalid converted object at index 1: must have the same name: b != a"
    );
    assert_eq!(error.failure.as_str(), "conversion_webhook_invalid_converted_object_failure");
    let error = call("v1", &["a", "b"]).finish(success(&object("a"))).unwrap_err();
    assert_eq!(
        error.message,
        "conversion webhook for x.io/v1, Kind=Widget returned 1 objects, expected 2"
    );
}
