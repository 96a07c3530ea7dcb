//! The tool's type and its argument struct.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type, Visibility};

use super::Expansion;
use crate::docs::Text;
use crate::names;
use crate::validate::parameters::{Given, Source, ValidArgument, ValidParameter};

/// The type that a parameter is decoded as; `private` is the path of tool-core's hidden module.
pub(super) fn field_type(written: &Type, given: Given<'_>, private: &Path) -> TokenStream {
    let span = names::ours_at(written.span());
    match given {
        Given::Owned => written.to_token_stream(),
        Given::Str => quote_spanned!(span=> #private::String),
        Given::Slice(element) => quote_spanned!(span=> #private::Vec<#element>),
        Given::Reference(owned) => owned.to_token_stream(),
    }
}

impl Expansion<'_> {
    pub(super) fn structs(&self) -> TokenStream {
        let arguments = self.argument_struct();
        let tool = self.tool_struct();
        quote!(#arguments #tool)
    }

    fn argument_struct(&self) -> TokenStream {
        let (name, visibility, cfgs) = (&self.tool.names.arguments, self.visibility(), self.cfgs());
        let field_visibility = self.field_visibility();
        let function = names::plain(&self.tool.function.signature.ident);
        let doc = format!("The arguments of the tool `{function}`, as a model writes them.");
        let generics = self.argument_generics();
        let (allowed, where_clause) = (self.allowed(), &generics.where_clause);
        if let Some(whole) = self.tool.whole() {
            let Source::Whole(given) = whole.source else { return TokenStream::new() };
            let ty = field_type(whole.ty, given, &self.private());
            return quote! {
                #(#cfgs)*
                #[doc = #doc]
                #allowed
                #visibility struct #name #generics (#[doc = "The arguments."] #field_visibility #ty) #where_clause;
            };
        }
        let fields = self.tool.arguments().map(|(parameter, argument)| self.field(parameter, argument));
        let marker =
            self.generics_marker(&self.private()).map(|ty| quote!(#[doc(hidden)] #field_visibility __generics: #ty));
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #allowed
            #visibility struct #name #generics #where_clause { #(#fields,)* #marker }
        }
    }

    /// Fields are seen where their struct is.
    fn field_visibility(&self) -> TokenStream {
        match self.tool.function.visibility {
            Visibility::Inherited => TokenStream::new(),
            Visibility::Public(_) | Visibility::Restricted(_) => quote!(pub),
        }
    }

    fn field(&self, parameter: &ValidParameter<'_>, argument: &ValidArgument<'_>) -> TokenStream {
        let ValidParameter { field, cfgs, ty, .. } = parameter;
        let visibility = self.field_visibility();
        let doc = match &argument.description {
            Text::Literal(text) if !text.trim().is_empty() => text.clone(),
            // The compiler takes no other expression for a doc comment than a literal.
            _ => format!("The argument `{}`.", argument.wire_name),
        };
        let ty = field_type(ty, argument.given, &self.private());
        // A public field that is called unused is a matter for lints, unless it is hidden.
        let hidden = field.to_string().starts_with('_').then(|| quote!(#[doc(hidden)]));
        quote!(#(#cfgs)* #[doc = #doc] #hidden #visibility #field: #ty)
    }

    /// `PhantomData<fn() -> (S, T)>` for an argument struct with generics, each of which has to be used.
    pub(super) fn generics_marker(&self, private: &Path) -> Option<TokenStream> {
        let generics = self.argument_generics();
        let parts: Vec<TokenStream> = generics
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                syn::GenericParam::Type(parameter) => Some(parameter.ident.to_token_stream()),
                syn::GenericParam::Lifetime(parameter) => {
                    let lifetime = &parameter.lifetime;
                    Some(quote!(&#lifetime ()))
                }
                syn::GenericParam::Const(_) => None,
            })
            .collect();
        (!generics.params.is_empty()).then(|| quote!(#private::PhantomData<fn() -> (#(#parts,)*)>))
    }

    fn tool_struct(&self) -> TokenStream {
        let (name, visibility, cfgs) = (&self.tool.names.tool, self.visibility(), self.cfgs());
        let private = self.private();
        let doc = format!("The tool `{}`.", names::plain(&self.tool.function.signature.ident));
        let allowed = self.allowed();
        if let Some(owner) = &self.owner {
            let (self_type, generics) = (owner.self_type, owner.generics);
            let where_clause = &generics.where_clause;
            return quote! {
                #(#cfgs)*
                #[doc = #doc]
                #allowed
                #visibility struct #name #generics #where_clause { shared: #private::Arc<#self_type> }
            };
        }
        let state: Vec<_> =
            self.tool.parameters.iter().filter_map(|parameter| state_field(parameter, &private)).collect();
        if state.is_empty() {
            return quote! {
                #(#cfgs)*
                #[doc = #doc]
                #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
                #visibility struct #name;
            };
        }
        quote! {
            #(#cfgs)*
            #[doc = #doc]
            #allowed
            #visibility struct #name { #(#state),* }
        }
    }
}

fn state_field(parameter: &ValidParameter<'_>, private: &Path) -> Option<TokenStream> {
    let ValidParameter { field, cfgs, ty, source, .. } = parameter;
    let held = match source {
        Source::SharedState(shared) => quote!(#private::Arc<#shared>),
        Source::OwnedState => quote!(#ty),
        _ => return None,
    };
    Some(quote!(#(#cfgs)* #field: #held))
}
