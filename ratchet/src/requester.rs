//! The requesting user from kubectl's impersonation flags, with the groups that the API server adds.

use clap::Args as ClapArgs;
use ratchet_access::{
    ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User, service_account_groups, split_service_account,
};

/// Flags of the requesting user.
#[derive(ClapArgs, Debug)]
pub(crate) struct RequesterArgs {
    /// User of the request, as policies see it [default: kubernetes-admin, with the group system:masters].
    #[arg(long = "as", value_name = "USER")]
    pub(crate) user: Option<String>,

    /// Group of the user. May be repeated.
    #[arg(long = "as-group", value_name = "GROUP", requires = "user")]
    pub(crate) groups: Vec<String>,
}

/// The impersonated user, if one is named, with the groups that the API server adds on impersonation.
pub(crate) fn of(args: RequesterArgs) -> Option<User> {
    let RequesterArgs { user, mut groups } = args;
    let name = user?;
    if groups.is_empty()
        && let Some((namespace, _)) = split_service_account(&name)
    {
        groups = service_account_groups(namespace);
    }
    let own = if name == ANONYMOUS { UNAUTHENTICATED } else { AUTHENTICATED };
    if !groups.iter().any(|group| group == AUTHENTICATED || group == UNAUTHENTICATED) {
        groups.push(own.to_owned());
    }
    Some(User { name, groups, ..User::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(user: &str, groups: &[&str]) -> Vec<String> {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        of(RequesterArgs { user: Some(user.into()), groups }).unwrap().groups
    }

    #[test]
    fn whoever_is_named_has_the_groups_of_their_sort() {
        assert_eq!(of(RequesterArgs { user: None, groups: Vec::new() }), None);
        assert_eq!(groups("jane", &["dev"]), ["dev", "system:authenticated"]);
        assert_eq!(groups("system:anonymous", &[]), ["system:unauthenticated"]);
        assert_eq!(
            groups("system:serviceaccount:shop:web", &[]),
            ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"]
        );
    }
}
