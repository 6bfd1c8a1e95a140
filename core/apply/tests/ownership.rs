//! Ownership: who gets fields, who loses them, who conflicts, and when.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::ObjectServer;

fn config_map() -> ObjectServer {
    ObjectServer::built_in("", "v1", "ConfigMap")
}

fn data(data: &str) -> String {
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x}}, data: {data}}}")
}

#[test]
fn an_apply_owns_what_it_says() {
    let mut server = config_map();
    server.apply("m1", &data("{a: '1', b: '2'}"), false).unwrap();
    assert_eq!(server.managers(), [r#"m1 Apply v1 00:00 {"f:data":{"f:a":{},"f:b":{}}}"#]);
}

#[test]
fn the_same_again_changes_nothing() {
    let mut server = config_map();
    server.apply("m1", &data("{a: '1'}"), false).unwrap();
    server.now = 5;
    server.apply("m1", &data("{a: '1'}"), false).unwrap();
    assert_eq!((server.writes, server.managers()), (1, vec![line("m1", "Apply", "00:00", "a")]));
    server.put("u1", &data("{a: '1'}"));
    assert_eq!((server.writes, server.managers().len()), (1, 1));
}

fn line(manager: &str, operation: &str, time: &str, fields: &str) -> String {
    let fields: Vec<String> = fields.split(' ').map(|name| format!(r#""f:{name}":{{}}"#)).collect();
    let fields = fields.join(",").replace(r#""f:.""#, r#"".""#);
    format!(r#"{manager} {operation} v1 {time} {{"f:data":{{{fields}}}}}"#)
}

#[test]
fn equal_values_are_shared_and_others_conflict() {
    let mut server = config_map();
    server.apply("m1", &data("{a: '1', b: '2'}"), false).unwrap();
    server.now = 1;
    // It changes nothing but the entries, so that the new one has no time and comes first.
    server.apply("m2", &data("{a: '1'}"), false).unwrap();
    assert_eq!(
        server.managers(),
        [line("m2", "Apply", "none", "a"), line("m1", "Apply", "00:00", "a b")]
    );
    let error = server.apply("m2", &data("{a: '2'}"), false).unwrap_err();
    assert_eq!((error.code(), error.reason()), (409, "Conflict"));
    assert_eq!(error.to_string(), r#"Apply failed with 1 conflict: conflict with "m1": .data.a"#);
    server.apply("m2", &data("{a: '2'}"), true).unwrap();
    assert_eq!(
        server.managers(),
        [line("m1", "Apply", "00:00", "b"), line("m2", "Apply", "00:01", "a")]
    );
    assert_eq!(server.value(&["data"]), r#"{"a":"2","b":"2"}"#);
}

#[test]
fn conflicts_are_sorted_by_manager_and_path() {
    let mut server = config_map();
    server.apply("zoe", &data("{a: '1', c: '1'}"), false).unwrap();
    server.apply("adam", &data("{b: '1'}"), false).unwrap();
    server.patch("u1", "{data: {d: '1'}}");
    let error = server.apply("m", &data("{a: '2', b: '2', c: '2', d: '2'}"), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Apply failed with 4 conflicts: conflicts with \"adam\":\n- .data.b\nconflicts with \"u1\" using v1:\n- .data.d\nconflicts with \"zoe\":\n- .data.a\n- .data.c"
    );
    let causes: Vec<(&str, String)> =
        error.conflicts().iter().map(|cause| (cause.field.as_str(), cause.message())).collect();
    assert_eq!(causes[1], (".data.d", r#"conflict with "u1" using v1"#.to_owned()));
}

#[test]
fn what_a_manager_gives_up_is_removed_unless_another_owns_it() {
    let mut server = config_map();
    server.apply("m1", &data("{a: '1', b: '2', c: '3'}"), false).unwrap();
    server.apply("m2", &data("{b: '2'}"), false).unwrap();
    server.patch("u1", "{data: {c: '4'}}");
    server.apply("m1", &data("{}"), false).unwrap();
    assert_eq!(server.value(&["data"]), r#"{"b":"2","c":"4"}"#);
    // An empty map is owned itself.
    assert_eq!(
        server.managers(),
        [
            line("m2", "Apply", "none", "b"),
            r#"m1 Apply v1 00:00 {"f:data":{}}"#.to_owned(),
            line("u1", "Update", "00:00", "c"),
        ]
    );
}

#[test]
fn an_update_takes_what_it_changes_and_leaves_the_rest() {
    let mut server = config_map();
    server.apply("m1", &data("{a: '1', b: '1'}"), false).unwrap();
    server.now = 1;
    server.put("u1", &data("{a: '2', c: '3'}"));
    // b is gone, and so is m1.
    assert_eq!(server.managers(), [line("u1", "Update", "00:01", "a c")]);
    server.now = 2;
    server.put("u2", &data("{a: '2', c: '4'}"));
    server.now = 3;
    server.put("u1", &data("{a: '5', c: '4'}"));
    assert_eq!(
        server.managers(),
        [line("u2", "Update", "00:02", "c"), line("u1", "Update", "00:03", "a")]
    );
}

#[test]
fn a_create_owns_the_maps_it_makes() {
    let mut server = config_map();
    server.put("u1", &data("{a: '1'}"));
    assert_eq!(server.managers(), [line("u1", "Update", "00:00", ". a")]);
    let mut server = config_map();
    server.put("", &data("{a: '1'}"));
    assert_eq!(server.managers(), [line("unknown", "Update", "00:00", ". a")]);
}

#[test]
fn entries_can_be_sent_and_reset() {
    let sent = |entries: &str| {
        let mut server = config_map();
        server.apply("m1", &data("{a: '1', b: '1'}"), false).unwrap();
        server.now = 1;
        server.put(
            "u1",
            &format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: x, managedFields: {entries}}}, data: {{a: '1', b: '2'}}}}"),
        );
        server
    };
    let entry = |members: &str| format!("[{{manager: z, {members}, fieldsType: FieldsV1}}]");
    let own = line("u1", "Update", "00:01", "b");
    for entries in ["[]", "[{}]"] {
        let mut server = sent(entries);
        assert!(server.managers().is_empty(), "{entries}");
        server.put("u1", &data("{a: '3'}"));
        assert!(server.managers().is_empty(), "nobody is tracked until the next apply");
        server.now = 2;
        let error = server.apply("m3", &data("{a: '4'}"), false).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a"#
        );
        server.apply("m3", &data("{b: '4'}"), false).unwrap();
        assert_eq!(
            server.managers(),
            [
                line("m3", "Apply", "00:02", "b"),
                line("before-first-apply", "Update", "00:02", ". a"),
            ]
        );
    }
    // What cannot be decoded counts as absent.
    for entries in [
        "null".to_owned(),
        entry("apiVersion: v1, fieldsV1: {f:data: {f:a: {}}}"),
        entry("operation: Patch, apiVersion: v1"),
        entry("operation: Apply"),
        entry("operation: Apply, apiVersion: v1, fieldsV1: {banana: {}}"),
        "[{manager: z, operation: Apply, apiVersion: v1}]".to_owned(),
    ] {
        assert_eq!(
            sent(&entries).managers(),
            [line("m1", "Apply", "00:00", "a"), own.clone()],
            "{entries}"
        );
    }
    let apply = |rest: &str| entry(&format!("operation: Apply, {rest}"));
    for (entries, expected) in [
        (
            apply("apiVersion: v1, fieldsV1: {f:data: {f:a: {}}}"),
            vec![line("z", "Apply", "none", "a"), own.clone()],
        ),
        // Fields that do not exist are kept, versions that do not exist are not.
        (
            apply("apiVersion: v1, fieldsV1: {f:data: {f:zz: {}}}"),
            vec![line("z", "Apply", "none", "zz"), own.clone()],
        ),
        (apply("apiVersion: v9, fieldsV1: {f:data: {f:a: {}}}"), vec![own.clone()]),
        (apply("apiVersion: v1, fieldsV1: {}"), vec![own]),
        // What is no version at all fails, and then nothing is left.
        (apply("apiVersion: a/b/c, fieldsV1: {f:data: {f:a: {}}}"), vec![]),
    ] {
        assert_eq!(sent(&entries).managers(), expected, "{entries}");
    }
}

#[test]
fn at_most_ten_managers_of_updates_are_kept() {
    let mut server = config_map();
    for n in 0..12 {
        server.now = n;
        match n {
            0 => server.put("u00", &data("{k00: '1'}")),
            n => server.patch(&format!("u{n:02}"), &format!("{{data: {{k{n:02}: '1'}}}}")),
        }
    }
    let managers = server.managers();
    assert_eq!(managers.len(), 10);
    assert_eq!(managers[0], line("ancient-changes", "Update", "00:02", ". k00 k01 k02"));
    assert_eq!(managers[9], line("u11", "Update", "00:11", "k11"));
}

#[test]
fn a_status_endpoint_owns_the_status_and_the_main_one_does_not() {
    let object = |spec: &str, status: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: x}}, spec: {spec}, status: {status}}}"
        )
    };
    let mut server = ObjectServer::built_in("", "v1", "Pod");
    let spec = "{containers: [{name: c, image: i}]}";
    server.apply("m1", &object(spec, "{phase: Running}"), false).unwrap();
    assert_eq!(
        server.managers(),
        [
            r#"m1 Apply v1 00:00 {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}}"#
        ]
    );
    server.subresource = "status";
    server.now = 1;
    server.apply("m1", &object("{hostNetwork: true}", "{phase: Failed}"), true).unwrap();
    assert_eq!(server.managers()[1], r#"m1 Apply v1 status 00:01 {"f:status":{"f:phase":{}}}"#);
    server.now = 2;
    server.patch("u1", "{status: {reason: r}}");
    assert_eq!(server.managers()[2], r#"u1 Update v1 status 00:02 {"f:status":{"f:reason":{}}}"#);
}
