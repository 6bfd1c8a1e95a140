//! The test kubelet as a program for manual use; `kubelet-peer --help` lists its options.

use std::io::{self, Write};
use std::{env, fs};

use kubelet_peer::{Container, Identity, Kubelet, Log, Options};

const HELP: &str = "kubelet-peer --cert FILE --key FILE [OPTION VALUE]...
  --address ADDRESS              where it listens (127.0.0.1:0)
  --client-ca FILE               who signs for those who may ask (everybody may)
  --node NAME                    the name of its node
  --websockets true              translates WebSockets itself
  --http2 false                  offers HTTP/1.1 only
  --container NS/POD/NAME=CMD    a container that runs a shell command; again for more
  --terminal NS/POD/NAME=CMD     the same on a terminal
  --log NS/POD/NAME=TEXT         a container that has said something
  --flood NS/POD/NAME=BYTES      a container with a log of this size
It prints its address, and runs until its input ends.
";

fn main() -> io::Result<()> {
    let arguments = env::args().skip(1).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name.starts_with("--") => pairs.push((&**name, &**value)),
            _ => return io::stdout().write_all(HELP.as_bytes()),
        }
    }
    let value = |name: &str| pairs.iter().rfind(|(known, _)| *known == name).map(|pair| pair.1);
    let (Some(chain), Some(key)) = (value("--cert"), value("--key")) else {
        return io::stdout().write_all(HELP.as_bytes());
    };
    let mut options = Options::new(Identity::from_pem(&fs::read(chain)?, &fs::read(key)?)?);
    if let Some(address) = value("--address") {
        options.address = address.parse().map_err(io::Error::other)?;
    }
    options.client_authority = value("--client-ca").map(fs::read_to_string).transpose()?;
    options.node = value("--node").unwrap_or("node").into();
    options.websockets = value("--websockets") == Some("true");
    options.http2 = value("--http2") != Some("false");
    let kubelet = Kubelet::start_with_runtime(options)?;
    for (name, text) in &pairs {
        add(&kubelet, name, text)?;
    }
    writeln!(io::stdout(), "{}", kubelet.address())?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

fn add(kubelet: &Kubelet, option: &str, text: &str) -> io::Result<()> {
    let Some((place, what)) = text.split_once('=') else { return Ok(()) };
    let shell = || Container::running(["sh", "-c", what]);
    let container = match option {
        "--container" => shell(),
        "--terminal" => Container { tty: true, ..shell() },
        "--log" => Container::saying(what),
        "--flood" => Container::saying(Log::flood(what.parse().map_err(io::Error::other)?)),
        _ => return Ok(()),
    };
    let mut parts = place.split('/');
    let (Some(namespace), Some(pod), Some(name)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err(io::Error::other(format!("{place}: NS/POD/NAME")));
    };
    kubelet.add_container(namespace, pod, name, container)
}
