//! The walk through an expression that adds up costs and follows paths into the declaration (cel-go's `coster`).

use super::{CostEstimate, SizeEstimate};
use crate::check::{Checked, Reference};
use crate::decl::DeclType;
use crate::library::OverloadDecl;
use crate::syntax::{Comprehension, Expr, Kind};
use crate::{Type, Value};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The cost of a name or a selection.
const SELECT: CostEstimate = CostEstimate::fixed(1);
/// The costs of creating a list, a map and an object.
const LIST: CostEstimate = CostEstimate::fixed(10);
const MAP: CostEstimate = CostEstimate::fixed(30);
const STRUCT: CostEstimate = CostEstimate::fixed(40);

/// Where a path of fields leads in the declaration.
#[derive(Clone, Copy)]
pub(super) enum PathNode<'d> {
    /// There is no path.
    Nowhere,
    /// The path leads out of what is declared.
    Undeclared,
    /// The path leads to this type.
    At(&'d DeclType),
}

/// The sizes of the keys and values of a list or map that the expression builds.
#[derive(Clone, Copy)]
pub(super) struct EntrySize {
    is_list: bool,
    key: SizeEstimate,
    pub(super) value: SizeEstimate,
}

impl EntrySize {
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            is_list: self.is_list,
            key: self.key.union(other.key),
            value: self.value.union(other.value),
        }
    }
}

/// A variable of a comprehension.
struct Local<'d> {
    name: String,
    place: PathNode<'d>,
    size: Option<SizeEstimate>,
    entry: Option<EntrySize>,
}

/// An expression as the cost of a call sees it.
pub(super) struct Argument<'e, 'd> {
    pub(super) expr: &'e Expr,
    pub(super) place: PathNode<'d>,
    pub(super) ty: Type,
    pub(super) size: Option<SizeEstimate>,
}

pub(super) struct Coster<'c, 'd> {
    checked: &'c Checked,
    root: &'d DeclType,
    places: BTreeMap<usize, PathNode<'d>>,
    locals: Vec<Local<'d>>,
    sizes: BTreeMap<usize, SizeEstimate>,
    entries: BTreeMap<usize, EntrySize>,
}

impl<'c, 'd> Coster<'c, 'd> {
    pub(super) fn new(checked: &'c Checked, root: &'d DeclType) -> Self {
        Self {
            checked,
            root,
            places: BTreeMap::new(),
            locals: Vec::new(),
            sizes: BTreeMap::new(),
            entries: BTreeMap::new(),
        }
    }

    pub(super) fn cost(&mut self, expr: &Expr) -> CostEstimate {
        match &expr.kind {
            Kind::Literal(_) => CostEstimate::default(),
            Kind::Ident(name) => {
                let place = self.local(name).map_or(PathNode::At(self.root), |local| local.place);
                self.places.insert(expr.id, place);
                SELECT
            }
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { target, function, arguments } => {
                self.call(expr, target.as_deref(), function, arguments)
            }
            Kind::List(items) => self.list(expr, items),
            Kind::Map(entries) => self.map(expr, entries),
            Kind::Struct { fields, .. } => {
                let costs = fields.iter().map(|field| self.cost(&field.value));
                costs.fold(STRUCT, CostEstimate::plus)
            }
            Kind::Comprehension(fold) if is_bind(fold) => self.bind(expr, fold),
            Kind::Comprehension(fold) => self.comprehension(expr, fold),
        }
    }

    fn select(&mut self, expr: &Expr, operand: &Expr, field: &str, test: bool) -> CostEstimate {
        // A name with dots, such as that of a type, is one name.
        if !matches!(self.checked.references.get(expr.id), None | Some(Reference::None)) {
            self.places.insert(expr.id, PathNode::At(self.root));
            return SELECT;
        }
        let cost = self.cost(operand);
        // A presence test costs nothing beyond the path to it.
        if test {
            return cost;
        }
        let place = self.below(self.place(operand), field);
        self.places.insert(expr.id, place);
        match self.type_of(operand) {
            Type::Map(..) | Type::Object(_) => cost.plus(SELECT),
            _ => cost,
        }
    }

