//! `Case`, a generated change: an object, the values of its slots before and after, and the policy settings.

use crate::laws::quirk::QUIRKS;
use crate::laws::sample::{Families, Sample, sample};
use crate::laws::slot::{Slot, put};
use crate::laws::world::{WORLDS, World};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use ratchet_engine::{
    ApiConfig, Behavior, Change, Facts, Gates, Namespace, Part, Plugins, Release, Step, Verdict,
};
use ratchet_object::{Limits, Node, Object, decode};
use serde_json::{Value as Json, json};
use std::fmt;

/// The function under test: `judge`, or a broken variant of it.
pub(crate) type Judge = dyn Fn(&Change<'_>, &Facts<'_>, &ApiConfig) -> Verdict;

/// The values in each slot of a world.
pub(crate) type Fill = Vec<Vec<Sample>>;

/// A change and the policy settings.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) world: &'static World,
    pub(crate) part: Part,
    /// The stored values; `None` is a create.
    pub(crate) old: Option<Fill>,
    pub(crate) new: Fill,
    /// Indexes of the quirks of both objects.
    pub(crate) quirks: Vec<usize>,
    pub(crate) touch: Touch,
    pub(crate) setting: Setting,
}

/// The change of an update beside its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Nothing,
    Label,
    Annotation,
    Finalizer,
    Replicas,
    /// An image, which is a significant change.
    Image,
    /// An ephemeral container for debugging, which is a significant change.
    Debugger,
}

const TOUCHES: &[Touch] = &[
    Touch::Nothing,
    Touch::Label,
    Touch::Annotation,
    Touch::Finalizer,
    Touch::Replicas,
    Touch::Image,
    Touch::Debugger,
];

/// Policy settings, and the level of the namespace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) minor: u8,
    pub(crate) behavior: Behavior,
    pub(crate) strict_ip: bool,
    pub(crate) relaxed_dns: bool,
    pub(crate) plugins: Plugins,
    /// The level that the namespace enforces.
    pub(crate) level: Option<&'static str>,
}

impl Setting {
    pub(crate) fn config(&self) -> ApiConfig {
        let release = Release::new(self.minor).unwrap();
        // The gate of the search names is locked in later releases; emulating 1.33 unlocks it.
        let emulated = if self.relaxed_dns { release } else { Release::new(33).unwrap() };
        let mut gates = Gates::of(release).emulating(emulated);
        let gate_values =
            format!("StrictIPCIDRValidation={},AllBeta={}", self.strict_ip, self.relaxed_dns);
        gates.apply(&[gate_values]).unwrap();
        let config = ApiConfig::of(release, self.behavior);
        let config = ApiConfig { emulated, gates, plugins: self.plugins, ..config };
        assert_eq!(config.strict_ip(), self.strict_ip);
        assert_eq!(config.relaxed_dns(), self.relaxed_dns);
        config
    }
}

/// The objects of a case, decoded.
pub(crate) struct DecodedCase {
    pub(crate) old: Option<Object<'static>>,
    pub(crate) new: Object<'static>,
    pub(crate) part: Part,
    labels: Option<Node<'static>>,
}

impl DecodedCase {
    pub(crate) fn of(case: &Case, parse: impl Fn(&Json) -> Object<'static>) -> Self {
        let labels = case.setting.level.map(|level| {
            object(&json!({ "pod-security.kubernetes.io/enforce": level })).into_node()
        });
        let old = case.old_json().map(|old| parse(&old));
        Self { old, new: parse(&case.new_json()), part: case.part, labels }
    }

    pub(crate) fn change(&self) -> Change<'_> {
        let new = &self.new;
        let step = match &self.old {
            None => Step::Create { new },
            Some(old) => Step::Update { old, new },
        };
        Change { kind: new.kind().unwrap(), part: self.part, step }
    }

    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts { namespace: Namespace::Labels(self.labels.as_ref()), ..Facts::default() }
    }

    pub(crate) fn verdict(&self, judge: &Judge, config: &ApiConfig) -> Verdict {
        judge(&self.change(), &self.facts(), config)
    }
}

/// The object of a JSON value.
pub(crate) fn object(value: &Json) -> Object<'static> {
    parse(&value.to_string())
}

