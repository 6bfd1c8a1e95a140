//! The collector: joins pages into one audit, finds what concerns more than one object, and knows whose everything is.

use crate::addresses;
use crate::claims::Claims;
use crate::input::Input;
use crate::known::{Changes, Known};
use crate::missing::Missing;
use crate::owner::{Link, Owner, OwnerKind};
use crate::page::{Inventory, OwnedFinding, Page};
use crate::spool::{Spool, Spooled};
use crate::tally::Tally;
use crate::{Finding, Summary, Target};
use std::collections::HashMap;
use std::io;

/// Everything that is remembered while objects are judged.
pub(crate) struct Collector {
    spool: Spool,
    objects: u64,
    links: HashMap<u64, Link>,
    claims: Claims,
    pub(crate) inventory: Inventory,
    pub(crate) missing: Vec<Missing>,
    first_target: String,
}

/// Findings about several objects come after all others.
const JOINT: u32 = u32::MAX;

impl Collector {
    pub(crate) fn new(first_target: &str) -> io::Result<Self> {
        Ok(Self {
            spool: Spool::new()?,
            objects: 0,
            links: HashMap::new(),
            claims: Claims::default(),
            inventory: Inventory::default(),
            missing: Vec::new(),
            first_target: first_target.to_owned(),
        })
    }

    /// Takes a page: the `page`th of the `source`th list or file.
    pub(crate) fn absorb(&mut self, source: u32, page: u32, results: Page) -> io::Result<()> {
        self.objects += results.objects;
        for (row, finding) in (0..).zip(&results.findings) {
            self.spool.push((source, page, row), finding)?;
        }
        for link in results.links {
            self.links.insert(link.key, link);
        }
        for claim in results.claims {
            self.claims.add(claim);
        }
        self.inventory.add(results.inventory);
        Ok(())
    }

    /// Adds the findings about addresses that several objects claim.
    fn join_claims(&mut self) -> io::Result<()> {
        let claims = std::mem::take(&mut self.claims);
        for (row, (odd, other)) in (0..).zip(claims.in_two_spellings()) {
            let finding = addresses::two_spellings(&odd, &other, &self.first_target);
            let owned = OwnedFinding { finding, owner: odd.owner, parent: odd.parent };
            self.spool.push((JOINT, 0, row), &owned)?;
        }
        Ok(())
    }

    /// Ends the collection: findings of the baseline are taken out, the others counted and compared with an earlier audit.
    pub(crate) fn finish(
        mut self,
        input: Input,
        targets: &[Target],
        baseline: &Known,
        since: Option<Known>,
    ) -> io::Result<Collected> {
        self.join_claims()?;
        let Self { spool, objects, links, mut inventory, mut missing, .. } = self;
        let mut spooled = spool.finish()?;
        let mut owners = Owners { links, names: Vec::new(), numbers: HashMap::new() };
        let mut tally = Tally::new(targets);
        let mut changes = since.map(Changes::since);
        let mut suppressed = Vec::new();
        spooled.for_each(|row| {
            let is_known = baseline.holds(&row.finding.fingerprint);
            suppressed.push(is_known);
            if is_known {
                return Ok(());
            }
            let (owner, _) = owners.resolve(&row.owner, row.parent.as_ref());
            owners.count(owner, &row.finding);
            tally.count(&row.finding);
            if let Some(changes) = &mut changes {
                changes.compare(&row.finding);
            }
            Ok(())
        })?;
        spooled.remove(&suppressed);
        let mut summary = tally.into_summary(objects);
        summary.suppressed = suppressed.iter().filter(|is_known| **is_known).count() as u64;
        summary.unseen = missing.len() as u64 + inventory.unreadable.total();
        inventory.sort();
        missing.sort();
        Ok(Collected { input, spooled, owners, summary, changes, inventory, missing })
    }
}

/// A finished audit, before it is written.
pub(crate) struct Collected {
    pub(crate) input: Input,
    pub(crate) spooled: Spooled,
    pub(crate) owners: Owners,
    pub(crate) summary: Summary,
    pub(crate) changes: Option<Changes>,
    pub(crate) inventory: Inventory,
    pub(crate) missing: Vec<Missing>,
}