    fn list(&mut self, expr: &Expr, items: &[(Expr, bool)]) -> CostEstimate {
        let mut cost = LIST;
        let mut size: Option<SizeEstimate> = None;
        for (item, _) in items {
            cost = cost.plus(self.cost(item));
            let item_size = self.size_or_unknown(item);
            size = Some(size.map_or(item_size, |size| size.union(item_size)));
        }
        let value = size.unwrap_or(SizeEstimate::fixed(0));
        let entry = EntrySize { is_list: true, key: SizeEstimate::fixed(1), value };
        self.entries.insert(expr.id, entry);
        cost
    }

    fn map(&mut self, expr: &Expr, entries: &[crate::syntax::Entry]) -> CostEstimate {
        let mut cost = MAP;
        let mut sizes: Option<(SizeEstimate, SizeEstimate)> = None;
        for entry in entries {
            cost = cost.plus(self.cost(&entry.key)).plus(self.cost(&entry.value));
            let (key, value) =
                (self.size_or_unknown(&entry.key), self.size_or_unknown(&entry.value));
            sizes = Some(sizes.map_or((key, value), |(k, v)| (k.union(key), v.union(value))));
        }
        let (key, value) = sizes.unwrap_or((SizeEstimate::fixed(0), SizeEstimate::fixed(0)));
        self.entries.insert(expr.id, EntrySize { is_list: false, key, value });
        cost
    }

    fn comprehension(&mut self, expr: &Expr, fold: &Comprehension) -> CostEstimate {
        let mut sum = self.cost(&fold.range).plus(self.cost(&fold.start));
        let depth = self.locals.len();
        self.push_value(&fold.accumulator, &fold.start);
        match &fold.second {
            None => self.push_item(&fold.item, &fold.range, None),
            Some(second) => {
                self.push_item(&fold.item, &fold.range, Some(false));
                self.push_item(second, &fold.range, Some(true));
            }
        }
        let condition = self.cost(&fold.condition);
        let step = self.cost(&fold.step);
        self.locals.truncate(depth + 1);
        sum = sum.plus(self.cost(&fold.result));
        self.locals.truncate(depth);
        let count = self.size_or_unknown(&fold.range);
        sum = sum.plus(count.by_cost(step.plus(condition)));
        match &fold.start.kind {
            Kind::Literal(_) => {
                if let Some(size) = self.size(&fold.start) {
                    self.sizes.insert(expr.id, size);
                }
            }
            Kind::List(_) | Kind::Map(_) => {
                self.sizes.insert(expr.id, count);
                if let Some(entry) = self.entry_size(&fold.step) {
                    self.entries.insert(expr.id, entry);
                }
            }
            _ => {}
        }
        sum
    }

    /// A name for a value: a comprehension without iterations.
    fn bind(&mut self, expr: &Expr, fold: &Comprehension) -> CostEstimate {
        let mut sum = self.cost(&fold.range).plus(self.cost(&fold.start));
        let depth = self.locals.len();
        self.push_value(&fold.accumulator, &fold.start);
        sum = sum.plus(self.cost(&fold.result));
        self.locals.truncate(depth);
        self.copy_sizes(expr, &fold.result);
        sum
    }

