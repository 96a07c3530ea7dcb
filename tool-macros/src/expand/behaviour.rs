//! The provided methods of `Tool` whose default does not hold.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::Expansion;
use crate::names::ours_at;
use crate::parse::options::{Concurrency, Options, Recovery, Target};
use crate::validate::parameters::{Source, ValidParameter};

impl Expansion<'_> {
    pub(super) fn behaviour(&self) -> TokenStream {
        let options = self.tool.options();
        let stated = stated(options);
        let execution = execution(options);
        let recovery = self.tool.recovery.map(recovery);
        let concurrency = self.concurrency(options);
        let history = self.history(options);
        let over_arguments = self.over_arguments(options);
        let carried_state = self.carried_state(options);
        let strict_decoder = self.strict_decoder();
        quote!(#stated #execution #recovery #concurrency #history #over_arguments #carried_state #strict_decoder)
    }

    fn concurrency(&self, options: &Options) -> Option<TokenStream> {
        let class = match options.concurrency.get()? {
            Concurrency::Serial => return None,
            Concurrency::Parallel => quote!(Parallel),
            Concurrency::Resources(_) => quote!(Resources),
        };
        let resources = if let Some(Concurrency::Resources(claims)) = options.concurrency.get() {
            let bindings = self.bindings();
            let claims = claims.iter().map(|claim| {
                let (access, namespace, key) = (&claim.access, &claim.namespace, &claim.key);
                let key = quote_spanned!(ours_at(key.span())=> &(#key));
                quote!(__p::ResourceClaim::#access(#namespace, #key))
            });
            Some(quote! {
                fn resources(&self, __args: &Self::Args) -> __p::Vec<__p::ResourceClaim> {
                    #bindings
                    <__p::Vec<_> as ::core::convert::From<_>>::from([#(#claims),*])
                }
            })
        } else {
            None
        };
        Some(quote! {
            fn concurrency(&self) -> __p::ConcurrencyClass { __p::ConcurrencyClass::#class }
            #resources
        })
    }

    fn history(&self, options: &Options) -> Option<TokenStream> {
        let history = options.history.get()?;
        let (compact, pin) = (history.compact, history.pin);
        // By the name that stands in the recorded arguments.
        let names = history.deduplicate_by.iter().filter_map(|name| {
            let (_, argument) = self.tool.arguments().find(|(parameter, _)| parameter.name == name)?;
            let wire = &argument.wire_name;
            Some(quote!(__p::Cow::Borrowed(#wire)))
        });
        Some(quote! {
            fn history(&self) -> __p::HistoryPolicy {
                __p::history(<__p::Vec<_> as ::core::convert::From<_>>::from([#(#names),*]), #compact, #pin)
            }
        })
    }

    /// What is declared as an expression over the arguments.
    fn over_arguments(&self, options: &Options) -> TokenStream {
        let bindings = self.bindings();
        let key = options.idempotency_key.get().map(|key| {
            let text = text(key);
            quote! {
                fn idempotency_key(&self, __args: &Self::Args) -> __p::Option<__p::String> {
                    #bindings
                    __p::Option::Some(#text)
                }
            }
        });
        let identity = options.identity.get().map(|identity| {
            let operation = &identity.operation;
            let [target, key] = [&identity.target, &identity.key].map(|part| match part {
                Some(part) => {
                    let text = text(part);
                    quote!(__p::Option::Some(#text))
                }
                None => quote!(__p::Option::None),
            });
            quote! {
                fn identity(&self, __args: &Self::Args) -> __p::Option<__p::CallIdentity> {
                    #bindings
                    __p::Option::Some(__p::CallIdentity {
                        operation: __p::Cow::Borrowed(#operation),
                        target: #target,
                        arguments_key: #key,
                    })
                }
            }
        });
        let prepare = options.prepare.get().map(|path| {
            let prepared = quote_spanned!(ours_at(path.span())=> #path(__arguments));
            quote! {
                fn prepare(&self, __arguments: __p::Value) -> __p::Result<__p::Value, __p::ToolError> { #prepared }
                fn prepares(&self) -> __p::bool { true }
            }
        });
        quote!(#key #identity #prepare)
    }

    /// What the tool's state has to say, by a function over it: a method of the block, or one that takes each `#[state]`.
    fn carried_state(&self, options: &Options) -> Option<TokenStream> {
        let path = options.carried_state.get()?;
        let said = match &self.owner {
            Some(owner) => {
                let self_type = owner.self_type;
                // `said` and `Self::said` are methods of the block's type; `Self` would be the tool's here.
                let mut segments = path.segments.iter().filter(|segment| segment.ident != "Self");
                let method = match (segments.next(), segments.next()) {
                    (Some(method), None) => quote!(<#self_type>::#method),
                    _ => path.to_token_stream(),
                };
                quote_spanned!(path.span()=> #method(&*self.shared).await)
            }
            None => {
                let states =
                    self.tool.parameters.iter().filter_map(|ValidParameter { field, cfgs, source, .. }| {
                        let state = match source {
                            Source::SharedState(_) => quote!(&*self.#field),
                            Source::OwnedState => quote!(&self.#field),
                            _ => return None,
                        };
                        Some(quote!(#(#cfgs)* #state))
                    });
                quote_spanned!(path.span()=> #path(#(#states),*).await)
            }
        };
        Some(quote! {
            fn carried_state<'life0, 'async_trait>(
                &'life0 self,
            ) -> __p::Pin<__p::Box<dyn __p::Future<Output = __p::Option<__p::String>> + __p::Send + 'async_trait>>
            where
                'life0: 'async_trait,
                Self: 'async_trait,
            {
                __p::Box::pin(async move {
                    let __said: __p::Option<__p::String> = #said;
                    __said
                })
            }
        })
    }

    /// Binds each argument by its name, to a reference. An expression need not use them all.
    fn bindings(&self) -> TokenStream {
        if let Some(ValidParameter { name, .. }) = self.tool.whole() {
            return quote!(let #name = &__args.0; let _ = #name;);
        }
        let arguments = self
            .tool
            .arguments()
            .map(|(ValidParameter { name, field, cfgs, .. }, _)| quote!(#(#cfgs)* let #name = &__args.#field; #(#cfgs)* let _ = #name;));
        quote!(#(#arguments)*)
    }

    /// Whether every argument's type is known to refuse by itself what serde lets through.
    fn strict_decoder(&self) -> Option<TokenStream> {
        // A range may be that of another type, which the plan of the checks would take for this type's own.
        let has_ranges = self.tool.arguments().any(|(_, argument)| argument.options.range.is_given());
        if self.tool.whole().is_some() || has_ranges {
            return None;
        }
        let types = self.tool.arguments().map(|(parameter, argument)| {
            let cfgs = parameter.cfgs;
            let ty = super::structs::field_type(parameter.ty, argument.given, &syn::parse_quote!(__p));
            quote!(#(#cfgs)* (&&__p::StrictProbe::<#ty>::NEW).__tool_is_strict())
        });
        Some(quote! {
            fn decodes_strictly() -> __p::bool { !<[__p::bool]>::contains(&[#(#types),*], &false) }
        })
    }
}

/// What is stated in so many words.
fn stated(options: &Options) -> TokenStream {
    let title = options
        .title
        .get()
        .map(|title| quote!(fn title(&self) -> __p::Option<&__p::str> { __p::Option::Some(#title) }));
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
    let [private_data, untrusted_input] =
        [(quote!(private_data), options.private_data.get()), (quote!(untrusted_input), options.untrusted_input.get())]
            .map(|(method, value)| {
                value.map(|value| quote!(fn #method(&self) -> __p::Option<__p::bool> { __p::Option::Some(#value) }))
            });
    let egress = options.egress.get().map(|egress| {
        let egress = quote::format_ident!("{egress}");
        quote!(fn egress(&self) -> __p::Option<__p::Egress> { __p::Option::Some(__p::Egress::#egress) })
    });
    quote!(#title #annotations #private_data #untrusted_input #egress)
}

/// Where and how it runs.
fn execution(options: &Options) -> TokenStream {
    let target = options.target.get().map(|target| {
        let target = match target {
            Target::Brain => quote!(Brain),
            Target::Sandbox => quote!(Sandbox),
        };
        quote!(fn execution_target(&self) -> __p::ToolExecutionTarget { __p::ToolExecutionTarget::#target })
    });
    let timeout = options.timeout.get().map(|milliseconds| {
        quote! {
            fn timeout(&self) -> __p::Option<__p::Duration> {
                __p::Option::Some(__p::Duration::from_millis(#milliseconds))
            }
        }
    });
    let characters = options.max_result_chars.get().map(
        |characters| quote!(fn max_result_chars(&self) -> __p::Option<__p::usize> { __p::Option::Some(#characters) }),
    );
    let mode = options.strict.is_set().then(|| {
        quote!(
            fn argument_mode(&self) -> __p::ArgumentMode {
                __p::ArgumentMode::Strict
            }
        )
    });
    let flags = [
        (quote!(exclusive_sandbox), &options.exclusive_sandbox),
        (quote!(blocking), &options.blocking),
        (quote!(aborts_siblings_on_error), &options.aborts_siblings_on_error),
        (quote!(counts_toward_call_limit), &options.counts_toward_call_limit),
        (quote!(counts_toward_termination_vote), &options.counts_toward_termination_vote),
    ]
    .map(|(method, flag)| flag.get().map(|value| quote!(fn #method(&self) -> __p::bool { #value })));
    quote!(#target #timeout #characters #mode #(#flags)*)
}

fn recovery(recovery: Recovery) -> TokenStream {
    let capability = match recovery {
        Recovery::NonRecoverable => quote!(NonRecoverable),
        Recovery::ReplaySafe => quote!(ReplaySafe),
        Recovery::Idempotent { .. } => quote!(Idempotent),
        Recovery::DurableRequest => quote!(DurableRequest),
    };
    quote! {
        fn recovery_capability(&self) -> __p::ToolRecoveryCapability { __p::ToolRecoveryCapability::#capability }
    }
}

/// An expression over the arguments as text.
fn text(expression: &Expr) -> TokenStream {
    let lent = quote_spanned!(ours_at(expression.span())=> &(#expression)); // what is no text is reported there
    quote!(__p::ToString::to_string(#lent))
}
