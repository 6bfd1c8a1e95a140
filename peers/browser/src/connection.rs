//! The connection to a browser: commands with their answers, and the events in between.

use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::Duration;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

/// The time for whatever a browser does, on a slow and busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A WebSocket of the DevTools protocol; the answer to a command is awaited before the next is sent.
pub(crate) struct Connection {
    socket: WebSocket<TcpStream>,
    next: u64,
    /// Events that came meanwhile, in their order.
    pub(crate) events: Vec<Value>,
}

impl Connection {
    pub(crate) fn open(port: u16, path: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE * 2)).unwrap();
        let (socket, _) = client(format!("ws://127.0.0.1:{port}{path}"), stream)
            .unwrap_or_else(|why| panic!("the browser does not speak WebSocket: {why}"));
        Self { socket, next: 1, events: Vec::new() }
    }

    /// Sends a command to a page, or to the browser itself, and returns its result.
    pub(crate) fn call(&mut self, session: Option<&str>, method: &str, params: &Value) -> Value {
        self.try_call(session, method, params).unwrap_or_else(|why| panic!("{method}: {why}"))
    }

    fn try_call(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        let mut command = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            command["sessionId"] = json!(session);
        }
        self.socket
            .send(Message::text(command.to_string()))
            .map_err(|why| format!("cannot send: {why}"))?;
        loop {
            let message = self.receive()?;
            if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(error.to_string()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    /// Reads one message; an event is stored too.
    fn receive(&mut self) -> Result<Value, String> {
        loop {
            match self.socket.read().map_err(|why| format!("no answer: {why}"))? {
                Message::Text(text) => {
                    let message: Value =
                        serde_json::from_str(text.as_str()).map_err(|why| why.to_string())?;
                    if message.get("id").is_none() {
                        self.events.push(message.clone());
                    }
                    return Ok(message);
                }
                Message::Close(_) => return Err("the browser closed the connection".to_owned()),
                _ => {}
            }
        }
    }

    /// Sends a command whose answer nobody needs.
    pub(crate) fn send_last(&mut self, method: &str, params: &Value) {
        let command = json!({"id": self.next, "method": method, "params": params});
        let _ = self.socket.send(Message::text(command.to_string()));
    }
}
