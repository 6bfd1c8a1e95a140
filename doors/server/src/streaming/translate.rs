//! Exec and attach: the channels of a client's WebSocket as the streams of a kubelet's SPDY.

use super::channels::{ERROR, Meaning, STDERR, STDOUT, Sorter, Streams};
use super::negotiate::Protocol;
use super::outcome::Outcome;
use super::socket::{Gone, Listener, PING_EVERY, Pongs, Speaker, part};
use bytes::Bytes;
use ratchet_spdy::{Session, SpdyError, Stream};
use ratchet_websocket::{NORMAL, PROTOCOL_ERROR, Piece};
use std::future::{Future, pending};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

/// How long a kubelet may take to accept a stream.
const STREAM_PATIENCE: Duration = Duration::from_secs(30);
/// How often a kubelet is asked whether it is there.
const KUBELET_PING_EVERY: Duration = Duration::from_secs(5);
/// What a kubelet may say about how a command ended.
const LONGEST_STATUS: usize = 64 << 10;

/// A kubelet that has answered that it speaks SPDY now.
#[derive(Debug)]
pub(crate) struct Kubelet<K> {
    /// The connection after its answer.
    pub(crate) io: K,
    /// The dialect that it chose.
    pub(crate) protocol: Protocol,
}

/// Carries a command's streams until it ends, the client is gone, or something goes wrong, which the client is told.
/// `client` has been answered that it speaks WebSocket now. Gives the code under which metrics count the request.
///
/// The client hears that it is connected before the kubelet is reached; so why that failed is told on the error
/// channel.
pub(crate) async fn translate<C, K>(
    client: C,
    kubelet: impl Future<Output = Result<Kubelet<K>, String>>,
    wanted: Streams,
) -> u16
where
    C: AsyncRead + AsyncWrite + Unpin,
    K: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (client_in, client_out) = split(client);
    let (mut listener, mut speaker) = (Listener::new(client_in), Speaker::new(client_out));
    speaker.say_on(wanted.greeting(), Bytes::new());
    if speaker.flush().await.is_err() {
        return 400;
    }
    let command = match kubelet.await {
        Ok(kubelet) => Command::begin(kubelet, wanted).await,
        Err(why) => Err(why),
    };
    let ended = match command {
        Ok(command) => command.run(&mut listener, &mut speaker).await,
        Err(why) => Ok(Outcome::internal(&why)),
    };
    match ended {
        Ok(outcome) => {
            speaker.say_on(ERROR, outcome.status.into());
            part(listener, speaker, Some(Some(NORMAL))).await;
            outcome.code
        }
        Err(gone) => {
            part(listener, speaker, gone.answer()).await;
            200
        }
    }
}

/// A command whose streams a kubelet has accepted.
struct Command {
    input: Input,
    output: Output,
}

/// What goes to the kubelet.
struct Input {
    stdin: Option<Stream>,
    resize: Option<Stream>,
    sorter: Sorter,
}

/// What comes from it.
struct Output {
    session: Session,
    protocol: Protocol,
    stdout: Option<Stream>,
    stderr: Option<Stream>,
    error: Option<Stream>,
    /// Streams that have said all. To drop them would reset them, and kubelets are not used to that.
    over: Vec<Stream>,
    status: Vec<u8>,
    /// Why the kubelet could not tell how the command ended.
    lost: Option<String>,
}

/// What the two directions tell each other.
#[derive(Default)]
struct Between {
    pongs: Pongs,
    /// The kubelet does not take what the client sends, so the client is not listened to.
    stalled: AtomicBool,
}

impl Command {
    /// Opens all streams before anything is sent, for a kubelet does nothing until it has them.
    async fn begin<K>(kubelet: Kubelet<K>, wanted: Streams) -> Result<Self, String>
    where
        K: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let protocol = kubelet.protocol;
        // A kubelet opens no streams.
        let (session, _) = Session::client(kubelet.io);
        let error = Some(open(&session, "error").await?);
        let [mut stdin, mut stdout, mut stderr, mut resize] = [None, None, None, None];
        let slots = [&mut stdin, &mut stdout, &mut stderr, &mut resize];
        for ((name, is_wanted), slot) in wanted.wanted().into_iter().zip(slots) {
            if is_wanted && (name != "resize" || protocol.resizes()) {
                *slot = Some(open(&session, name).await?);
            }
        }
        let input = Input { stdin, resize, sorter: Sorter::default() };
        let (over, status, lost) = (Vec::new(), Vec::new(), None);
        let output = Output { session, protocol, stdout, stderr, error, over, status, lost };
        Ok(Self { input, output })
    }

    async fn run<R, W>(
        mut self,
        listener: &mut Listener<R>,
        speaker: &mut Speaker<W>,
    ) -> Result<Outcome, Gone>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let between = Between::default();
        tokio::select! {
            gone = self.input.run(listener, &between) => Err(gone),
            ended = self.output.run(speaker, &between) => ended,
        }
    }
}

