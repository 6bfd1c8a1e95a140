//! Certificates and keys of the server: given by flags, or issued by its own authority and renewed while it runs.

use super::args::{AggregationArgs, ClientArgs, KubeletArgs, ServingArgs};
use super::data_location::DataLocation;
use super::files::Writer;
use super::front_proxy::FrontProxy;
use super::settings::Settings;
use ratchet_http::KeyFiles;
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::{Authorities, SigningKey};
use ratchet_server::go_io_error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The server's certificates, keys and trusted authorities, with the files that hold them.
pub(crate) struct Keys {
    authority: Authority,
    /// Subject alternative names of the own serving certificate; none where one is given.
    names: Option<Vec<String>>,
    serving: KeyFiles,
    /// The client certificate for kubelets, and whether a flag gave it.
    kubelet_client: (KeyFiles, bool),
    /// The client certificate for extension API servers.
    pub(crate) front_proxy: FrontProxy,
    /// Given client authorities, merged with the own one.
    clients: Option<Bundle>,
    signing_key: PathBuf,
    url: String,
    kubeconfig: PathBuf,
    writer: Writer,
}

/// A given file of client authorities, which are trusted besides the own one.
struct Bundle {
    given: PathBuf,
    merged: PathBuf,
    /// The content last read, valid or not, so that an invalid file is reported once.
    last_read: Mutex<Vec<u8>>,
}

impl Keys {
    /// Opens existing files and creates missing ones.
    pub(crate) fn prepare(
        data: &DataLocation,
        serving: &ServingArgs,
        clients: &ClientArgs,
        kubelets: &KubeletArgs,
        aggregation: &AggregationArgs,
        settings: &Settings,
    ) -> Result<Self, String> {
        let DataLocation { dir, pki, flush, .. } = data;
        let writer = Writer { flush: *flush };
        let authority = match flush {
            true => Authority::load_or_create(pki),
            false => Authority::ephemeral(pki),
        };
        let authority = authority.map_err(|error| error.to_string())?;
        let signing_key = match &clients.service_account_signing_key_file {
            Some(given) => given.clone(),
            None => own_signing_key(pki, writer)?,
        };
        let bundle = clients.client_ca_file.clone().map(|given| Bundle {
            given,
            merged: pki.join("client-ca.crt"),
            last_read: Mutex::default(),
        });
        let (names, serving) = match given_serving(serving, &authority)? {
            Some(given) => (None, given),
            None => (Some(names(settings)), certificates::serving_files(pki)),
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
            front_proxy: FrontProxy::prepare(data, clients, aggregation)?,
            names,
            serving,
            clients: bundle,
            signing_key,
            url: format!("https://{}", local_address(settings)),
            kubeconfig: dir.join("kubeconfig"),
            writer,
        };
        keys.renew_serving()?;
        if let Some(bundle) = &keys.clients {
            bundle.merge(&keys.authority, writer)?;
        }
        keys.check_ca_overlap(clients)?;
        Ok(keys)
    }

    /// A proxy may name any user, so clients and proxies must not share an authority unless proxy names are restricted.
    fn check_ca_overlap(&self, clients: &ClientArgs) -> Result<(), String> {
        let Some(proxies) = &clients.requestheader_client_ca_file else { return Ok(()) };
        if !clients.requestheader_allowed_names.is_empty() {
            return Ok(());
        }
        // An unreadable file is reported where it is used.
        let Ok(proxies) = std::fs::read_to_string(proxies) else { return Ok(()) };
        let clients = open(&self.client_ca())?;
        let clients = certificates_in(&String::from_utf8_lossy(&clients));
        match certificates_in(&proxies).iter().any(|proxy| clients.contains(proxy)) {
            true => Err(OVERLAP.into()),
            false => Ok(()),
        }
    }

    /// The files of the server's own authority.
    pub(crate) fn authority_files(&self) -> KeyFiles {
        self.authority.files()
    }

    /// The serving certificate.
    pub(crate) fn serving(&self) -> KeyFiles {
        self.serving.clone()
    }

    /// The client certificate for kubelets.
    pub(crate) fn kubelet_client(&self) -> KeyFiles {
        self.kubelet_client.0.clone()
    }

    /// The file of client authorities.
    pub(crate) fn client_ca(&self) -> PathBuf {
        match &self.clients {
            Some(bundle) => bundle.merged.clone(),
            None => self.authority.path(),
        }
    }

