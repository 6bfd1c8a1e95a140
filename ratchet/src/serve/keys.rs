//! Certificates and keys of a server: given by flags, or made by its own authority and renewed while it runs.

use super::args::{ClientArgs, KubeletArgs, ServingArgs};
use super::files::{write_private, write_public};
use super::settings::Settings;
use ratchet_http::KeyFiles;
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::{Authorities, SigningKey};
use ratchet_server::system_words;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a server shows and believes, and the files that it must keep up to date.
pub(crate) struct Keys {
    authority: Authority,
    /// The names of our own serving certificate; none where one is given.
    names: Option<Vec<String>>,
    serving: KeyFiles,
    /// With what kubelets are shown who asks, and whether it is given.
    kubelet_client: (KeyFiles, bool),
    /// Authorities of clients beside our own, and where both stand together.
    clients: Option<Bundle>,
    signing_key: PathBuf,
    url: String,
    kubeconfig: PathBuf,
}

/// A given file of authorities, which is believed beside our own.
struct Bundle {
    given: PathBuf,
    together: PathBuf,
    /// What was last read, good or bad, so that a broken file is told once.
    seen: Mutex<Vec<u8>>,
}

impl Keys {
    /// Opens what is there and makes what is missing.
    pub(crate) fn prepare(
        dir: &Path,
        serving: &ServingArgs,
        clients: &ClientArgs,
        kubelets: &KubeletArgs,
        settings: &Settings,
    ) -> Result<Self, String> {
        let pki = serving.cert_dir.clone().unwrap_or_else(|| dir.join("pki"));
        let authority = Authority::load_or_create(&pki).map_err(|error| error.to_string())?;
        let signing_key = match &clients.service_account_signing_key_file {
            Some(given) => given.clone(),
            None => own_signing_key(&pki)?,
        };
        let bundle = clients.client_ca_file.clone().map(|given| Bundle {
            given,
            together: pki.join("client-ca.crt"),
            seen: Mutex::default(),
        });
        let own = pki.join("apiserver.crt");
        let (names, serving) = match (&serving.tls_cert_file, &serving.tls_private_key_file) {
            (Some(certificate), Some(key)) => {
                (None, KeyFiles { certificate: certificate.clone(), key: key.clone() })
            }
            _ => (
                Some(names(settings)),
                KeyFiles { key: own.with_extension("key"), certificate: own },
            ),
        };
        let given =
            kubelets.kubelet_client_certificate.clone().zip(kubelets.kubelet_client_key.clone());
        let kubelet_client = match given {
            Some((certificate, key)) => (KeyFiles { certificate, key }, true),
            None => (authority.kubelet_client().map_err(|error| error.to_string())?, false),
        };
        let keys = Self {
            authority,
            kubelet_client,
            names,
            serving,
            clients: bundle,
            signing_key,
            url: format!("https://{}", reachable(settings)),
            kubeconfig: dir.join("kubeconfig"),
        };
        keys.renew_serving()?;
        if let Some(bundle) = &keys.clients {
            bundle.join(&keys.authority)?;
        }
        keys.tell_apart(clients)?;
        Ok(keys)
    }

    /// A proxy may name any user, so whoever signs clients must not sign proxies too, unless their names are told.
    fn tell_apart(&self, clients: &ClientArgs) -> Result<(), String> {
        let Some(proxies) = &clients.requestheader_client_ca_file else { return Ok(()) };
        if !clients.requestheader_allowed_names.is_empty() {
            return Ok(());
        }
        // What cannot be read is refused where it is used.
        let Ok(proxies) = std::fs::read_to_string(proxies) else { return Ok(()) };
        let clients = open(&self.client_ca())?;
        let clients = certificates_in(&String::from_utf8_lossy(&clients));
        match certificates_in(&proxies).iter().any(|proxy| clients.contains(proxy)) {
            true => Err(OVERLAP.into()),
            false => Ok(()),
        }
    }

    /// Where the server's own authority is.
    pub(crate) fn authority_files(&self) -> KeyFiles {
        self.authority.files()
    }

    /// The certificate to show.
    pub(crate) fn serving(&self) -> KeyFiles {
        self.serving.clone()
    }

    /// The certificate that kubelets are shown.
    pub(crate) fn kubelet_client(&self) -> KeyFiles {
        self.kubelet_client.0.clone()
    }

