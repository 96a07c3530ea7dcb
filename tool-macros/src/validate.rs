//! Second stage: the rules. One mistake is one error, at the token that is wrong, saying what to write instead; all
//! mistakes of an item are reported together.

pub(crate) mod block;
mod constraints;
pub(crate) mod parameters;

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{GenericParam, ReturnType, Safety, Signature, Type};

use self::parameters::{Source, ValidArgument, ValidParameter};
use crate::diagnostics::Errors;
use crate::docs::Text;
use crate::names;
use crate::parse::ToolFn;
use crate::parse::options::{Options, Recovery, Target};
use crate::types::{self, Part};

/// A tool that keeps every rule, with everything decided that an expansion needs.
pub(crate) struct ValidTool<'a> {
    pub(crate) function: &'a ToolFn,
    pub(crate) names: ToolNames,
    pub(crate) id: Text,
    pub(crate) description: Text,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) parameters: Vec<ValidParameter<'a>>,
}

/// The names of what is generated.
pub(crate) struct ToolNames {
    pub(crate) tool: Ident,
    pub(crate) arguments: Ident,
}

/// Applies the rules to a free function.
pub(crate) fn function(function: &ToolFn, mut errors: Errors) -> Result<ValidTool<'_>, TokenStream> {
    if let Some(receiver) = function.signature.receiver() {
        errors.at_tokens(
            receiver,
            "a method is a tool in a block that says so: write `#[tool]` on its `impl` block as well",
        );
    }
    for parameter in &function.signature.generics.params {
        let advice = match parameter {
            GenericParam::Lifetime(_) => "leave the lifetime out: parameters are lent to the call as a whole",
            GenericParam::Type(_) | GenericParam::Const(_) => {
                "a free function that is a tool cannot be generic: a model names no types; write the type out"
            }
        };
        errors.at_tokens(parameter, advice);
    }
    let tool = tool(function, tool_type(function), &mut errors);
    errors.check()?;
    Ok(tool)
}

/// The rules that a function and a method have in common. `type_name` is what the function or the attribute gives.
fn tool<'a>(function: &'a ToolFn, type_name: Option<Ident>, errors: &mut Errors) -> ValidTool<'a> {
    signature(function, errors);
    let names = tool_names(function, type_name, errors);
    let id = id(function, errors);
    let description = description(function, errors);
    let recovery = recovery(function, errors);
    let parameters = parameters::valid(&function.parameters, errors);
    execution(function, errors);
    declared_arguments(function, &parameters, errors);
    secrets(function, &parameters, errors);
    ValidTool { function, names, id, description, recovery, parameters }
}

fn signature(function: &ToolFn, errors: &mut Errors) {
    let signature = &function.signature;
    if let Safety::Unsafe(keyword) = &signature.safety {
        errors.at(keyword.span, "a tool cannot be `unsafe`: nobody keeps its conditions when a model calls it");
    }
    let second = function.attributes.iter().find(|attribute| attribute.path().is_ident("tool"));
    if let Some(second) = second {
        errors.at_tokens(second, "`#[tool]` stands once on a function");
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        if let Some(span) = types::find(ty, &|part| matches!(part, Part::Type(Type::ImplTrait(_)))) {
            errors.at(span, "a tool's result has one type with a name: write it in place of `impl Trait`");
        }
        if matches!(**ty, Type::Never(_)) {
            errors.at_tokens(ty, "a tool that never returns answers nothing: give it a result");
        }
    }
}

fn tool_names(function: &ToolFn, type_name: Option<Ident>, errors: &mut Errors) -> ToolNames {
    let ident = &function.signature.ident;
    let tool = type_name.unwrap_or_else(|| {
        match function.options.type_name.get() {
            Some(keyword) => errors.at(keyword.span(), format!("`{keyword}` cannot be the name of a type")),
            None => errors
                .at(ident.span(), format!("`{ident}` gives no name for the tool's type: write `#[tool(type = Name)]`")),
        }
        Ident::new("Tool", ident.span())
    });
    ToolNames { arguments: arguments_type(&tool), tool }
}

/// The type's name, where the function or the attribute gives one.
pub(crate) fn tool_type(function: &ToolFn) -> Option<Ident> {
    let ident = &function.signature.ident;
    let name = match function.options.type_name.get() {
        Some(name) => return Some(name.clone()).filter(|name| !is_path_keyword(name)),
        None => names::upper_camel_case(&names::plain(ident)),
    };
    let mut name = syn::parse_str::<Ident>(&name).ok()?;
    name.set_span(names::ours_at(ident.span()));
    Some(name)
}

fn is_path_keyword(name: &Ident) -> bool {
    ["Self", "self", "super", "crate"].iter().any(|keyword| name == keyword)
}

/// The name of the argument struct beside the tool's type.
pub(crate) fn arguments_type(tool: &Ident) -> Ident {
    Ident::new(&format!("{}Args", names::plain(tool)), names::ours_at(tool.span()))
}

