//! The argument struct's way from JSON and its schema.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Generics, Lit, UnOp, parse_quote};

use super::Expansion;
use super::structs::field_type;
use crate::docs;
use crate::names::ours_at;
use crate::parse::parameters::{Bounds, DefaultValue};
use crate::validate::parameters::{Source, ValidArgument, ValidParameter};

/// One argument with the tokens that several places need.
struct Field<'a> {
    parameter: &'a ValidParameter<'a>,
    argument: &'a ValidArgument<'a>,
    generics: &'a Generics,
    ty: TokenStream,
    /// The question whether the type can be an argument.
    probe: TokenStream,
    /// Where its value is while the arguments are being read.
    slot: Ident,
    default: Option<(Ident, &'a DefaultValue)>,
}

impl<'a> Field<'a> {
    fn new(parameter: &'a ValidParameter<'a>, argument: &'a ValidArgument<'a>, generics: &'a Generics) -> Self {
        let ty = field_type(parameter.ty, argument.given, &parse_quote!(__p));
        let probe = quote!((&&__p::ArgumentProbe::<#ty>::NEW).__tool_kind());
        let default = argument.options.default.get();
        let default = default.map(|default| (format_ident!("__default_{}", parameter.field), default));
        let slot = format_ident!("__field_{}", parameter.field);
        Self { parameter, argument, generics, ty, probe, slot, default }
    }

    /// `fn __default_limit() -> u32 { 10 }`
    fn default_function(&self) -> Option<TokenStream> {
        let (function, default) = self.default.as_ref()?;
        let (cfgs, ty) = (self.parameter.cfgs, &self.ty);
        let (generics, _, where_clause) = self.generics.split_for_impl();
        let value = match default {
            DefaultValue::OfType => {
                quote_spanned!(ours_at(self.parameter.ty.span())=> <#ty as __p::Default>::default())
            }
            DefaultValue::Value(text) if docs::string_literal(text).is_some() => {
                quote_spanned!(text.span()=> __p::FromText::into(#text))
            }
            DefaultValue::Value(value) => value.to_token_stream(),
            DefaultValue::Function(path) => quote!(#path()),
        };
        Some(quote!(#(#cfgs)* fn #function #generics () -> #ty #where_clause { #value }))
    }

    /// `__default_limit()`
    fn default_call(&self) -> Option<TokenStream> {
        let (function, _) = self.default.as_ref()?;
        let (_, generics, _) = self.generics.split_for_impl();
        let turbofish = generics.as_turbofish();
        Some(quote!(#function #turbofish ()))
    }

    /// `let mut __field_customer: __p::Option<String> = __p::Option::None;`
    fn slot(&self) -> TokenStream {
        let (slot, cfgs, ty) = (&self.slot, self.parameter.cfgs, &self.ty);
        quote!(#(#cfgs)* let mut #slot: __p::Option<#ty> = __p::Option::None;)
    }

    /// `"customer" => Some(0),`
    fn number(&self, at: usize) -> TokenStream {
        let (cfgs, wire) = (self.parameter.cfgs, &self.argument.wire_name);
        quote!(#(#cfgs)* #wire => __p::Option::Some(#at),)
    }

    /// `0 => ….read(&mut __field_customer, "customer", map)?,`
    fn read(&self, at: usize) -> TokenStream {
        let (slot, cfgs, wire, probe) = (&self.slot, self.parameter.cfgs, &self.argument.wire_name, &self.probe);
        quote!(#(#cfgs)* #at => #probe.read(&mut #slot, #wire, __map)?,)
    }

    /// `customer: ….or_absent(__field_customer, "customer")?`
    fn taken(&self) -> TokenStream {
        let Self { parameter, slot, probe, .. } = self;
        let (name, cfgs, wire) = (&parameter.field, parameter.cfgs, &self.argument.wire_name);
        match self.default_call() {
            Some(default) => quote! {
                #(#cfgs)* #name: match #slot {
                    __p::Option::Some(__given) => __given,
                    __p::Option::None => #default,
                }
            },
            None => quote!(#(#cfgs)* #name: #probe.or_absent(#slot, #wire)?),
        }
    }

    /// `__p::Argument { name: "customer", … }`
    fn described(&self) -> TokenStream {
        let (cfgs, wire, probe) = (self.parameter.cfgs, &self.argument.wire_name, &self.probe);
        let description = &self.argument.description;
        let default = match self.default_call() {
            Some(default) => quote!(__p::Option::Some(|| (&&__p::DefaultProbe(#default)).__tool_json())),
            None => quote!(__p::Option::None),
        };
        let constraints = self.constraints();
        quote! {
            #(#cfgs)* __p::Argument {
                name: #wire,
                description: #description,
                of: #probe.describe(),
                default: #default,
                constrain: #constraints,
            }
        }
    }

    /// `Some(|property| property.minimum(1i64).maximum(100i64))`
    fn constraints(&self) -> TokenStream {
        let options = self.argument.options;
        let mut calls = TokenStream::new();
        if let Some(Bounds { start, end, end_is_exclusive }) = options.range.get() {
            let start = start.as_ref().map(number);
            let end = end.as_ref().map(number);
            calls.extend(start.map(|start| quote!(.minimum(#start))));
            calls.extend(end.map(|end| if *end_is_exclusive { quote!(.below(#end)) } else { quote!(.maximum(#end)) }));
        }
        if let Some(Bounds { start, end, end_is_exclusive }) = options.length.get() {
            calls.extend(start.as_ref().map(|start| quote!(.min_length(#start))));
            let end = end.as_ref().map(|end| if *end_is_exclusive { quote!((#end) - 1) } else { quote!(#end) });
            calls.extend(end.map(|end| quote!(.max_length(#end))));
        }
        calls.extend(options.pattern.get().map(|pattern| quote!(.pattern(#pattern))));
        calls.extend(
            options.example.get().map(|example| quote!(.example((&&__p::DefaultProbe(#example)).__tool_json()))),
        );
        calls.extend(options.deprecated.is_set().then(|| quote!(.deprecated())));
        if calls.is_empty() {
            return quote!(__p::Option::None);
        }
        quote!(__p::Option::Some(|__property| __property #calls))
    }

    /// `"customer"`, as an element of a list.
    fn wire_name(&self) -> TokenStream {
        let (cfgs, wire) = (self.parameter.cfgs, &self.argument.wire_name);
        quote!(#(#cfgs)* #wire)
    }
}

/// A bound as a JSON number. A bare literal would be an `i32`, which not every bound fits.
fn number(bound: &Expr) -> TokenStream {
    let suffixed = match bound {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if literal.suffix().is_empty() => literal
            .base10_parse::<i64>()
            .map(|value| quote!(#value))
            .or_else(|_| literal.base10_parse::<u64>().map(|value| quote!(#value))),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) if literal.suffix().is_empty() => {
                format!("-{}", literal.base10_digits())
                    .parse::<i64>()
                    .map(|value| quote!(#value))
                    .map_err(|_| syn::Error::new(bound.span(), ""))
            }
            _ => Ok(quote!(#bound)),
        },
        _ => Ok(quote!(#bound)),
    };
    suffixed.unwrap_or_else(|_| quote!(#bound))
}

impl Expansion<'_> {
    /// `Deserialize` and `JsonSchema` of the argument struct.
    pub(super) fn argument_implementations(&self) -> TokenStream {
        let schema = self.schema();
        match self.tool.whole() {
            Some(whole) => {
                let decoded = self.whole_decoded(whole);
                quote!(#decoded #schema)
            }
            None => {
                let decoded = self.fields_decoded();
                quote!(#decoded #schema)
            }
        }
    }

    fn fields_decoded(&self) -> TokenStream {
        let arguments = &self.tool.names.arguments;
        let generics = self.argument_generics();
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        let fields: Vec<Field<'_>> =
            self.tool.arguments().map(|(parameter, argument)| Field::new(parameter, argument, &generics)).collect();
        let default_functions = fields.iter().map(Field::default_function);
        let slots = fields.iter().map(Field::slot);
        let wire_names = fields.iter().map(Field::wire_name);
        let numbers = fields.iter().enumerate().map(|(at, field)| field.number(at));
        let reads = fields.iter().enumerate().map(|(at, field)| field.read(at));
        let taken = fields.iter().map(Field::taken);
        let marker = self.generics_marker(&parse_quote!(__p)).map(|_| quote!(__generics: __p::PhantomData,));
        let deserialize = with_de(&generics);
        let (deserialize_generics, _, _) = deserialize.split_for_impl();
        quote! {
            #(#default_functions)*

            #[automatically_derived]
            impl #impl_generics __p::ArgumentFields for #arguments #ty_generics #where_clause {
                const NAMES: &'static [&'static __p::str] = &[#(#wire_names),*];
                fn field(__name: &__p::str) -> __p::Option<__p::usize> {
                    match __name {
                        #(#numbers)*
                        _ => __p::Option::None,
                    }
                }
                fn decode<'de, __A: __p::MapAccess<'de>>(__map: &mut __A) -> __p::Result<Self, __A::Error> {
                    #(#slots)*
                    while let __p::Option::Some(__field) = __p::next_field::<Self, __A>(__map)? {
                        match __field {
                            #(#reads)*
                            _ => {}
                        }
                    }
                    __p::Result::Ok(Self { #(#taken,)* #marker })
                }
            }

            #[automatically_derived]
            impl #deserialize_generics __p::Deserialize<'de> for #arguments #ty_generics #where_clause {
                fn deserialize<__D: __p::Deserializer<'de>>(__deserializer: __D) -> __p::Result<Self, __D::Error> {
                    __p::decode_fields(__deserializer)
                }
            }
        }
    }

    fn whole_decoded(&self, whole: &ValidParameter<'_>) -> TokenStream {
        let arguments = &self.tool.names.arguments;
        let generics = self.argument_generics();
        let (_, ty_generics, where_clause) = generics.split_for_impl();
        let deserialize = with_de(&generics);
        let (deserialize_generics, _, _) = deserialize.split_for_impl();
        let probe = whole_probe(whole);
        quote! {
            #[automatically_derived]
            impl #deserialize_generics __p::Deserialize<'de> for #arguments #ty_generics #where_clause {
                fn deserialize<__D: __p::Deserializer<'de>>(__deserializer: __D) -> __p::Result<Self, __D::Error> {
                    __p::Result::Ok(Self(#probe.whole(__deserializer)?))
                }
            }
        }
    }

    fn schema(&self) -> TokenStream {
        let arguments = &self.tool.names.arguments;
        let generics = self.argument_generics();
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        let name = arguments.to_string();
        let body = match self.tool.whole() {
            Some(whole) => {
                let probe = whole_probe(whole);
                quote!(#probe.describe().root(__generator))
            }
            None => {
                let described = self
                    .tool
                    .arguments()
                    .map(|(parameter, argument)| Field::new(parameter, argument, &generics).described());
                quote!(__p::object_schema(__generator, &[#(#described),*]))
            }
        };
        quote! {
            #[automatically_derived]
            impl #impl_generics __p::JsonSchema for #arguments #ty_generics #where_clause {
                fn schema_name() -> __p::Cow<'static, __p::str> {
                    __p::Cow::Borrowed(#name)
                }
                fn schema_id() -> __p::Cow<'static, __p::str> {
                    __p::Cow::Borrowed(__p::type_name::<Self>())
                }
                fn json_schema(__generator: &mut __p::SchemaGenerator) -> __p::Schema {
                    #body
                }
            }
        }
    }
}

/// The generics of `Deserialize<'de>`.
fn with_de(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, parse_quote!('de));
    generics
}

fn whole_probe(whole: &ValidParameter<'_>) -> TokenStream {
    let Source::Whole(given) = whole.source else { return TokenStream::new() };
    let ty = field_type(whole.ty, given, &parse_quote!(__p));
    quote!((&&__p::ArgumentProbe::<#ty>::NEW).__tool_kind())
}