impl Collected {
    /// Calls `each` with every finding and its owner.
    pub(crate) fn for_each_finding(
        &mut self,
        mut each: impl FnMut(&Finding, &OwnerCounts) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { spooled, owners, .. } = self;
        spooled.for_each(|row| owners.complete(row, &mut each))
    }

    /// Calls `each` with the findings of these numbers, in the order of `for_each_finding`.
    pub(crate) fn for_some_findings(
        &mut self,
        numbers: &[usize],
        mut each: impl FnMut(&Finding, &OwnerCounts) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { spooled, owners, .. } = self;
        spooled.for_some(numbers, |row| owners.complete(row, &mut each))
    }
}

/// An owner and what was found of it.
#[derive(Clone, Debug)]
pub(crate) struct OwnerCounts {
    pub(crate) owner: Owner,
    pub(crate) findings: u64,
    /// Objects with findings.
    pub(crate) objects: u64,
    pub(crate) frozen: u64,
    pub(crate) refused: u64,
    pub(crate) warned: u64,
    /// The title of the object that was counted last: findings of an object come together.
    last: String,
}

/// All owners, and the controllers that lead to them.
pub(crate) struct Owners {
    links: HashMap<u64, Link>,
    pub(crate) names: Vec<OwnerCounts>,
    numbers: HashMap<Owner, usize>,
}

/// Longer chains of controllers are circles.
const LONGEST_CHAIN: usize = 8;

impl Owners {
    /// The owner of an object, by the topmost controller that was seen, and the controllers on the way.
    pub(crate) fn resolve(
        &mut self,
        own: &Owner,
        parent: Option<&(u64, String)>,
    ) -> (usize, Vec<String>) {
        let mut chain = Vec::new();
        let mut owner = own.clone();
        let mut next = parent.cloned();
        while let Some((key, title)) = next.take() {
            if chain.len() >= LONGEST_CHAIN {
                break;
            }
            match self.links.get(&key) {
                Some(link) => {
                    owner = link.owner.clone();
                    next = link.parent.clone();
                }
                None => owner = Owner { by: OwnerKind::Controller, name: title.clone() },
            }
            chain.push(title);
        }
        (self.number(owner), chain)
    }

    /// The owner of an object in words.
    pub(crate) fn title(&mut self, own: &Owner, parent: Option<&(u64, String)>) -> String {
        let (number, _) = self.resolve(own, parent);
        self.names.get(number).map(|counts| counts.owner.title()).unwrap_or_default()
    }

    /// Calls `each` with a finding and its owner.
    fn complete(
        &mut self,
        row: OwnedFinding,
        each: &mut impl FnMut(&Finding, &OwnerCounts) -> io::Result<()>,
    ) -> io::Result<()> {
        let OwnedFinding { mut finding, owner, parent } = row;
        (finding.owner, finding.chain) = self.resolve(&owner, parent.as_ref());
        match self.names.get(finding.owner) {
            Some(counts) => each(&finding, counts),
            None => Ok(()),
        }
    }

    fn number(&mut self, owner: Owner) -> usize {
        if let Some(number) = self.numbers.get(&owner) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(owner.clone(), number);
        self.names.push(OwnerCounts {
            owner,
            findings: 0,
            objects: 0,
            frozen: 0,
            refused: 0,
            warned: 0,
            last: String::new(),
        });
        number
    }

    fn count(&mut self, number: usize, finding: &Finding) {
        let Some(counts) = self.names.get_mut(number) else { return };
        counts.findings += 1;
        match finding.state {
            crate::State::Frozen => counts.frozen += 1,
            crate::State::RefusedOnCreate => counts.refused += 1,
            crate::State::Warns => counts.warned += 1,
        }
        let title = finding.object.title();
        if counts.last != title {
            counts.objects += 1;
            counts.last = title;
        }
    }
}
