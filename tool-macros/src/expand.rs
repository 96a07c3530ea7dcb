//! Third stage: the code. A valid tool gives tokens, never an error.
//!
//! ```text
//! // Input:
//! /// Adds.
//! #[tool]
//! async fn add(#[arg(default = 1)] a: i64, #[state] log: &Log) -> i64 { … }
//!
//! // Output, shortened:
//! async fn add(a: i64, log: &Log) -> i64 { … }
//! struct AddArgs { a: i64 }
//! struct Add { log: Arc<Log> }
//! const _: () = {
//!     use ::tool_core::__private as __p;
//!     const _: fn() = || { assert_argument::<i64>() };    // one error at the type, where it is no argument
//!     impl __p::ArgumentFields for AddArgs { … }          // its fields, by name and one after another
//!     impl __p::Deserialize<'de> for AddArgs { … }
//!     impl __p::JsonSchema for AddArgs { … }
//!     impl Add { fn new(log: impl Into<Arc<Log>>) -> Self { … } }
//!     impl __p::Tool for Add { …; async fn answer(&self, args) { … add(args.a, &*self.log).await … } }
//! };
//! ```
//!
//! A method's tool is the same with one field, the `Arc` of the value that the block is for.

mod arguments;
mod behaviour;
mod block;
mod implementation;
mod lints;
mod structs;
mod stub;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Generics, Path, Type, parse_quote};

pub(crate) use self::block::block;
pub(crate) use self::stub::{block as block_stub, function as function_stub, other};

use crate::parse::ToolFn;
use crate::validate::ValidTool;
use crate::validate::parameters::Source;

/// A valid tool, with what it belongs to.
struct Expansion<'a> {
    tool: &'a ValidTool<'a>,
    krate: Path,
    owner: Option<Owner<'a>>,
}

/// The block that a method stands in.
struct Owner<'a> {
    attributes: &'a [Attribute],
    self_type: &'a Type,
    generics: &'a Generics,
}

/// The expansion of a free function.
pub(crate) fn function(tool: &ValidTool<'_>) -> TokenStream {
    let function = emitted(tool.function);
    let expansion = Expansion { tool, krate: crate_path(tool.function.options.crate_path.get()), owner: None };
    let beside = expansion.beside();
    quote!(#function #beside)
}

/// The function as it was written, without our attributes.
fn emitted(function: &ToolFn) -> TokenStream {
    let ToolFn { attributes, visibility, signature, body, .. } = function;
    // A second `#[tool]` is reported, and would make everything a second time.
    let attributes = attributes.iter().filter(|attribute| !attribute.path().is_ident("tool"));
    quote!(#(#attributes)* #visibility #signature #body)
}

impl Expansion<'_> {
    /// What stands beside the function: its types and their implementations.
    fn beside(&self) -> TokenStream {
        let structs = self.structs();
        let cfgs = self.cfgs();
        let allowed = self.allowed();
        let private = self.private();
        let assertions = self.assertions();
        let arguments = self.argument_implementations();
        let implementation = self.implementation();
        quote! {
            #structs
            #(#cfgs)*
            #allowed
            const _: () = {
                use #private as __p;
                use __p::probes::*;
                #assertions
                #arguments
                #implementation
            };
        }
    }

    /// The path of tool-core's hidden module, from outside the `const` block.
    fn private(&self) -> Path {
        let krate = &self.krate;
        parse_quote!(#krate::__private)
    }

    fn cfgs(&self) -> Vec<&Attribute> {
        cfgs(&self.tool.function.attributes)
    }

    /// The function's visibility, in tokens of ours.
    fn visibility(&self) -> TokenStream {
        lints::visibility(&self.tool.function.visibility)
    }

    /// What the author allows the function, its parameters or its block.
    fn allowed(&self) -> TokenStream {
        let function = lints::allowed(&self.tool.function.attributes);
        let parameters = self.tool.signature().inputs.iter().map(|input| match input {
            FnArg::Typed(parameter) => lints::allowed(&parameter.attrs),
            FnArg::Receiver(_) => TokenStream::new(),
        });
        let block = self.owner.as_ref().map(|owner| lints::allowed(owner.attributes));
        quote!(#function #(#parameters)* #block)
    }

    /// The generics of the tool's type.
    fn generics(&self) -> Generics {
        self.owner.as_ref().map(|owner| owner.generics.clone()).unwrap_or_default()
    }

    /// The generics of the argument struct: those of the block, where an argument's type names one of them.
    fn argument_generics(&self) -> Generics {
        let generics = self.generics();
        let names: Vec<String> = generics
            .params
            .iter()
            .map(|parameter| match parameter {
                syn::GenericParam::Type(parameter) => parameter.ident.to_string(),
                syn::GenericParam::Const(parameter) => parameter.ident.to_string(),
                syn::GenericParam::Lifetime(parameter) => parameter.lifetime.ident.to_string(),
            })
            .collect();
        let arguments = self.tool.arguments().map(|(parameter, _)| parameter).chain(self.tool.whole());
        let mut types = arguments.map(|parameter| parameter.ty.to_token_stream());
        if types.any(|ty| mentions(ty, &names)) { generics } else { Generics::default() }
    }

    /// One error of ours at each type that cannot stand where it does, and no other.
    fn assertions(&self) -> TokenStream {
        let arguments = self.tool.parameters.iter().filter_map(|parameter| {
            let given = match &parameter.source {
                Source::Argument(argument) => argument.given,
                Source::Whole(given) => *given,
                _ => return None,
            };
            let (cfgs, span) = (parameter.cfgs, parameter.ty.span());
            let ty = structs::field_type(parameter.ty, given, &parse_quote!(__p));
            let assertion = quote_spanned!(span=> __p::assert_argument::<#ty>());
            Some(quote!(#(#cfgs)* { #assertion }))
        });
        let states = self.tool.parameters.iter().filter_map(|parameter| {
            let held = match parameter.source {
                Source::SharedState(shared) => shared,
                Source::OwnedState => parameter.ty,
                _ => return None,
            };
            let (cfgs, assertion) = (parameter.cfgs, quote_spanned!(held.span()=> __p::assert_state::<#held>()));
            Some(quote!(#(#cfgs)* { #assertion }))
        });
        let returned = self.tool.returns().map(|ty| {
            let assertion = quote_spanned!(ty.span()=> (&&&__p::Returned::<#ty>::NEW).__tool_outcome().assert_result());
            quote!({ #assertion })
        });
        let id = &self.tool.id;
        let valid_id = matches!(id, crate::docs::Text::Expression(_)).then(|| {
            quote!(
                const _: () = ::core::assert!(__p::is_tool_id(#id), "a tool id is 1 to 128 of `A-Z a-z 0-9 _ - .`");
            )
        });
        let generics = self.generics();
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        quote! {
            #valid_id
            fn __assertions #impl_generics () #where_clause { #(#arguments)* #(#states)* #returned }
        }
    }
}

fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => names.contains(&ident.to_string()),
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

fn crate_path(given: Option<&Path>) -> Path {
    given.cloned().unwrap_or_else(|| parse_quote!(::tool_core))
}

/// The `#[cfg]`s among `attributes`: what is generated is there exactly when the function is.
fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
