//! The command `ratchet cel`: evaluates one expression on one object as a policy would.

mod advice;
mod format;
mod input;
mod mutation;

use crate::command_result::CommandResult;
use crate::requester;
use crate::requester::RequesterArgs;
use advice::Advice;
use clap::{Args as ClapArgs, ValueEnum};
use input::EvaluationInput;
use ratchet_cel::{EvalError, Issues, PER_CALL_LIMIT};
use ratchet_engine::Release;
use ratchet_policy::{Operation, Trial};
use std::io::{self, Write};
use std::path::PathBuf;

/// Exit status if the expression does not compile or fails.
const EXPRESSION_FAILED: u8 = 1;

/// Evaluate a CEL expression as an admission policy would.
///
/// The expression can use object, oldObject, request, params, namespaceObject and variables. The object gets its
/// defaults, and the request is derived from it. There is no authorizer: an expression that uses it fails.
///
/// Exit status: 0 the expression has a value (true or false alike); 1 it does not compile, or its evaluation fails; 2
/// bad usage or unreadable files.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CelArgs {
    /// CEL expression to evaluate.
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) expression: String,

    /// File with the new object, in YAML or JSON: object. - means standard input.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    pub(crate) object: Option<PathBuf>,

    /// File with the stored object: oldObject.
    #[arg(long, value_name = "FILE")]
    pub(crate) old: Option<PathBuf>,

    /// File with the parameter object of the policy: params.
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,

    /// File with the namespace of the object: namespaceObject. Without it, namespaceObject has only a name and its
    /// label.
    #[arg(long, value_name = "FILE")]
    pub(crate) namespace_object: Option<PathBuf>,

    /// Variable of the policy: variables.NAME. Later variables can use it. May be repeated.
    #[arg(long = "var", value_name = "NAME=EXPR")]
    pub(crate) variables: Vec<String>,

    /// Evaluate the expression as a mutation of a MutatingAdmissionPolicy, Object{...} or a list of JSONPatch{...}, and
    /// print the object as it leaves it.
    #[arg(long, requires = "object")]
    pub(crate) mutation: bool,

    /// Operation of the request: request.operation [default: derived from the given objects].
    #[arg(long, value_enum, ignore_case = true, value_name = "OPERATION")]
    pub(crate) operation: Option<OperationArg>,

    /// Namespace of an object that does not set one.
    #[arg(short = 'n', long, default_value = "default")]
    pub(crate) namespace: String,

    #[command(flatten)]
    pub(crate) requester: RequesterArgs,

    /// Output format of the value.
    #[arg(short = 'o', long, value_enum, default_value = "text")]
    pub(crate) output: CelOutput,

    /// Print the cost of the evaluation and its limit to standard error.
    #[arg(long)]
    pub(crate) cost: bool,

    /// Kubernetes release whose CEL functions are available, from 1.31 to 1.37.
    #[arg(long, visible_alias = "target-version", default_value = "1.36", value_name = "VERSION")]
    pub(crate) kubernetes_version: String,
}

const EXAMPLES: &str = "Examples:
  # Evaluate an expression on an object
  ratchet cel 'object.spec.replicas <= 5' -f deployment.yaml

  # Evaluate it on an update
  ratchet cel 'object.spec.replicas >= oldObject.spec.replicas' -f new.yaml --old stored.yaml

  # Use a variable
  ratchet cel 'variables.names.size() <= 3' -f pod.yaml \\
    --var 'names=object.spec.containers.map(c, c.name)'

  # Try a mutation
  ratchet cel --mutation 'Object{metadata: Object.metadata{labels: {\"team\": \"a\"}}}' -f pod.yaml -o yaml

  # Evaluate it on an object of a cluster
  kubectl get deployment web -o yaml | ratchet cel 'object.status.conditions.map(c, c.type)' -f -";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OperationArg {
    /// An object is created.
    Create,
    /// An object is updated.
    Update,
    /// An object is deleted: it is oldObject, and object is null.
    Delete,
    /// A connection is opened, as for exec.
    Connect,
}

