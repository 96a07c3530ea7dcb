//! First stage: what is written, read into a form that keeps every token that a later stage may point at.

pub(crate) mod block;
pub(crate) mod options;
pub(crate) mod parameters;

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, ReturnType, Signature, Type, Visibility};

use self::block::ToolBlock;
use self::options::Options;
use self::parameters::{Parameter, parameters};
use crate::diagnostics::Errors;
use crate::docs::{self, Text};

/// What `#[tool]` stands on.
pub(crate) enum ToolItem {
    /// A function, with the mistakes that reading it showed.
    Function(Box<ToolFn>, Errors),
    /// A block of methods.
    Block(Box<ToolBlock>, Errors),
    /// Something else, with the reason why it is no tool.
    Other(TokenStream, syn::Error),
}

/// A function under `#[tool]`.
pub(crate) struct ToolFn {
    pub(crate) options: Options,
    /// All but `#[tool]` itself.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) doc: Text,
    pub(crate) visibility: Visibility,
    /// The signature as it is emitted: without the attributes that are ours.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    pub(crate) parameters: Vec<Parameter>,
    /// The return type as the generated code names it.
    pub(crate) returns: Option<Type>,
}

/// Reads the attribute and the item under it.
pub(crate) fn tool(attribute: TokenStream, item: TokenStream) -> ToolItem {
    let mut errors = Errors::new();
    if let Ok(written) = WrittenFn::parse.parse2(item.clone()) {
        let function = written.into_tool(attribute, &mut errors);
        return ToolItem::Function(Box::new(function), errors);
    }
    match block::read(attribute, item.clone(), &mut errors) {
        Ok(block) => ToolItem::Block(Box::new(block), errors),
        Err(reason) => {
            // The reason replaces whatever else was found.
            let _: Result<(), TokenStream> = errors.check();
            ToolItem::Other(item, syn::Error::new(Span::call_site(), reason))
        }
    }
}

/// A function whose body stays unread: it is emitted token for token.
pub(crate) struct WrittenFn {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for WrittenFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        if !input.peek(syn::token::Brace) {
            return Err(input.error("expected a body"));
        }
        let body = input.parse::<proc_macro2::TokenTree>()?.into();
        Ok(Self { attributes, visibility, signature, body })
    }
}

impl WrittenFn {
    /// Reads the function as a tool; `attribute` is what stands in its `#[tool(…)]`.
    pub(crate) fn into_tool(self, attribute: TokenStream, errors: &mut Errors) -> ToolFn {
        let Self { attributes, visibility, mut signature, body } = self;
        let options = Options::read(attribute, errors);
        let parameters = parameters(&mut signature, errors);
        let returns = match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        let doc = docs::doc_comment(&attributes);
        ToolFn { options, attributes, doc, visibility, signature, body, parameters, returns }
    }
}
