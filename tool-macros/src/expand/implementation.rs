//! The tool's constructor and its `impl Tool`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, parse_quote};

use super::Expansion;
use crate::names::ours_at;
use crate::validate::parameters::{Given, Source, ValidParameter};

impl Expansion<'_> {
    /// `impl Name` and `impl Tool for Name`.
    pub(super) fn implementation(&self) -> TokenStream {
        let (name, arguments) = (&self.tool.names.tool, &self.tool.names.arguments);
        let (id, description) = (&self.tool.id, &self.tool.description);
        let generics = self.tool_generics();
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        let argument_generics = self.argument_generics();
        let (_, argument_generics, _) = argument_generics.split_for_impl();
        let constructor = self.constructor();
        let not_runtime = self.not_runtime();
        let secrets = self.secrets();
        let output_schema = self.output_schema();
        let behaviour = self.behaviour();
        let body = self.body();
        quote! {
            #constructor

            #[automatically_derived]
            impl #impl_generics __p::Tool for #name #ty_generics #where_clause {
                type Args = #arguments #argument_generics;
                type Output = __p::ToolOutput;
                const ID: &'static __p::str = #id;
                const DESCRIPTION: &'static __p::str = #description;
                #not_runtime
                #secrets
                #output_schema
                #behaviour
                fn call<'life0, 'async_trait>(
                    &'life0 self,
                    __args: Self::Args,
                ) -> __p::Pin<__p::Box<dyn __p::Future<Output = __p::Result<__p::ToolOutput, __p::ToolError>> + __p::Send + 'async_trait>>
                where
                    'life0: 'async_trait,
                    Self: 'async_trait,
                {
                    __p::Box::pin(<Self as __p::Tool>::answer(self, __args))
                }
                fn answer(&self, __args: Self::Args) -> impl __p::Future<Output = __p::Result<__p::ToolOutput, __p::ToolError>> + __p::Send {
                    async move { #body }
                }
            }
        }
    }

    /// The generics of `impl Tool`: what the calls share has to be shareable. Of a function's state the assertion at its
    /// type says so; the bound keeps the compiler from saying it again, which a bound with a lifetime of its own does.
    fn tool_generics(&self) -> Generics {
        let mut generics = self.generics();
        if let Some(owner) = &self.owner {
            if !generics.params.is_empty() {
                let self_type = owner.self_type;
                let clause = generics.make_where_clause();
                clause.predicates.push(parse_quote!(#self_type: __p::Send + __p::Sync + 'static));
            }
            return generics;
        }
        for parameter in self.tool.parameters.iter().filter(|parameter| parameter.cfgs.is_empty()) {
            let held = match parameter.source {
                Source::SharedState(shared) => shared,
                Source::OwnedState => parameter.ty,
                _ => continue,
            };
            generics.make_where_clause().predicates.push(parse_quote!(for<'__shared> #held: __p::StateFor<'__shared>));
        }
        generics
    }

    fn constructor(&self) -> TokenStream {
        let (name, visibility) = (&self.tool.names.tool, self.visibility());
        let generics = self.generics();
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        let (parameters, value) = self.constructed();
        let (constness, doc) = if parameters.is_empty() {
            (quote!(const), "The tool.")
        } else {
            (quote!(), "The tool over its state, which every call shares.")
        };
        quote! {
            #[automatically_derived]
            impl #impl_generics #name #ty_generics #where_clause {
                #[doc = #doc]
                #[must_use]
                #visibility #constness fn new(#(#parameters),*) -> Self { #value }
            }
        }
    }

    /// The constructor's parameters, and what it makes of them.
    fn constructed(&self) -> (Vec<TokenStream>, TokenStream) {
        if let Some(owner) = &self.owner {
            let self_type = owner.self_type;
            let parameter = quote!(shared: impl __p::Into<__p::Arc<#self_type>>);
            return (vec![parameter], quote!(Self { shared: __p::Into::into(shared) }));
        }
        let mut parameters = Vec::new();
        let mut fields = Vec::new();
        for ValidParameter { field, cfgs, ty, source, .. } in &self.tool.parameters {
            match source {
                Source::SharedState(shared) => {
                    parameters.push(quote!(#(#cfgs)* #field: impl __p::Into<__p::Arc<#shared>>));
                    fields.push(quote!(#(#cfgs)* #field: __p::Into::into(#field)));
                }
                Source::OwnedState => {
                    parameters.push(quote!(#(#cfgs)* #field: #ty));
                    fields.push(quote!(#(#cfgs)* #field));
                }
                Source::Argument(_) | Source::Whole(_) | Source::Context { .. } => {}
            }
        }
        let value = if parameters.is_empty() { quote!(Self) } else { quote!(Self { #(#fields),* }) };
        (parameters, value)
    }

    fn not_runtime(&self) -> Option<TokenStream> {
        let names: Vec<TokenStream> = self
            .tool
            .arguments()
            .filter(|(_, argument)| argument.options.not_runtime.is_given())
            .map(|(parameter, argument)| {
                let (cfgs, name) = (parameter.cfgs, &argument.wire_name);
                quote!(#(#cfgs)* #name)
            })
            .collect();
        (!names.is_empty()).then(|| quote!(const NOT_RUNTIME: &'static [&'static __p::str] = &[#(#names),*];))
    }

    fn secrets(&self) -> Option<TokenStream> {
        let arguments = self.tool.arguments().filter(|(_, argument)| argument.options.secret.is_set());
        let arguments = arguments.map(|(parameter, argument)| {
            let (cfgs, name) = (parameter.cfgs, &argument.wire_name);
            quote!(#(#cfgs)* #name)
        });
        let listed = self.tool.options().secrets.get().into_iter().flatten().map(|(path, _)| path.to_token_stream());
        let paths: Vec<TokenStream> = arguments.chain(listed).collect();
        (!paths.is_empty()).then(|| quote!(const SECRETS: &'static [&'static __p::str] = &[#(#paths),*];))
    }

    /// The schema of what the function returns, where its type has one.
    fn output_schema(&self) -> Option<TokenStream> {
        let ty = self.tool.returns()?;
        let output = quote!((&&(&&&__p::Returned::<#ty>::NEW).__tool_outcome().success()).__tool_end().output());
        Some(quote!(fn output_schema() -> __p::Option<__p::Value> { (&&#output).__tool_schema() }))
    }

    /// Calls the function and turns what it returns into an output.
    fn body(&self) -> TokenStream {
        let called = self.called();
        let has_context =
            self.tool.parameters.iter().any(|parameter| matches!(parameter.source, Source::Context { .. }));
        let span = self.tool.returns().map_or_else(Span::call_site, Spanned::span);
        let split = quote_spanned!(span=> (&&&__p::returned(&__returned)).__tool_outcome().split(__returned));
        let answered = quote! {
            let _ = &__args;
            let __returned = #called;
            let __value = #split?;
            match (&&__p::returned(&__value)).__tool_end().settle(__value) {
                __p::Result::Ok(__output) => (&&&__p::returned(&__output)).__tool_answer().render(__output),
                __p::Result::Err(__waiting) => __p::Result::Ok(*__waiting),
            }
        };
        if self.tool.options().blocking.is_set() {
            let taken = self.taken_along();
            return quote!(#taken __p::blocking(move |__context| { let _ = &__context; #answered }).await);
        }
        let context = has_context.then(|| quote!(let __context = __p::ToolContext::current();));
        quote!(#context #answered)
    }

    fn called(&self) -> TokenStream {
        let function = &self.tool.signature().ident;
        let blocking = self.tool.options().blocking.is_set();
        let inputs = self.tool.parameters.iter().map(|parameter| input(parameter, blocking));
        let awaited = self.tool.signature().asyncness.map(|_| quote!(.await));
        match &self.owner {
            Some(owner) => {
                let self_type = owner.self_type;
                let shared = if blocking { quote!(&*__shared) } else { quote!(&*self.shared) };
                quote!(<#self_type>::#function(#shared, #(#inputs),*)#awaited)
            }
            None => quote!(#function(#(#inputs),*)#awaited),
        }
    }

    /// What a blocking body needs of `self`, taken along to its thread.
    fn taken_along(&self) -> TokenStream {
        if self.owner.is_some() {
            return quote!(let __shared = __p::Clone::clone(&self.shared););
        }
        let state = self.tool.parameters.iter().filter_map(|ValidParameter { field, cfgs, source, .. }| match source {
            Source::SharedState(_) | Source::OwnedState => {
                let taken = format_ident!("__state_{}", field);
                Some(quote!(#(#cfgs)* let #taken = __p::Clone::clone(&self.#field);))
            }
            _ => None,
        });
        quote!(#(#state)*)
    }
}

/// A parameter's value in the call of the function.
fn input(parameter: &ValidParameter<'_>, blocking: bool) -> TokenStream {
    let ValidParameter { field, cfgs, ty, source, .. } = parameter;
    let span = ours_at(ty.span());
    let held = if blocking {
        format_ident!("__state_{}", field).to_token_stream()
    } else {
        let mut field = field.clone();
        field.set_span(span); // what is wrong with the state is its type
        quote_spanned!(span=> self.#field)
    };
    let value = match source {
        Source::Argument(argument) => lent(&quote!(__args.#field), argument.given),
        Source::Whole(given) => lent(&quote!(__args.0), *given),
        Source::SharedState(_) => quote_spanned!(span=> &*#held),
        Source::OwnedState => quote_spanned!(span=> __p::Clone::clone(&#held)),
        // The context is ours, whatever type the parameter claims: a mismatch is reported at that type.
        Source::Context { by_reference: true } => quote_spanned!(ty.span()=> &__context),
        Source::Context { by_reference: false } => quote_spanned!(span=> __p::Clone::clone(&__context)),
    };
    quote!(#(#cfgs)* #value)
}

/// A decoded value as the function takes it.
fn lent(field: &TokenStream, given: Given<'_>) -> TokenStream {
    match given {
        Given::Owned => field.clone(),
        Given::Str => quote!(__p::String::as_str(&#field)),
        Given::Slice(_) => quote!(__p::Vec::as_slice(&#field)),
        Given::Reference(_) => quote!(&#field),
    }
}
