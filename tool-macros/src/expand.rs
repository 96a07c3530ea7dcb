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
//!     struct __Fields { a: Option<i64> }                  // `AddArgs` while it is being read
//!     impl __p::Deserialize<'de> for AddArgs { … }
//!     impl __p::JsonSchema for AddArgs { … }
//!     impl Add { fn new(log: impl Into<Arc<Log>>) -> Self { … } }
//!     impl __p::Tool for Add { …; fn call(&self, args) { Box::pin(async move { … add(args.a, &*self.log).await … }) } }
//! };
//! ```

mod arguments;
mod implementation;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Path, Type, parse_quote};

use crate::parse::{Role, ToolFn};
use crate::validate::{self, Source, ValidParameter, ValidTool};

/// The expansion of a valid tool.
pub(crate) fn tool(tool: &ValidTool<'_>) -> TokenStream {
    let function = function(tool.function);
    let types = types(tool);
    let cfgs = cfgs(&tool.function.attributes);
    let private = private(&crate_path(tool.function));
    let assertions = assertions(tool);
    let arguments = arguments::implementations(tool);
    let implementation = implementation::implementations(tool);
    quote! {
        #function
        #types
        #(#cfgs)*
        const _: () = {
            use #private as __p;
            use __p::probes::*;
            #assertions
            #arguments
            #implementation
        };
    }
}

/// The function as it was written, without our attributes.
fn function(function: &ToolFn) -> TokenStream {
    let ToolFn { attributes, visibility, signature, body, .. } = function;
    quote!(#(#attributes)* #visibility #signature #body)
}

/// The tool's type and its argument struct.
fn types(tool: &ValidTool<'_>) -> TokenStream {
    let visibility = tool.visibility();
    let cfgs = cfgs(&tool.function.attributes);
    let (name, arguments) = (&tool.names.tool, &tool.names.arguments);
    let function = crate::names::plain(&tool.function.signature.ident);
    let tool_doc = format!("The tool `{function}`.");
    let arguments_doc = format!("The arguments of the tool `{function}`, as a model writes them.");
    let krate = crate_path(tool.function);
    let fields = tool.arguments().map(|(parameter, argument)| {
        let ValidParameter { name, cfgs, .. } = parameter;
        let doc = match &argument.description {
            text if text.is_blank() => format!("The argument `{}`.", argument.wire_name).to_token_stream(),
            text => text.to_token_stream(),
        };
        let ty = arguments::field_type(parameter, argument, &private(&krate));
        quote!(#(#cfgs)* #[doc = #doc] #visibility #name: #ty)
    });
    let state: Vec<_> = tool.parameters.iter().filter_map(|parameter| state_field(parameter, &krate)).collect();
    let body = if state.is_empty() { quote!(;) } else { quote!({ #(#state),* }) };
    let derives = state.is_empty().then(
        || quote!(#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]),
    );
    quote! {
        #(#cfgs)*
        #[doc = #arguments_doc]
        #visibility struct #arguments { #(#fields),* }
        #(#cfgs)*
        #[doc = #tool_doc]
        #derives
        #visibility struct #name #body
    }
}

fn state_field(parameter: &ValidParameter<'_>, krate: &Path) -> Option<TokenStream> {
    let ValidParameter { name, cfgs, ty, source } = parameter;
    let held = match source {
        Source::SharedState(shared) => {
            let private = private(krate);
            quote!(#private::Arc<#shared>)
        }
        Source::OwnedState => quote!(#ty),
        _ => return None,
    };
    Some(quote!(#(#cfgs)* #name: #held))
}

/// One error of ours at each type that cannot stand where it does, and no other.
fn assertions(tool: &ValidTool<'_>) -> TokenStream {
    let arguments = tool.arguments().map(|(parameter, argument)| {
        let cfgs = parameter.cfgs;
        let ty = arguments::field_type(parameter, argument, &parse_quote!(__p));
        let assertion = quote_spanned!(parameter.ty.span()=> __p::assert_argument::<#ty>());
        quote!(#(#cfgs)* const _: fn() = || { #assertion };)
    });
    let returned = tool.returns().map(|ty| {
        let assertion = quote_spanned!(ty.span()=> (&&__p::Returned::<#ty>::NEW).outcome().assert_result());
        quote!(const _: fn() = || { #assertion };)
    });
    quote!(#(#arguments)* #returned)
}

/// What is left of a tool with mistakes: the function, and types of the same names, so that no other line that
/// uses them is reported as well.
pub(crate) fn stub(tool: &ToolFn, error: &syn::Error) -> TokenStream {
    let function = function(tool);
    let errors = error.to_compile_error();
    let types = validate::tool_type(tool).filter(|_| !tool.is_method).map(|name| stub_types(tool, &name));
    quote!(#function #types #errors)
}

fn stub_types(tool: &ToolFn, name: &syn::Ident) -> TokenStream {
    let krate = crate_path(tool);
    let private = private(&krate);
    let (visibility, cfgs) = (&tool.visibility, cfgs(&tool.attributes));
    let arguments = validate::arguments_type(name);
    let states = tool.parameters.iter().filter(|parameter| matches!(parameter.role, Role::State));
    let parameters: Vec<TokenStream> = states
        .map(|parameter| {
            let (name, cfgs) = (&parameter.name, &parameter.cfgs);
            let ty = match &parameter.ty {
                Type::Reference(reference) => {
                    let shared = &reference.elem;
                    quote!(impl #private::Into<#private::Arc<#shared>>)
                }
                owned => quote!(#owned),
            };
            quote!(#(#cfgs)* #name: #ty)
        })
        .collect();
    let body = if parameters.is_empty() { quote!(;) } else { quote!({}) };
    let value = if parameters.is_empty() { quote!(Self) } else { quote!(Self {}) };
    quote! {
        #(#cfgs)*
        #[allow(dead_code, missing_docs)]
        #visibility struct #arguments {}
        #(#cfgs)*
        #[allow(dead_code, missing_docs)]
        #visibility struct #name #body
        #(#cfgs)*
        const _: () = {
            use #private as __p;
            #[allow(dead_code, missing_docs, unused_variables)]
            impl #name {
                #visibility fn new(#(#parameters),*) -> Self { #value }
            }
            impl __p::Tool for #name {
                type Args = __p::StubArgs;
                type Output = __p::ToolOutput;
                const ID: &'static str = "";
                const DESCRIPTION: &'static str = "";
                fn call<'life0, 'async_trait>(
                    &'life0 self,
                    _: __p::StubArgs,
                ) -> __p::Pin<__p::Box<dyn __p::Future<Output = __p::Result<__p::ToolOutput, __p::ToolError>> + __p::Send + 'async_trait>>
                where
                    'life0: 'async_trait,
                    Self: 'async_trait,
                {
                    __p::Box::pin(async { __p::stub_answer() })
                }
            }
        };
    }
}

/// An item that is no function: as it was, beside the error.
pub(crate) fn other(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
}

fn crate_path(function: &ToolFn) -> Path {
    function.options.crate_path.get().cloned().unwrap_or_else(|| parse_quote!(::tool_core))
}

fn private(krate: &Path) -> Path {
    parse_quote!(#krate::__private)
}

/// The `#[cfg]`s among `attributes`: what is generated is there exactly when the function is.
fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