    /// The key that signs service account tokens.
    pub(crate) fn signing_key(&self) -> PathBuf {
        self.signing_key.clone()
    }

    /// The server's URL on this machine.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The path of the administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Renews certificates that expire within thirty days; called once a day.
    pub(crate) fn renew(&self) {
        let renewed = [
            self.renew_serving(),
            self.renew_kubelet_client(),
            self.front_proxy.renew(),
            self.write_kubeconfig(),
        ];
        for result in renewed {
            if let Err(error) = result {
                tracing::error!(error, "a certificate could not be renewed");
            }
        }
    }

    /// Rereads the given client authorities; an invalid file is logged and changes nothing.
    pub(crate) fn refresh(&self) {
        if let Some(bundle) = &self.clients
            && let Err(error) = bundle.merge(&self.authority, self.writer)
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

    /// The CA bundle by which clients verify the server, with a given serving certificate, which may be self-signed.
    pub(crate) fn ca_bundle(&self) -> Result<String, String> {
        let mut bundle = self.authority.pem().to_owned();
        if self.names.is_none() {
            let given = open(&self.serving.certificate)?;
            append(&mut bundle, &String::from_utf8_lossy(&given));
        }
        Ok(bundle)
    }

    /// Writes the administrator's kubeconfig.
    pub(crate) fn write_kubeconfig(&self) -> Result<(), String> {
        let (certificate, key) = self.authority.admin().map_err(|error| error.to_string())?;
        let bundle = self.ca_bundle()?;
        let text = certificates::kubeconfig(&self.url, &bundle, &certificate, &key);
        self.writer.write_private(&self.kubeconfig, text.as_bytes())
    }
}

impl Bundle {
    /// Writes both authorities into one file, if the given file has changed.
    fn merge(&self, own: &Authority, writer: Writer) -> Result<(), String> {
        let unusable = |why: String| format!("unable to load client CA file: {why}");
        let given = open(&self.given).map_err(unusable)?;
        let mut last_read =
            self.last_read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *last_read == given {
            return Ok(());
        }
        last_read.clone_from(&given);
        Authorities::from_pem(&given)
            .map_err(|why| unusable(format!("{}: {why}", self.given.display())))?;
        let mut merged = own.pem().to_owned();
        append(&mut merged, &String::from_utf8_lossy(&given));
        writer.write_public(&self.merged, merged.as_bytes())
    }
}

const OVERLAP: &str = "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users";

/// The certificates of a bundle as base64 without line breaks, so that differently wrapped ones compare equal.
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
    std::fs::read(path).map_err(|why| format!("open {}: {}", path.display(), go_io_error(&why)))
}

/// The serving pair that flags name, or that somebody else has put into the directory of certificates.
fn given_serving(args: &ServingArgs, own: &Authority) -> Result<Option<KeyFiles>, String> {
    if let (Some(certificate), Some(key)) = (&args.tls_cert_file, &args.tls_private_key_file) {
        return Ok(Some(KeyFiles { certificate: certificate.clone(), key: key.clone() }));
    }
    let Some(dir) = &args.cert_dir else { return Ok(None) };
    let files = certificates::serving_files(dir);
    let is_foreign = own.is_foreign(&files).map_err(|error| error.to_string())?;
    Ok(is_foreign.then_some(files))
}

fn own_signing_key(pki: &Path, writer: Writer) -> Result<PathBuf, String> {
    let path = pki.join("sa.key");
    if !path.exists() {
        let (_, pem) = SigningKey::generate().map_err(|error| error.to_string())?;
        writer.write_private(&path, pem.as_bytes())?;
    }
    Ok(path)
}

/// Subject alternative names of the serving certificate.
fn names(settings: &Settings) -> Vec<String> {
    let mut names = certificates::usual_names();
    let addresses =
        [Some(settings.bind.ip()), Some(settings.advertise), settings.ranges.first_address()];
    let addresses_to_name = addresses.into_iter().flatten().filter(|ip| !ip.is_unspecified());
    names.extend(addresses_to_name.map(|ip| ip.to_string()));
    names
}

/// The server's address on its own machine.
fn local_address(settings: &Settings) -> SocketAddr {
    let ip = match settings.bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, settings.bind.port())
}