/// Parses an object from JSON or YAML.
pub(crate) fn parse(text: &str) -> Object<'static> {
    let decoded = decode(text, Limits::DEFAULT).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    Object::new(decoded.documents.into_iter().next().unwrap().into_owned())
}

impl Case {
    /// The object with these values in its slots.
    pub(crate) fn json(&self, fill: &Fill) -> Json {
        let mut object = self.world.base.clone();
        for quirk in &self.quirks {
            QUIRKS[*quirk].apply(self.world, &mut object);
        }
        for (slot, samples) in self.slots().zip(fill) {
            slot.fill(&mut object, samples);
        }
        object
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &'static Slot> + use<> {
        self.world.slots.iter()
    }

    pub(crate) fn old_json(&self) -> Option<Json> {
        self.old.as_ref().map(|fill| self.json(fill))
    }

    pub(crate) fn new_json(&self) -> Json {
        let mut object = self.json(&self.new);
        let pod = self.world.pod();
        match (self.touch, pod) {
            (Touch::Label, _) => put(&mut object, "/metadata/labels/touched", json!("yes")),
            (Touch::Annotation, _) => {
                put(&mut object, "/metadata/annotations/touched", json!("yes"));
            }
            (Touch::Finalizer, _) => {
                put(&mut object, "/metadata/finalizers", json!(["example.com/x"]));
            }
            (Touch::Replicas, _) if self.world.kind.subresources.contains(&"scale") => {
                put(&mut object, "/spec/replicas", json!(3));
            }
            // The template of a Job cannot change at all.
            (Touch::Image, Some(pod))
                if self.part == Part::Main && self.world.kind.name != "Job" =>
            {
                put(&mut object, &format!("{pod}/spec/containers/0/image"), json!("other:2"));
            }
            (Touch::Debugger, Some(_)) if self.part == Part::Sub("ephemeralcontainers") => {
                let debugger = json!([{ "name": "debugger", "image": "busybox:1" }]);
                put(&mut object, "/spec/ephemeralContainers", debugger);
            }
            _ => {}
        }
        object
    }

    /// Whether the pod changes significantly.
    pub(crate) fn is_significant(&self) -> bool {
        match self.touch {
            Touch::Image => self.part == Part::Main,
            Touch::Debugger => self.part == Part::Sub("ephemeralcontainers"),
            _ => false,
        }
    }

    /// Whether no slot changes.
    pub(crate) fn is_all_unchanged(&self) -> bool {
        self.old.as_ref() == Some(&self.new)
    }

    /// Whether some release with some gates admits the stored object.
    pub(crate) fn is_storable(&self) -> bool {
        let Some(old) = self.old_json() else { return true };
        let plugins = Plugins { pod_security: false, ..Plugins::default() };
        let setting = Setting {
            strict_ip: false,
            relaxed_dns: true,
            behavior: Behavior::Proposal,
            plugins,
            ..self.setting
        };
        let (new, config) = (object(&old), setting.config());
        [Part::Main, Part::STATUS].into_iter().all(|part| {
            let change = Change::create(&new).unwrap().through(part);
            ratchet_engine::judge(&change, &Facts::default(), &config).errors.is_empty()
        })
    }

    /// The stored values in any slot of a group.
    pub(crate) fn stored_values(&self, group: &str) -> Vec<&str> {
        let rows = self.slots().zip(self.old.iter().flatten());
        rows.filter(|(slot, _)| slot.group == group)
            .flat_map(|(_, samples)| samples.iter().map(|sample| sample.text.as_str()))
            .collect()
    }

    /// Whether every slot of a group is unchanged.
    pub(crate) fn is_group_unchanged(&self, group: &str) -> bool {
        let Some(old) = &self.old else { return false };
        let mut rows = self.slots().zip(old.iter().zip(&self.new));
        rows.all(|(slot, (old, new))| slot.group != group || old == new)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (world, part, touch) = (&self.world.name, self.part, self.touch);
        writeln!(f, "{world} through {part:?}, touching {touch:?}, {:?}", self.setting)?;
        if let Some(old) = self.old_json() {
            writeln!(f, "  old: {old}")?;
        }
        write!(f, "  new: {}", self.new_json())
    }
}