fn id(function: &ToolFn, errors: &mut Errors) -> Text {
    let ident = &function.signature.ident;
    let (id, span) = match function.options.id.get() {
        Some(id) => (Text::of(id), id.span()),
        None => (Text::Literal(names::plain(ident)), ident.span()),
    };
    if let Text::Literal(text) = &id
        && let Some(fault) = names::id_fault(text)
    {
        let advice = if function.options.id.is_given() { "" } else { r#"; write `#[tool(id = "…")]`"# };
        errors.at(span, format!("{fault}{advice}"));
    }
    id
}

fn description(function: &ToolFn, errors: &mut Errors) -> Text {
    let given = function.options.description.get();
    let text = given.unwrap_or(&function.doc).clone();
    if text.is_blank() {
        let span = function.options.description.span().unwrap_or(function.signature.ident.span());
        errors.at(span, "a tool needs a description, which the model chooses it by: write a doc comment (`/// …`)");
    }
    text
}

/// The recovery capability, where it is stated or follows.
fn recovery(function: &ToolFn, errors: &mut Errors) -> Option<Recovery> {
    let options = &function.options;
    let read_only = options.read_only.is_set();
    if read_only
        && options.destructive.is_set()
        && let Some(span) = options.destructive.span()
    {
        errors.at(span, "`destructive` contradicts `read_only`: a tool that changes nothing destroys nothing");
    }
    let stated = options.recovery.get().copied();
    let at = options.recovery.span().unwrap_or_else(Span::call_site);
    match stated {
        Some(Recovery::NonRecoverable) if read_only => errors.at(
            at,
            "`recovery = non_recoverable` contradicts `read_only`: reading again is as reading once; leave `recovery` out",
        ),
        Some(Recovery::Idempotent { ambient: false }) if !options.idempotency_key.is_given() && !has_context(function) => {
            errors.at(
                at,
                "an idempotent tool recognises a repeated operation: read its token from `#[context] cx: &ToolContext`, \
                 or declare an `idempotency_key`; a body that reads the token ambiently says `recovery = idempotent(ambient)`, \
                 and one whose repetition does no harm `recovery = replay_safe`",
            );
        }
        _ => {}
    }
    if let Some(key) = options.idempotency_key.span()
        && !matches!(stated, Some(Recovery::Idempotent { .. }))
    {
        errors.at(key, "`idempotency_key` needs `recovery = idempotent`: otherwise nothing looks at the key");
    }
    stated.or(read_only.then_some(Recovery::ReplaySafe))
}

fn has_context(function: &ToolFn) -> bool {
    function.parameters.iter().any(|parameter| matches!(parameter.role, crate::parse::parameters::Role::Context))
}

/// Where and how the body runs.
fn execution(function: &ToolFn, errors: &mut Errors) {
    let options = &function.options;
    if options.blocking.is_set()
        && function.signature.asyncness.is_some()
        && let Some(span) = options.blocking.span()
    {
        errors.at(
            span,
            "`blocking` is for a plain function: an `async` one yields where it waits; remove one of the two",
        );
    }
    if options.exclusive_sandbox.is_set()
        && options.target.get() != Some(&Target::Sandbox)
        && let Some(span) = options.exclusive_sandbox.span()
    {
        errors.at(span, "`exclusive_sandbox` is for a tool that runs there: add `target = sandbox`");
    }
}

/// What is declared over the arguments needs arguments by name.
fn declared_arguments(function: &ToolFn, parameters: &[ValidParameter<'_>], errors: &mut Errors) {
    let Some(history) = function.options.history.get() else { return };
    for name in &history.deduplicate_by {
        let is_argument = parameters
            .iter()
            .any(|parameter| parameter.name == name && matches!(parameter.source, Source::Argument(_)));
        if !is_argument {
            errors.at(name.span(), format!("`{name}` is no argument of this tool"));
        }
    }
}

/// A path begins at an argument. Where it leads within a type, or in `#[args]`, is for the registry to see.
fn secrets(function: &ToolFn, parameters: &[ValidParameter<'_>], errors: &mut Errors) {
    let Some(paths) = function.options.secrets.get() else { return };
    if parameters.iter().any(|parameter| matches!(parameter.source, Source::Whole(_))) {
        return;
    }
    let arguments = parameters.iter().filter_map(|parameter| match &parameter.source {
        Source::Argument(argument) => Some((argument.wire_name.as_str(), argument.options.secret.is_set())),
        _ => None,
    });
    let arguments: Vec<(&str, bool)> = arguments.collect();
    for (path, span) in paths {
        let leads = |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        match arguments.iter().find(|(name, _)| leads(name)) {
            Some((name, true)) => errors.at(*span, format!("`{name}` is secret as a whole: leave one of the two out")),
            Some(_) => {}
            None => {
                let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
                let first = path.split('.').next().unwrap_or_default();
                let advice = match names.as_slice() {
                    [] => "the tool has none".to_owned(),
                    names => names::suggestion(first, names),
                };
                errors.at(*span, format!("`{path}` begins at no argument of this tool; {advice}"));
            }
        }
    }
}

impl ValidTool<'_> {
    pub(crate) fn options(&self) -> &Options {
        &self.function.options
    }

    pub(crate) fn signature(&self) -> &Signature {
        &self.function.signature
    }

    pub(crate) fn returns(&self) -> Option<&Type> {
        self.function.returns.as_ref()
    }

    /// The arguments among the parameters.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&ValidParameter<'_>, &ValidArgument<'_>)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.source {
            Source::Argument(argument) => Some((parameter, argument)),
            _ => None,
        })
    }

    /// The parameter that takes the whole object.
    pub(crate) fn whole(&self) -> Option<&ValidParameter<'_>> {
        self.parameters.iter().find(|parameter| matches!(parameter.source, Source::Whole { .. }))
    }
}