    pub(super) fn copy_sizes(&mut self, to: &Expr, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entry) = self.entry_size(from) {
            self.entries.insert(to.id, entry);
        }
    }

    fn push_value(&mut self, name: &str, value: &Expr) {
        let (place, size, entry) = (self.place(value), self.size(value), self.entry_size(value));
        self.locals.push(Local { name: name.into(), place, size, entry });
    }

    /// An iteration variable: of two, `values` says whether it is the value; alone it is the item of a list or the key
    /// of a map.
    fn push_item(&mut self, name: &str, range: &Expr, values: Option<bool>) {
        let entry = self.entry_size(range);
        let is_list = match entry {
            Some(entry) => entry.is_list,
            None => matches!(self.type_of(range), Type::List(_)),
        };
        let is_value = values.unwrap_or(is_list);
        let element = match (is_value, is_list) {
            (true, true) => "@items",
            (true, false) => "@values",
            (false, true) => "@indices",
            (false, false) => "@keys",
        };
        let size = entry.map(|entry| if is_value { entry.value } else { entry.key });
        let place = self.below(self.place(range), element);
        self.locals.push(Local { name: name.into(), place, size, entry: None });
    }

    fn local(&self, name: &str) -> Option<&Local<'d>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn type_of(&self, expr: &Expr) -> Type {
        self.checked.types.get(expr.id).cloned().unwrap_or(Type::Error)
    }

    pub(super) fn overloads(&self, expr: &Expr) -> (&'c [OverloadDecl], bool) {
        match self.checked.references.get(expr.id) {
            Some(Reference::Calls { overloads, namespaced }) => (overloads, *namespaced),
            _ => (&[], false),
        }
    }

    pub(super) fn place(&self, expr: &Expr) -> PathNode<'d> {
        if let Kind::Ident(name) = &expr.kind
            && let Some(local) = self.local(name)
        {
            return local.place;
        }
        self.places.get(&expr.id).copied().unwrap_or(PathNode::Nowhere)
    }

    pub(super) fn set_place(&mut self, expr: &Expr, place: PathNode<'d>) {
        self.places.insert(expr.id, place);
    }

    /// The place one element further down. The first element of a path is taken for the variable.
    pub(super) fn below(&self, place: PathNode<'d>, element: &str) -> PathNode<'d> {
        match place {
            PathNode::Nowhere => PathNode::At(self.root),
            PathNode::Undeclared => PathNode::Undeclared,
            PathNode::At(ty) => ty.below(element).map_or(PathNode::Undeclared, PathNode::At),
        }
    }

    pub(super) fn set_size(&mut self, expr: &Expr, size: SizeEstimate) {
        self.sizes.insert(expr.id, size);
    }

    pub(super) fn set_entry_size(&mut self, expr: &Expr, entry: EntrySize) {
        self.entries.insert(expr.id, entry);
    }

    pub(super) fn size(&mut self, expr: &Expr) -> Option<SizeEstimate> {
        if let Some(size) = self.sizes.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(size);
        }
        if let Some(size) = place_size(self.place(expr)) {
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(&self.type_of(expr)) {
            return Some(SizeEstimate::fixed(1));
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    pub(super) fn size_or_unknown(&mut self, expr: &Expr) -> SizeEstimate {
        self.size(expr).unwrap_or(SizeEstimate::UNKNOWN)
    }

    pub(super) fn entry_size(&self, expr: &Expr) -> Option<EntrySize> {
        if let Some(entry) = self.entries.get(&expr.id) {
            return Some(*entry);
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name)?.entry,
            _ => None,
        }
    }

    pub(super) fn argument<'e>(&mut self, expr: &'e Expr) -> Argument<'e, 'd> {
        let size = self.size(expr);
        Argument { expr, place: self.place(expr), ty: self.type_of(expr), size }
    }
}

/// The size that the declaration allows at a place.
pub(super) fn place_size(place: PathNode<'_>) -> Option<SizeEstimate> {
    match place {
        PathNode::At(ty) => Some(SizeEstimate { min: 0, max: ty.max_elements }),
        _ => None,
    }
}

fn literal_size(expr: &Expr) -> Option<SizeEstimate> {
    let size = match &expr.kind {
        Kind::Literal(Value::Type(_) | Value::Opaque(_) | Value::Optional(_)) => return None,
        Kind::Literal(value) => return Some(SizeEstimate::fixed(value.cost_size())),
        Kind::List(items) => items.len(),
        Kind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(SizeEstimate::fixed(u64::try_from(size).unwrap_or(u64::MAX)))
}

/// Whether values of a type have one size.
fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Optional(inner) => is_scalar(inner),
        _ => false,
    }
}

/// Whether a comprehension only gives a name to a value.
fn is_bind(fold: &Comprehension) -> bool {
    matches!(&fold.range.kind, Kind::List(items) if items.is_empty())
        && matches!(&fold.condition.kind, Kind::Literal(Value::Bool(false)))
}
