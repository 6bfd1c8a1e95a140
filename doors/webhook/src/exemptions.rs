//! `Exemptions`: users, groups, service accounts and namespaces whose requests are not judged.

use crate::request::AdmissionRequest;

/// Who and what is not judged; names are compared exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Users by name.
    pub users: Vec<String>,
    /// Groups by name.
    pub groups: Vec<String>,
    /// Service accounts as `namespace/name`.
    pub service_accounts: Vec<String>,
    /// Namespaces by name.
    pub namespaces: Vec<String>,
}

impl Exemptions {
    /// Why a request is exempt, if it is.
    pub fn reason(&self, request: &AdmissionRequest<'_>) -> Option<&'static str> {
        let holds = |names: &[String], name: &str| names.iter().any(|own| own == name);
        let user = &request.user;
        let account = user.name.strip_prefix("system:serviceaccount:");
        let account = account.map(|name| name.replacen(':', "/", 1));
        let reasons = [
            ("namespace", holds(&self.namespaces, &request.namespace)),
            ("user", holds(&self.users, &user.name)),
            ("group", user.groups.iter().any(|group| holds(&self.groups, group))),
            ("serviceAccount", account.is_some_and(|name| holds(&self.service_accounts, &name))),
        ];
        reasons.into_iter().find(|(_, is_exempt)| *is_exempt).map(|(reason, _)| reason)
    }
}