    /// The authorities of clients.
    pub(crate) fn client_ca(&self) -> PathBuf {
        match &self.clients {
            Some(bundle) => bundle.together.clone(),
            None => self.authority.path(),
        }
    }

    /// The key that signs tokens.
    pub(crate) fn signing_key(&self) -> PathBuf {
        self.signing_key.clone()
    }

    /// Where the server is reached from this machine.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Where its first user finds what is needed to ask.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Makes anew what ends within thirty days; called once a day.
    pub(crate) fn renew(&self) {
        let renewed = [self.renew_serving(), self.renew_kubelet_client(), self.write_kubeconfig()];
        for result in renewed {
            if let Err(error) = result {
                tracing::error!(error, "a certificate could not be renewed");
            }
        }
    }

    /// Looks at the given authorities again; what is broken is told and changes nothing.
    pub(crate) fn refresh(&self) {
        if let Some(bundle) = &self.clients
            && let Err(error) = bundle.join(&self.authority)
        {
            tracing::warn!(error, "the authorities of clients stay as they were");
        }
    }

    fn renew_serving(&self) -> Result<(), String> {
        match &self.names {
            Some(names) => {
                self.authority.serving(names).map(|_| ()).map_err(|error| error.to_string())
            }
            None => Ok(()),
        }
    }

    fn renew_kubelet_client(&self) -> Result<(), String> {
        match self.kubelet_client {
            (_, true) => Ok(()),
            (_, false) => {
                self.authority.kubelet_client().map(|_| ()).map_err(|error| error.to_string())
            }
        }
    }

    /// By what clients know the server. A given certificate may be its own authority, so it is believed as well.
    pub(crate) fn believed(&self) -> Result<String, String> {
        let mut believed = self.authority.pem().to_owned();
        if self.names.is_none() {
            let given = open(&self.serving.certificate)?;
            append(&mut believed, &String::from_utf8_lossy(&given));
        }
        Ok(believed)
    }

    /// Lets the first user in.
    pub(crate) fn write_kubeconfig(&self) -> Result<(), String> {
        let (certificate, key) = self.authority.admin().map_err(|error| error.to_string())?;
        let believed = self.believed()?;
        let text = certificates::kubeconfig(&self.url, &believed, &certificate, &key);
        write_private(&self.kubeconfig, text.as_bytes())
    }
}

impl Bundle {
    /// Writes both authorities into one file, if the given one has changed.
    fn join(&self, own: &Authority) -> Result<(), String> {
        let unusable = |why: String| format!("unable to load client CA file: {why}");
        let given = open(&self.given).map_err(unusable)?;
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *seen == given {
            return Ok(());
        }
        seen.clone_from(&given);
        Authorities::from_pem(&given)
            .map_err(|why| unusable(format!("{}: {why}", self.given.display())))?;
        let mut together = own.pem().to_owned();
        append(&mut together, &String::from_utf8_lossy(&given));
        write_public(&self.together, together.as_bytes())
    }
}

const OVERLAP: &str = "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users";

/// The certificates of a bundle as base64 without line ends, so that two spellings of one are equal.
fn certificates_in(pem: &str) -> Vec<String> {
    let blocks = pem.split("-----BEGIN CERTIFICATE-----").skip(1);
    let inside = blocks.filter_map(|block| block.split("-----END").next());
    inside.map(|text| text.split_whitespace().collect()).collect()
}

fn append(pem: &mut String, more: &str) {
    if !pem.ends_with('\n') {
        pem.push('\n');
    }
    pem.push_str(more);
}

fn open(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|why| format!("open {}: {}", path.display(), system_words(&why)))
}

fn own_signing_key(pki: &Path) -> Result<PathBuf, String> {
    let path = pki.join("sa.key");
    if !path.exists() {
        let (_, pem) = SigningKey::generate().map_err(|error| error.to_string())?;
        write_private(&path, pem.as_bytes())?;
    }
    Ok(path)
}

/// Every name under which the server may be asked.
fn names(settings: &Settings) -> Vec<String> {
    let mut names = certificates::usual_names();
    let addresses =
        [Some(settings.bind.ip()), Some(settings.advertise), settings.ranges.first_address()];
    let told = addresses.into_iter().flatten().filter(|ip| !ip.is_unspecified());
    names.extend(told.map(|ip| ip.to_string()));
    names
}

/// Where the server is reached from its own machine.
fn reachable(settings: &Settings) -> SocketAddr {
    let ip = match settings.bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, settings.bind.port())
}