/// A strategy for any change of any kind, under a behavior.
pub(crate) fn case(behavior: Behavior) -> impl Strategy<Value = Case> {
    let parts_of = |world: &'static World| {
        let slot_parts = world.slots.iter().map(|slot| slot.writes);
        let main = std::iter::repeat_n(Part::Main, world.kind.subresources.len());
        slot_parts.chain(main).chain(world.parts()).collect::<Vec<Part>>()
    };
    // Pods and Services have more rules than other kinds.
    let weight = |world: &World| match world.kind.name {
        "Pod" | "Service" => 3,
        _ => 1,
    };
    let worlds = WORLDS.iter().flat_map(|world| std::iter::repeat_n(world, weight(world)));
    select(worlds.collect::<Vec<_>>()).prop_flat_map(move |world| {
        let quirks: Vec<usize> =
            (0..QUIRKS.len()).filter(|index| QUIRKS[*index].suits(world)).collect();
        let most = quirks.len().min(3);
        let quirks = prop_oneof![Just(Vec::new()), subsequence(quirks, 0..=most)];
        let old = prop_oneof![3 => fill(world, true).boxed(), 1 => fill(world, false).boxed()];
        let shape = (select(parts_of(world)), prop::bool::weighted(0.85), quirks, select(TOUCHES));
        (old, fill(world, false), edits(world), shape, setting(behavior)).prop_map(
            move |(old, replacement, edits, (part, is_update, quirks, touch), setting)| {
                let part = if is_update { part } else { Part::Main };
                let mut new = old.clone();
                for (index, slot) in world.slots.iter().enumerate() {
                    if slot.writes == part {
                        new[index] = edits[index].apply(slot, &old[index], &replacement[index]);
                    }
                }
                let touch = if is_update { touch } else { Touch::Nothing };
                Case { world, part, old: is_update.then_some(old), new, quirks, touch, setting }
            },
        )
    })
}

fn setting(behavior: Behavior) -> impl Strategy<Value = Setting> {
    let level = select(&[None, Some("baseline"), Some("restricted")]);
    let plugins = (any::<bool>(), prop::bool::weighted(0.8));
    (33..=37_u8, any::<bool>(), prop::bool::weighted(0.7), plugins, level).prop_map(
        move |(minor, strict_ip, relaxed_dns, (deny_external_ips, pod_security), level)| {
            let plugins = Plugins { deny_external_ips, pod_security, ..Plugins::default() };
            Setting { minor, behavior, strict_ip, relaxed_dns, plugins, level }
        },
    )
}

/// The change of one slot by an update.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Keep,
    Replace,
    Append,
    Drop,
    Reverse,
}

impl Edit {
    fn apply(self, slot: &Slot, old: &[Sample], replacement: &[Sample]) -> Vec<Sample> {
        match self {
            Self::Keep => old.to_vec(),
            Self::Replace => replacement.to_vec(),
            Self::Append => {
                let room = slot.most().saturating_sub(old.len());
                old.iter().chain(replacement.iter().take(room)).cloned().collect()
            }
            Self::Drop => old.iter().skip(1).cloned().collect(),
            Self::Reverse => old.iter().rev().cloned().collect(),
        }
    }
}

fn edits(world: &'static World) -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        6 => Just(Edit::Keep), 2 => Just(Edit::Replace), 3 => Just(Edit::Append),
        1 => Just(Edit::Drop), 1 => Just(Edit::Reverse),
    ];
    let count = world.slots.len();
    prop_oneof![Just(vec![Edit::Keep; count]), prop::collection::vec(edit, count)]
}

fn fill(world: &'static World, only_storable: bool) -> impl Strategy<Value = Fill> {
    world.slots.iter().map(|slot| values(slot, only_storable)).collect::<Vec<_>>()
}

fn values(slot: &'static Slot, only_storable: bool) -> BoxedStrategy<Vec<Sample>> {
    let of = |families| sample(slot.value_kind, families, only_storable);
    if slot.is_pair {
        let both = (of(Families::V4), of(Families::V6), 0..5_u8);
        return both
            .prop_map(|(v4, v6, way)| match way {
                0 => vec![],
                1 => vec![v4],
                2 => vec![v6],
                3 => vec![v6, v4],
                _ => vec![v4, v6],
            })
            .boxed();
    }
    prop::collection::vec(of(slot.families), 0..=slot.most()).boxed()
}