async fn open(session: &Session, name: &str) -> Result<Stream, String> {
    match timeout(STREAM_PATIENCE, session.open(&[("streamType", name)], false)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(SpdyError::Reset(_))) => Err("Stream reset".to_owned()),
        Ok(Err(why)) => Err(why.to_string()),
        Err(_) => Err("Timeout occurred".to_owned()),
    }
}

impl Input {
    /// Hands on what the client sends, at the pace at which the kubelet takes it, until the client is gone.
    async fn run<R: AsyncRead + Unpin>(
        &mut self,
        listener: &mut Listener<R>,
        between: &Between,
    ) -> Gone {
        loop {
            let (bytes, last) = match listener.next().await {
                Ok(Piece::Data { bytes, last, .. }) => (bytes, last),
                Ok(Piece::Ping(question)) => {
                    between.pongs.owe(question);
                    continue;
                }
                Ok(Piece::Pong | Piece::Close(_)) => continue,
                Err(gone) => return gone,
            };
            let Ok(meaning) = self.sorter.sort(bytes, last) else {
                return Gone::Broken(PROTOCOL_ERROR);
            };
            match meaning {
                Some(Meaning::Stdin(bytes)) => send(&mut self.stdin, bytes, between).await,
                Some(Meaning::Resize(bytes)) => send(&mut self.resize, bytes, between).await,
                Some(Meaning::EndOfStdin) => {
                    if let Some(stdin) = &mut self.stdin {
                        // A stream that is over already needs no end.
                        let _ = stdin.shutdown().await;
                    }
                }
                None => {}
            }
        }
    }
}

/// Sends to a stream, and to nobody when the kubelet wants no more of it: how the command ended will be told.
async fn send(stream: &mut Option<Stream>, bytes: Bytes, between: &Between) {
    let Some(open) = stream else { return };
    between.stalled.store(true, Ordering::Relaxed);
    let sent = open.send(bytes).await;
    between.stalled.store(false, Ordering::Relaxed);
    if sent.is_err() {
        *stream = None;
    }
}

impl Output {
    /// Hands on what the command says, at the pace at which the client takes it, until it has said all.
    async fn run<W: AsyncWrite + Unpin>(
        &mut self,
        speaker: &mut Speaker<W>,
        between: &Between,
    ) -> Result<Outcome, Gone> {
        let (mut pings, mut kubelet_pings) = (every(PING_EVERY), every(KUBELET_PING_EVERY));
        while self.stdout.is_some() || self.stderr.is_some() || self.error.is_some() {
            tokio::select! {
                said = next(&mut self.stdout) => match said {
                    Ok(Some(bytes)) => speaker.say_on(STDOUT, bytes),
                    _ => self.over.extend(self.stdout.take()),
                },
                said = next(&mut self.stderr) => match said {
                    Ok(Some(bytes)) => speaker.say_on(STDERR, bytes),
                    _ => self.over.extend(self.stderr.take()),
                },
                said = next(&mut self.error) => match said {
                    Ok(Some(bytes)) => self.tell(&bytes),
                    end => self.told(end.err()),
                },
                question = between.pongs.owed() => speaker.pong(question),
                _ = pings.tick() => {
                    speaker.ping();
                    if between.stalled.load(Ordering::Relaxed) {
                        // Its pings wait behind what the kubelet does not take, and it must not think us dead.
                        speaker.pong(Bytes::new());
                    }
                }
                _ = kubelet_pings.tick() => self.session.ping(),
            }
            speaker.flush().await.map_err(|_| Gone::Lost)?;
        }
        Ok(self.outcome())
    }

    fn tell(&mut self, bytes: &[u8]) {
        let room = LONGEST_STATUS.saturating_sub(self.status.len());
        self.status.extend(bytes.iter().take(room));
    }

    /// The error stream is over. A kubelet that is done resets its streams; one that is gone has told nothing, and in
    /// some dialects neither has one that resets this stream without a word.
    fn told(&mut self, why: Option<io::Error>) {
        let silent = self.status.is_empty() && self.protocol.tells_success();
        let lost = why.filter(|why| silent || why.kind() != io::ErrorKind::ConnectionReset);
        self.lost = lost.map(|why| why.to_string());
        self.over.extend(self.error.take());
    }

    fn outcome(&self) -> Outcome {
        match &self.lost {
            // The reference calls this a success, for to it the stream just ends.
            Some(why) if self.status.is_empty() => {
                Outcome::internal(&format!("error reading from error stream: {why}"))
            }
            _ => Outcome::parse(self.protocol, &self.status),
        }
    }
}

/// The next bytes of a stream; never, if there is none.
async fn next(stream: &mut Option<Stream>) -> io::Result<Option<Bytes>> {
    match stream {
        Some(stream) => stream.chunk().await,
        None => pending().await,
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
