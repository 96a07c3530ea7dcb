//! The argument struct's way from JSON and its schema.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use crate::docs;
use crate::parse::DefaultValue;
use crate::validate::{ValidArgument, ValidParameter, ValidTool};

/// The type that a field is decoded as; `private` is the path of tool-core's hidden module.
pub(super) fn field_type(parameter: &ValidParameter<'_>, argument: &ValidArgument<'_>, private: &Path) -> TokenStream {
    match argument.lent {
        Some(lent) => {
            let span = parameter.ty.span();
            quote_spanned!(span=> <#lent as #private::ToOwned>::Owned)
        }
        None => parameter.ty.to_token_stream(),
    }
}

/// One argument with the tokens that several places need.
struct Field<'a> {
    parameter: &'a ValidParameter<'a>,
    argument: &'a ValidArgument<'a>,
    ty: TokenStream,
    /// The question whether the type can be an argument, at the type.
    probe: TokenStream,
    default: Option<(Ident, &'a DefaultValue)>,
}

impl<'a> Field<'a> {
    fn new((parameter, argument): (&'a ValidParameter<'a>, &'a ValidArgument<'a>)) -> Self {
        let ty = field_type(parameter, argument, &syn::parse_quote!(__p));
        let probe = quote!((&&__p::ArgumentProbe::<#ty>::NEW).kind());
        let default = argument.default.map(|default| (format_ident!("__default_{}", parameter.name), default));
        Self { parameter, argument, ty, probe, default }
    }

    /// `fn __default_limit() -> u32 { 10 }`
    fn default_function(&self) -> Option<TokenStream> {
        let (function, default) = self.default.as_ref()?;
        let (cfgs, ty) = (self.parameter.cfgs, &self.ty);
        let value = match default {
            DefaultValue::OfType => quote_spanned!(self.parameter.ty.span()=> <#ty as __p::Default>::default()),
            DefaultValue::Value(text) if docs::string_literal(text).is_some() => {
                quote_spanned!(text.span()=> __p::Into::into(#text))
            }
            DefaultValue::Value(value) => value.to_token_stream(),
        };
        Some(quote!(#(#cfgs)* fn #function() -> #ty { #value }))
    }

    /// `customer: __p::Option<String>`
    fn slot(&self) -> TokenStream {
        let (name, cfgs, ty) = (self.parameter.name, self.parameter.cfgs, &self.ty);
        quote!(#(#cfgs)* #name: __p::Option<#ty>)
    }

    /// `customer: __p::Option::None`
    fn empty_slot(&self) -> TokenStream {
        let (name, cfgs) = (self.parameter.name, self.parameter.cfgs);
        quote!(#(#cfgs)* #name: __p::Option::None)
    }

    /// `"customer" => ….read(&mut self.customer, "customer", map),`
    fn read(&self) -> TokenStream {
        let (name, cfgs, wire, probe) =
            (self.parameter.name, self.parameter.cfgs, &self.argument.wire_name, &self.probe);
        quote!(#(#cfgs)* #wire => #probe.read(&mut self.#name, #wire, map),)
    }

    /// `customer: ….or_absent(fields.customer, "customer")?`
    fn taken(&self) -> TokenStream {
        let (name, cfgs, wire, probe) =
            (self.parameter.name, self.parameter.cfgs, &self.argument.wire_name, &self.probe);
        match &self.default {
            Some((function, _)) => quote! {
                #(#cfgs)* #name: match fields.#name {
                    __p::Option::Some(given) => given,
                    __p::Option::None => #function(),
                }
            },
            None => quote!(#(#cfgs)* #name: #probe.or_absent(fields.#name, #wire)?),
        }
    }

    /// `__p::Argument { name: "customer", … }`
    fn described(&self) -> TokenStream {
        let (cfgs, wire, probe) = (self.parameter.cfgs, &self.argument.wire_name, &self.probe);
        let description = &self.argument.description;
        let default = match &self.default {
            Some((function, _)) => quote!(__p::Option::Some(|| (&&__p::DefaultProbe(#function())).to_json())),
            None => quote!(__p::Option::None),
        };
        quote! {
            #(#cfgs)* __p::Argument { name: #wire, description: #description, of: #probe.describe(), default: #default }
        }
    }

    /// `"customer"`, as an element of a list.
    fn wire_name(&self) -> TokenStream {
        let (cfgs, wire) = (self.parameter.cfgs, &self.argument.wire_name);
        quote!(#(#cfgs)* #wire)
    }
}

/// `Deserialize` and `JsonSchema` of the argument struct.
pub(super) fn implementations(tool: &ValidTool<'_>) -> TokenStream {
    let fields: Vec<Field<'_>> = tool.arguments().map(Field::new).collect();
    let arguments = &tool.names.arguments;
    let default_functions = fields.iter().map(Field::default_function);
    let slots = fields.iter().map(Field::slot);
    let empty_slots = fields.iter().map(Field::empty_slot);
    let wire_names = fields.iter().map(Field::wire_name);
    let reads = fields.iter().map(Field::read);
    let taken = fields.iter().map(Field::taken);
    let described = fields.iter().map(Field::described);
    let schema_name = arguments.to_string();
    quote! {
        #(#default_functions)*

        struct __Fields { #(#slots),* }

        #[automatically_derived]
        impl __p::ArgumentFields for __Fields {
            const NAMES: &'static [&'static str] = &[#(#wire_names),*];
            fn empty() -> Self {
                Self { #(#empty_slots),* }
            }
            fn decode<'de, __A: __p::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut __A,
            ) -> __p::Result<(), __A::Error> {
                let _ = &map; // nothing is read from it where there are no arguments
                match name {
                    #(#reads)*
                    _ => __p::Result::Ok(()),
                }
            }
        }

        #[automatically_derived]
        impl<'de> __p::Deserialize<'de> for #arguments {
            fn deserialize<__D: __p::Deserializer<'de>>(deserializer: __D) -> __p::Result<Self, __D::Error> {
                let fields: __Fields = __p::decode_fields(deserializer)?;
                let _ = &fields;
                __p::Result::Ok(Self { #(#taken),* })
            }
        }

        #[automatically_derived]
        impl __p::JsonSchema for #arguments {
            fn schema_name() -> __p::Cow<'static, str> {
                __p::Cow::Borrowed(#schema_name)
            }
            fn schema_id() -> __p::Cow<'static, str> {
                __p::Cow::Borrowed(::core::concat!(::core::module_path!(), "::", #schema_name))
            }
            fn json_schema(generator: &mut __p::SchemaGenerator) -> __p::Schema {
                __p::object_schema(generator, &[#(#described),*])
            }
        }
    }
}

/// The type behind `&str` or `&[T]`, as the function borrows it from its field.
pub(super) fn lend(field: &TokenStream, lent: &Type) -> TokenStream {
    quote!(<<#lent as __p::ToOwned>::Owned as __p::Borrow<#lent>>::borrow(&#field))
}