impl OperationArg {
    fn operation(self) -> Operation {
        match self {
            Self::Create => Operation::Create,
            Self::Update => Operation::Update,
            Self::Delete => Operation::Delete,
            Self::Connect => Operation::Connect,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CelOutput {
    /// Strings without quotes, everything else as JSON.
    Text,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

pub(crate) fn run(args: CelArgs, out: &mut dyn Write) -> CommandResult {
    let release: Release = args
        .kubernetes_version
        .parse()
        .map_err(|error| format!("--kubernetes-version: {error}"))?;
    let version = (1, u32::from(release.minor()));
    let user = requester::of(args.requester).unwrap_or_else(ratchet_check::administrator);
    let input = EvaluationInput::read(
        input::Files {
            object: args.object.as_deref(),
            old: args.old.as_deref(),
            params: args.params.as_deref(),
            namespace: args.namespace_object.as_deref(),
        },
        args.operation.map(OperationArg::operation),
        (&args.namespace, &user),
    )?;
    let mut trial = Trial::new(version);
    let mut advice = Advice::new(version, &input);
    for variable in &args.variables {
        let Some((name, text)) = variable.split_once('=').filter(|(name, _)| is_name(name)) else {
            return Err(format!("--var {variable:?}: write NAME=EXPR").into());
        };
        if let Err(issues) = trial.declare(name, text) {
            return report_issues(&issues, &advice, Some(name));
        }
        advice.variable(name);
    }
    let compiled = match args.mutation {
        true => trial.compile_mutation(&args.expression),
        false => trial.compile(&args.expression),
    };
    let program = match compiled {
        Ok(program) => program,
        Err(issues) => return report_issues(&issues, &advice, None),
    };
    let (result, cost) = trial.evaluate(&program, &input.setting());
    if args.cost {
        writeln!(io::stderr(), "cost: {cost} of {PER_CALL_LIMIT} that one expression may cost")?;
    }
    match result {
        Ok(_) if args.mutation => {
            match mutation::patched(&trial, &args.expression, &input.setting()) {
                Ok(object) => writeln!(out, "{}", format::format_node(object, args.output))?,
                Err(why) => {
                    writeln!(io::stderr(), "ERROR: {why}")?;
                    return Ok(EXPRESSION_FAILED);
                }
            }
            Ok(0)
        }
        Ok(value) => {
            writeln!(out, "{}", format::format_value(&value, args.output, version))?;
            Ok(0)
        }
        Err(error) => report_error(&error, &args.expression, &advice),
    }
}

/// Whether a text is a valid variable name.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Writes compile errors with advice to standard error.
fn report_issues(issues: &Issues, advice: &Advice, variable: Option<&str>) -> CommandResult {
    let mut message = String::new();
    if let Some(name) = variable {
        message.push_str(&format!("variables.{name} does not compile:\n"));
    }
    message.push_str(&issues.to_string());
    for line in advice.on_issues(issues) {
        message.push_str(&format!("\nhelp: {line}"));
    }
    writeln!(io::stderr(), "{message}")?;
    Ok(EXPRESSION_FAILED)
}

/// Writes an evaluation error with advice to standard error, in the format of compile errors.
fn report_error(error: &EvalError, expression: &str, advice: &Advice) -> CommandResult {
    let mut message = match error.at {
        None => format!("ERROR: <input>: {error}\n | {expression}"),
        Some(at) => {
            let before: String = expression.chars().take(at as usize).collect();
            let (line, column) = before.split('\n').enumerate().last().unwrap_or_default();
            let (text, column) =
                (expression.split('\n').nth(line).unwrap_or_default(), column.chars().count());
            let (line, dots) = (line + 1, ".".repeat(column));
            format!("ERROR: <input>:{line}:{}: {error}\n | {text}\n | {dots}^", column + 1)
        }
    };
    for line in advice.on_error(error) {
        message.push_str(&format!("\nhelp: {line}"));
    }
    writeln!(io::stderr(), "{message}")?;
    Ok(EXPRESSION_FAILED)
}
