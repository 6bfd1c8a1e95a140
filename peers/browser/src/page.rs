//! One page: scripts, keys, clicks, media and sizes, pictures and paper, and what it logged and fetched.

use crate::connection::{Connection, PATIENCE};
use crate::keys::key_event;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A page of a browser.
pub struct Page<'b> {
    connection: &'b mut Connection,
    target: String,
    session: String,
}

impl<'b> Page<'b> {
    pub(crate) fn attach(connection: &'b mut Connection) -> Self {
        connection.events.clear();
        let made = connection.call(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let target = made["targetId"].as_str().expect("a target has an id").to_owned();
        let params = json!({"targetId": target, "flatten": true});
        let attached = connection.call(None, "Target.attachToTarget", &params);
        let session = attached["sessionId"].as_str().expect("a session has an id").to_owned();
        let mut page = Self { connection, target, session };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.connection.call(Some(&self.session), method, params)
    }

    /// Loads an address and waits until the document and its scripts are complete.
    pub(crate) fn navigate(&mut self, url: &str) {
        let answer = self.call("Page.navigate", &json!({"url": url}));
        assert!(answer.get("errorText").is_none(), "{url}: {answer}");
        self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /// The value of an expression; promises are awaited.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"].get("value").cloned().unwrap_or(Value::Null)
    }

    /// The value of an expression as text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        loop {
            let params = json!({"expression": expression, "returnByValue": true});
            let answer = self.call("Runtime.evaluate", &params);
            // A page that is just being replaced has nothing to evaluate in.
            if answer["result"]["value"] == json!(true) {
                return;
            }
            if start.elapsed() > PATIENCE {
                let seen = self.text("document.body ? document.body.innerText.slice(0, 2000) : ''");
                panic!("never true: {expression}\n{answer}\n{seen}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses and releases a key.
    pub fn press(&mut self, key: &str) {
        self.press_with(key, 0);
    }

    /// Presses Tab, or Shift and Tab.
    pub fn tab(&mut self, is_back: bool) {
        self.press_with("Tab", if is_back { 8 } else { 0 });
    }

    fn press_with(&mut self, key: &str, modifiers: u8) {
        let mut event = key_event(key);
        event["modifiers"] = json!(modifiers);
        let has_text = event["text"] != json!("");
        event["type"] = json!(if has_text { "keyDown" } else { "rawKeyDown" });
        self.call("Input.dispatchKeyEvent", &event);
        event["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// Types text where the focus is.
    pub fn insert_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }

    /// Clicks the middle of the first element that a selector finds, with a mouse.
    pub fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const one = document.querySelector({}); one.scrollIntoView({{block: 'center', behavior: 'instant'}}); \
             const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", &params);
        }
    }

    /// Sets the size of the window; a phone has a denser screen and touches.
    pub fn resize(&mut self, width: u32, height: u32, is_phone: bool) {
        let params = json!({
            "width": width, "height": height, "deviceScaleFactor": if is_phone { 2 } else { 1 }, "mobile": is_phone,
        });
        self.call("Emulation.setDeviceMetricsOverride", &params);
    }

    /// Prefers dark colours, or light ones.
    pub fn prefer_dark(&mut self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Shows the page as paper shows it, or as the screen does again.
    pub fn emulate_print(&mut self, is_print: bool) {
        let media = if is_print { "print" } else { "" };
        self.call("Emulation.setEmulatedMedia", &json!({"media": media}));
    }

    /// Forbids scripts for documents that are loaded from now on, and loads this one again.
    pub fn reload_without_script(&mut self) {
        self.call("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
        self.call("Page.reload", &json!({}));
        self.wait_for(
            "document.readyState === 'complete' && !document.documentElement.dataset.ready",
        );
    }

    /// A picture of what the window shows, as PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        decode(&answer)
    }

    /// The page on paper, as PDF.
    pub fn pdf(&mut self) -> Vec<u8> {
        let params = json!({"preferCSSPageSize": true, "printBackground": true});
        decode(&self.call("Page.printToPDF", &params))
    }

    /// Errors and warnings of scripts and of the browser, also of its security policy.
    pub fn complaints(&mut self) -> Vec<String> {
        self.eval("0"); // Events of what has happened so far come before this answer.
        let events = self.connection.events.iter();
        let complaint = |event: &Value| match event["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(event["params"]["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" => Some(event["params"]["args"].to_string()),
            "Log.entryAdded" => Some(event["params"]["entry"].to_string()),
            _ => None,
        };
        events.filter_map(complaint).collect()
    }

    /// The addresses that the page fetched, besides its own file and what stands in it.
    pub fn requests(&mut self) -> Vec<String> {
        self.eval("0");
        let events = self.connection.events.iter();
        let sent = events.filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| event["params"]["request"]["url"].as_str())
            .filter(|url| !url.starts_with("file://") && !url.starts_with("data:"))
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let params = json!({"targetId": self.target});
            self.connection.call(None, "Target.closeTarget", &params);
        }
    }
}

fn decode(answer: &Value) -> Vec<u8> {
    STANDARD.decode(answer["data"].as_str().expect("data")).expect("base64")
}
