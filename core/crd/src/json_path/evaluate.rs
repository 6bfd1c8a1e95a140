//! Evaluation of paths on trees, in which missing keys are no errors.

use super::{JsonPath, Operator, Slice, Step};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ratchet_object::{Node, Value};

/// A value that a path leads to.
#[derive(Clone, Debug)]
pub enum Found<'n> {
    /// A value of the tree.
    Node(&'n Node<'n>),
    /// A value that is written in the path.
    Literal(Node<'static>),
}

impl Found<'_> {
    /// The value.
    pub fn node(&self) -> &Node<'_> {
        match self {
            Self::Node(node) => node,
            Self::Literal(node) => node,
        }
    }
}

/// The evaluation failed.
#[derive(Debug)]
struct Failed;

/// More values than this are not looked at, however often a path asks for them.
const MAX_VISITS: usize = 200_000;

type Results<'n> = Result<Vec<Found<'n>>, Failed>;

impl JsonPath {
    /// The first value that the path leads to; `None` if there is none, or the path does not fit the tree.
    pub fn first<'n>(&self, root: &'n Node<'n>) -> Option<Found<'n>> {
        let mut evaluation = Evaluation { visits: 0 };
        let found = evaluation.evaluate(&self.steps, vec![Found::Node(root)]).ok()?;
        found.into_iter().next()
    }
}

/// An evaluation: how many values were looked at.
struct Evaluation {
    visits: usize,
}

impl Evaluation {
    fn visit(&mut self, count: usize) -> Result<(), Failed> {
        self.visits = self.visits.saturating_add(count);
        if self.visits > MAX_VISITS { Err(Failed) } else { Ok(()) }
    }

    fn evaluate<'n>(&mut self, steps: &[Step], input: Vec<Found<'n>>) -> Results<'n> {
        steps.iter().try_fold(input, |input, step| {
            self.visit(input.len())?;
            let found = self.apply(step, input)?;
            self.visit(found.len())?;
            Ok(found)
        })
    }

    fn apply<'n>(&mut self, step: &Step, input: Vec<Found<'n>>) -> Results<'n> {
        let literal =
            |node: Node<'static>| input.iter().map(|_| Found::Literal(node.clone())).collect();
        match step {
            Step::Text(text) => Ok(vec![Found::Literal(Node::string(text.clone()))]),
            Step::Int(number) => Ok(literal(Node::int(*number))),
            Step::Float(number) => Ok(literal(Node::new(Value::Float(*number)))),
            Step::Bool(truth) => Ok(literal(Node::bool(*truth))),
            Step::Field(name) => {
                Ok(trees(&input).filter_map(|node| node.get(name)).map(Found::Node).collect())
            }
            Step::Wildcard => Ok(trees(&input).flat_map(children).map(Found::Node).collect()),
            Step::Recursive => {
                let mut found = Vec::new();
                for node in trees(&input) {
                    self.descend(node, &mut found)?;
                }
                Ok(found)
            }
            Step::Slice(bounds) => {
                let mut found = Vec::new();
                for node in trees(&input).filter(|node| !node.is_null()) {
                    let Value::List(items) = &node.value else { return Err(Failed) };
                    found.extend(slice(items, *bounds)?.into_iter().map(Found::Node));
                }
                Ok(found)
            }
            Step::Union(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    self.visit(input.len())?;
                    found.extend(self.evaluate(part, input.clone())?);
                }
                Ok(found)
            }
            Step::Filter { left, operator, right } => {
                let mut found = Vec::new();
                for node in trees(&input) {
                    let Value::List(items) = &node.value else { return Err(Failed) };
                    for item in items {
                        if self.passes(item, left, *operator, right)? {
                            found.push(Found::Node(item));
                        }
                    }
                }
                Ok(found)
            }
        }
    }

    /// All lists and objects in a value that are not empty, itself first.
    fn descend<'n>(
        &mut self,
        node: &'n Node<'n>,
        found: &mut Vec<Found<'n>>,
    ) -> Result<(), Failed> {
        let children = children(node);
        if children.is_empty() {
            return Ok(());
        }
        self.visit(1)?;
        found.push(Found::Node(node));
        children.into_iter().try_for_each(|child| self.descend(child, found))
    }

    fn passes(
        &mut self,
        item: &Node<'_>,
        left: &[Step],
        operator: Operator,
        right: &[Step],
    ) -> Result<bool, Failed> {
        let own = || vec![Found::Node(item)];
        let lefts = self.evaluate(left, own());
        if operator == Operator::Exists {
            return Ok(lefts.is_ok_and(|lefts| !lefts.is_empty()));
        }
        let lefts = lefts?;
        let left = match lefts.as_slice() {
            [] => return Ok(false),
            [left] => left,
            _ => return Err(Failed),
        };
        let rights = self.evaluate(right, own())?;
        let right = match rights.as_slice() {
            [] => return Ok(false),
            [right] => right,
            _ => return Err(Failed),
        };
        let order = compare(left.node(), right.node(), operator)?;
        Ok(match operator {
            Operator::Less => order.is_lt(),
            Operator::Greater => order.is_gt(),
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::LessEqual => order.is_le(),
            Operator::GreaterEqual => order.is_ge(),
            Operator::Exists | Operator::Unknown => return Err(Failed),
        })
    }
}

/// The values that are parts of the tree: nothing is below a literal.
fn trees<'i, 'n>(input: &'i [Found<'n>]) -> impl Iterator<Item = &'n Node<'n>> + use<'i, 'n> {
    input.iter().filter_map(|found| match found {
        Found::Node(node) => Some(*node),
        Found::Literal(_) => None,
    })
}

fn children<'n>(node: &'n Node<'n>) -> Vec<&'n Node<'n>> {
    match &node.value {
        Value::List(items) => items.iter().collect(),
        Value::Map(entries) => entries.iter().map(|entry| &entry.node).collect(),
        _ => Vec::new(),
    }
}

fn slice<'n>(items: &'n [Node<'n>], bounds: Slice) -> Result<Vec<&'n Node<'n>>, Failed> {
    let length = i64::try_from(items.len()).map_err(|_| Failed)?;
    let mut start = bounds.start.unwrap_or_default();
    if start < 0 {
        start += length;
    }
    let mut end = bounds.end.unwrap_or(length);
    if end < 0 || (end == 0 && bounds.is_index) {
        end += length;
    }
    if start == end {
        return Ok(Vec::new());
    }
    if !(0..length).contains(&start) || !(0..=length).contains(&end) || start > end {
        return Err(Failed);
    }
    let step = bounds.step.unwrap_or(1);
    if step <= 0 {
        return Err(Failed);
    }
    let index = |number: i64| usize::try_from(number).map_err(|_| Failed);
    let part = items.get(index(start)?..index(end)?).ok_or(Failed)?;
    Ok(part.iter().step_by(index(step)?).collect())
}

/// The order of two values of the same type; booleans are only equal or not.
fn compare(left: &Node<'_>, right: &Node<'_>, operator: Operator) -> Result<Ordering, Failed> {
    match (&left.value, &right.value) {
        (Value::Text(left), Value::Text(right)) => Ok(left.cmp(right)),
        (Value::Int(left), Value::Int(right)) => Ok(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right).ok_or(Failed),
        (Value::Bool(left), Value::Bool(right))
            if matches!(operator, Operator::Equal | Operator::NotEqual) =>
        {
            Ok(left.cmp(right))
        }
        _ => Err(Failed),
    }
}
