//! Keys of a keyboard as the DevTools protocol names them.

use serde_json::{Value, json};

/// The parameters of `Input.dispatchKeyEvent` for a key, without its type.
pub(crate) fn key_event(key: &str) -> Value {
    let (code, number, text) = match key {
        "Enter" => ("Enter", 13, "\r"),
        "Tab" => ("Tab", 9, ""),
        "Escape" => ("Escape", 27, ""),
        "ArrowDown" => ("ArrowDown", 40, ""),
        "ArrowUp" => ("ArrowUp", 38, ""),
        "ArrowLeft" => ("ArrowLeft", 37, ""),
        "ArrowRight" => ("ArrowRight", 39, ""),
        "Home" => ("Home", 36, ""),
        "End" => ("End", 35, ""),
        "PageDown" => ("PageDown", 34, ""),
        "PageUp" => ("PageUp", 33, ""),
        "/" => ("Slash", 191, "/"),
        " " => ("Space", 32, " "),
        other => panic!("no such key is known: {other:?}"),
    };
    json!({
        "key": key,
        "code": code,
        "windowsVirtualKeyCode": number,
        "nativeVirtualKeyCode": number,
        "text": text,
    })
}
