//! An `impl` block under `#[tool]`, whose methods with `#[tool]` are tools over one shared value.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Generics, Meta, Path, Token, Type};

use super::{ToolFn, WrittenFn};
use crate::attributes::{Slot, entries};
use crate::diagnostics::Errors;

/// The block.
pub(crate) struct ToolBlock {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    pub(crate) self_type: Type,
    /// What stands in the block, in order.
    pub(crate) items: Vec<BlockItem>,
    pub(crate) options: BlockOptions,
    pub(crate) unsafety: Option<Token![unsafe]>,
}

pub(crate) enum BlockItem {
    Tool(Box<ToolFn>),
    /// Anything else, token for token.
    Other(TokenStream),
}

/// The keys of `#[tool(…)]` on a block.
pub(crate) struct BlockOptions {
    /// The name of the function that gives the tools.
    pub(crate) tools: Slot<Ident>,
    pub(crate) crate_path: Slot<Path>,
}

const NO_TOOL: &str = "`#[tool]` goes on a function with a body, or on an `impl` block of such methods";

/// Reads a block, or says why it is none.
pub(crate) fn read(attribute: TokenStream, item: TokenStream, errors: &mut Errors) -> Result<ToolBlock, &'static str> {
    let written = WrittenBlock::parse.parse2(item).map_err(|_| NO_TOOL)?;
    if written.is_of_trait {
        return Err("`#[tool]` goes on an inherent `impl` block: tools are methods of the type itself");
    }
    let options = options(attribute, errors);
    let mut items: Vec<BlockItem> = written.items.into_iter().map(|tokens| item_of(tokens, errors)).collect();
    for item in &mut items {
        if let BlockItem::Tool(function) = item {
            name_self(function, &written.self_type);
            // What is generated beside the block is there exactly when the block is.
            let cfgs = written.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
            function.attributes.extend(cfgs.cloned());
        }
    }
    Ok(ToolBlock {
        attributes: written.attributes,
        generics: written.generics,
        self_type: written.self_type,
        items,
        options,
        unsafety: written.unsafety,
    })
}

/// A block whose items stay unread.
struct WrittenBlock {
    attributes: Vec<Attribute>,
    unsafety: Option<Token![unsafe]>,
    generics: Generics,
    self_type: Type,
    is_of_trait: bool,
    items: Vec<TokenStream>,
}

impl Parse for WrittenBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let unsafety = input.parse()?;
        input.parse::<Token![impl]>()?;
        let mut generics: Generics = if input.peek(Token![<]) { input.parse()? } else { Generics::default() };
        let first: Type = input.parse()?;
        let is_of_trait = input.peek(Token![for]);
        let self_type = if is_of_trait {
            input.parse::<Token![for]>()?;
            input.parse()?
        } else {
            first
        };
        generics.where_clause = input.parse()?;
        let body;
        syn::braced!(body in input);
        Ok(Self { attributes, unsafety, generics, self_type, is_of_trait, items: split(&body)? })
    }
}

/// Splits the block into its items: each ends with a brace group or a semicolon.
fn split(body: ParseStream<'_>) -> syn::Result<Vec<TokenStream>> {
    let mut items = Vec::new();
    let mut item = TokenStream::new();
    while !body.is_empty() {
        let token: TokenTree = body.parse()?;
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        item.extend([token]);
        if ends {
            items.push(std::mem::take(&mut item));
        }
    }
    if !item.is_empty() {
        items.push(item);
    }
    Ok(items)
}

fn item_of(tokens: TokenStream, errors: &mut Errors) -> BlockItem {
    let Ok(mut method) = WrittenFn::parse.parse2(tokens.clone()) else {
        return BlockItem::Other(tokens);
    };
    let position = method.attributes.iter().position(|attribute| is_tool(attribute.path()));
    let Some(position) = position else {
        return BlockItem::Other(tokens);
    };
    let attribute = method.attributes.remove(position);
    let keys = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) => TokenStream::new(),
        Meta::NameValue(pair) => {
            errors.at_tokens(pair, "expected keys in parentheses: `#[tool(recovery = replay_safe)]`");
            TokenStream::new()
        }
    };
    if let Some(second) = method.attributes.iter().find(|attribute| is_tool(attribute.path())) {
        errors.at_tokens(second, "`#[tool]` stands once on a method");
    }
    method.attributes.retain(|attribute| !is_tool(attribute.path()));
    BlockItem::Tool(Box::new(method.into_tool(keys, errors)))
}

/// The generated code stands outside the block, where `Self` is another type: there the types are written out.
fn name_self(function: &mut ToolFn, self_type: &Type) {
    let types = function.parameters.iter_mut().map(|parameter| &mut parameter.ty);
    for ty in types.chain(&mut function.returns) {
        // What was a type stays one: only a name is replaced by a type.
        if let Ok(named) = syn::parse2(without_self(ty.to_token_stream(), self_type)) {
            *ty = named;
        }
    }
}

fn without_self(tokens: TokenStream, self_type: &Type) -> TokenStream {
    let mut named = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
                let written_out = if is_path { quote!(<#self_type>) } else { quote!(#self_type) };
                // A mistake is reported where `Self` stands.
                named.extend(written_out.into_iter().map(|mut token| {
                    token.set_span(ident.span());
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_self(group.stream(), self_type));
                inner.set_span(group.span());
                named.extend([TokenTree::Group(inner)]);
            }
            other => named.extend([other]),
        }
    }
    named
}

/// `tool`, under any path.
fn is_tool(path: &Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident.unraw() == "tool")
}

fn options(attribute: TokenStream, errors: &mut Errors) -> BlockOptions {
    let mut options = BlockOptions { tools: Slot::new("tools"), crate_path: Slot::new("crate") };
    for entry in entries(attribute, errors) {
        let key = entry.key.span();
        match entry.key.to_string().as_str() {
            "tools" => {
                if let Some(name) = entry.word("tools = admin_tools", errors) {
                    options.tools.set(key, name, errors);
                }
            }
            "crate" => {
                let path = entry.required("crate = my_crate::tool_core", errors);
                match path.map(|path| syn::parse2::<Path>(path.to_token_stream())) {
                    Some(Ok(path)) => options.crate_path.set(key, path, errors),
                    Some(Err(_)) => errors.at(key, "expected a path without quotes: `crate = my_crate::tool_core`"),
                    None => {}
                }
            }
            _ => {
                entry.unknown("#[tool] on a block", &["tools", "crate"], errors);
            }
        }
    }
    options
}
