//! The tool's constructor and its `impl Tool`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::parse::{Recovery, Target};
use crate::validate::{Source, ValidParameter, ValidTool};

use super::arguments::lend;

/// `impl Name` and `impl Tool for Name`.
pub(super) fn implementations(tool: &ValidTool<'_>) -> TokenStream {
    let (name, arguments) = (&tool.names.tool, &tool.names.arguments);
    let (id, description) = (&tool.id, &tool.description);
    let constructor = constructor(tool);
    let not_runtime = not_runtime(tool);
    let output_schema = output_schema(tool);
    let behaviour = behaviour(tool);
    let body = body(tool);
    quote! {
        #constructor

        #[automatically_derived]
        impl __p::Tool for #name {
            type Args = #arguments;
            type Output = __p::ToolOutput;
            const ID: &'static str = #id;
            const DESCRIPTION: &'static str = #description;
            #not_runtime
            #output_schema
            #behaviour
            #[allow(deprecated)] // the function itself may be deprecated; whoever uses the tool is told
            fn call<'life0, 'async_trait>(
                &'life0 self,
                args: #arguments,
            ) -> __p::Pin<__p::Box<dyn __p::Future<Output = __p::Result<__p::ToolOutput, __p::ToolError>> + __p::Send + 'async_trait>>
            where
                'life0: 'async_trait,
                Self: 'async_trait,
            {
                __p::Box::pin(async move { #body })
            }
        }
    }
}

fn constructor(tool: &ValidTool<'_>) -> TokenStream {
    let (name, visibility) = (&tool.names.tool, tool.visibility());
    let mut parameters = Vec::new();
    let mut fields = Vec::new();
    for ValidParameter { name, cfgs, ty, source } in &tool.parameters {
        match source {
            Source::SharedState(shared) => {
                parameters.push(quote!(#(#cfgs)* #name: impl __p::Into<__p::Arc<#shared>>));
                fields.push(quote!(#(#cfgs)* #name: __p::Into::into(#name)));
            }
            Source::OwnedState => {
                parameters.push(quote!(#(#cfgs)* #name: #ty));
                fields.push(quote!(#(#cfgs)* #name));
            }
            Source::Argument(_) | Source::Context { .. } => {}
        }
    }
    let (constness, value, doc) = if parameters.is_empty() {
        (quote!(const), quote!(Self), "The tool.")
    } else {
        (quote!(), quote!(Self { #(#fields),* }), "The tool over its state, which every call shares.")
    };
    quote! {
        #[automatically_derived]
        impl #name {
            #[doc = #doc]
            #[allow(dead_code)] // a tool without state is its own value
            #[must_use]
            #visibility #constness fn new(#(#parameters),*) -> Self { #value }
        }
    }
}

fn not_runtime(tool: &ValidTool<'_>) -> Option<TokenStream> {
    let names: Vec<&str> = tool
        .arguments()
        .filter(|(_, argument)| argument.not_runtime)
        .map(|(_, argument)| argument.wire_name.as_str())
        .collect();
    (!names.is_empty()).then(|| quote!(const NOT_RUNTIME: &'static [&'static str] = &[#(#names),*];))
}

/// The schema of what the function returns, where its type has one.
fn output_schema(tool: &ValidTool<'_>) -> Option<TokenStream> {
    let ty = tool.returns()?;
    let output = quote!((&&(&&__p::Returned::<#ty>::NEW).outcome().success()).end().output());
    Some(quote!(fn output_schema() -> __p::Option<__p::Value> { (&&#output).schema() }))
}

/// The provided methods whose default does not hold.
fn behaviour(tool: &ValidTool<'_>) -> TokenStream {
    let options = tool.options();
    let title =
        options.title.get().map(|title| quote!(fn title(&self) -> __p::Option<&str> { __p::Option::Some(#title) }));
    let recovery = tool.recovery.map(|recovery| {
        let capability = match recovery {
            Recovery::NonRecoverable => quote!(NonRecoverable),
            Recovery::ReplaySafe => quote!(ReplaySafe),
            Recovery::Idempotent => quote!(Idempotent),
            Recovery::DurableRequest => quote!(DurableRequest),
        };
        quote! {
            fn recovery_capability(&self) -> __p::ToolRecoveryCapability { __p::ToolRecoveryCapability::#capability }
        }
    });
    let target = tool.target().map(|target| {
        let target = match target {
            Target::Brain => quote!(Brain),
            Target::Sandbox => quote!(Sandbox),
        };
        quote!(fn execution_target(&self) -> __p::ToolExecutionTarget { __p::ToolExecutionTarget::#target })
    });
    let hints: Vec<TokenStream> = [
        (quote!(with_read_only), options.read_only.get()),
        (quote!(with_destructive), options.destructive.get()),
        (quote!(with_open_world), options.open_world.get()),
    ]
    .into_iter()
    .filter_map(|(setter, value)| value.map(|value| quote!(.#setter(#value))))
    .collect();
    let annotations = (!hints.is_empty())
        .then(|| quote!(fn annotations(&self) -> __p::ToolAnnotations { __p::ToolAnnotations::new() #(#hints)* }));
    quote!(#title #recovery #target #annotations)
}

/// Calls the function and turns what it returns into an output.
fn body(tool: &ValidTool<'_>) -> TokenStream {
    let function = &tool.function.signature.ident;
    let inputs = tool.parameters.iter().map(input);
    let context = tool
        .parameters
        .iter()
        .any(|parameter| matches!(parameter.source, Source::Context { .. }))
        .then(|| quote!(let context = __p::ToolContext::current();));
    let awaited = tool.function.signature.asyncness.map(|_| quote!(.await));
    let span = tool.returns().map_or_else(Span::call_site, Spanned::span);
    let split = quote_spanned!(span=> (&&__p::returned(&returned)).outcome().split(returned)?);
    quote! {
        let _ = &args;
        #context
        let returned = #function(#(#inputs),*)#awaited;
        let value = #split;
        match (&&__p::returned(&value)).end().settle(value) {
            __p::Result::Ok(output) => (&&&__p::returned(&output)).answer().render(output),
            __p::Result::Err(waiting) => __p::Result::Ok(*waiting),
        }
    }
}

/// A parameter's value in the call of the function.
fn input(parameter: &ValidParameter<'_>) -> TokenStream {
    let ValidParameter { name, cfgs, ty, source } = parameter;
    let span = ty.span();
    let value = match source {
        Source::Argument(argument) => match argument.lent {
            Some(lent) => lend(&quote!(args.#name), lent),
            None => quote!(args.#name),
        },
        Source::SharedState(_) => quote_spanned!(span=> &*self.#name),
        Source::OwnedState => quote_spanned!(span=> __p::Clone::clone(&self.#name)),
        // The context is ours, whatever type the parameter claims: a mismatch is reported at that type.
        Source::Context { by_reference: true } => quote_spanned!(span=> &context),
        Source::Context { by_reference: false } => quote_spanned!(span=> __p::Clone::clone(&context)),
    };
    let cfgs = cfgs.iter().map(ToTokens::to_token_stream);
    quote!(#(#cfgs)* #value)
}
