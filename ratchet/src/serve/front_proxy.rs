//! The front proxy: the authority and the client certificate by which extension API servers know this server.

use super::args::{AggregationArgs, ClientArgs};
use super::data_location::DataLocation;
use ratchet_http::KeyFiles;
use ratchet_http::certificates::Authority;
use ratchet_server::ProxyFiles;

/// The common name of the client certificate.
const NAME: &str = "front-proxy-client";

/// The client certificate for extension API servers, given by flags or issued by an authority of its own: one that
/// may state any identity must not be that of ordinary clients.
pub(crate) struct FrontProxy {
    client: Option<KeyFiles>,
    own: Option<Authority>,
}

impl FrontProxy {
    /// Opens existing files and creates missing ones, unless flags say who may state identities.
    pub(crate) fn prepare(
        data: &DataLocation,
        clients: &ClientArgs,
        args: &AggregationArgs,
    ) -> Result<Self, String> {
        let given = args.proxy_client_cert_file.clone().zip(args.proxy_client_key_file.clone());
        if let Some((certificate, key)) = given {
            return Ok(Self { client: Some(KeyFiles { certificate, key }), own: None });
        }
        if clients.requestheader_client_ca_file.is_some() {
            return Ok(Self { client: None, own: None });
        }
        let pki = data.pki.join("front-proxy");
        let own = match data.flush {
            true => Authority::load_or_create(&pki),
            false => Authority::ephemeral(&pki),
        };
        let own = own.map_err(|error| error.to_string())?;
        let client = own.proxy_client(NAME).map_err(|error| error.to_string())?;
        Ok(Self { client: Some(client), own: Some(own) })
    }

    /// The client certificate.
    pub(crate) fn client(&self) -> Option<KeyFiles> {
        self.client.clone()
    }

    /// Who may state identities in request headers: the holder of the own certificate.
    pub(crate) fn proxy(&self) -> Option<ProxyFiles> {
        let one = |text: &str| vec![text.to_owned()];
        self.own.as_ref().map(|own| ProxyFiles {
            authorities: own.path(),
            allowed_names: one(NAME),
            user_headers: one("X-Remote-User"),
            uid_headers: one("X-Remote-Uid"),
            group_headers: one("X-Remote-Group"),
            extra_prefixes: one("X-Remote-Extra-"),
        })
    }

    /// Renews the own certificate if it expires soon.
    pub(crate) fn renew(&self) -> Result<(), String> {
        match &self.own {
            Some(own) => own.proxy_client(NAME).map(drop).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}
