//! The expansion of a block of methods.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use super::{Expansion, Owner, cfgs, crate_path, emitted, lints};
use crate::parse::block::{BlockItem, ToolBlock};
use crate::validate::block::ValidBlock;

/// The block as it was, the tools beside it, and the function that gives them all.
pub(crate) fn block(valid: &ValidBlock<'_>) -> TokenStream {
    let ToolBlock { attributes, self_type, generics, options, .. } = valid.block;
    let written = written(valid.block);
    let krate = crate_path(options.crate_path.get());
    let expansions: Vec<Expansion<'_>> = valid
        .tools
        .iter()
        .map(|tool| Expansion { tool, krate: krate.clone(), owner: Some(Owner { attributes, self_type, generics }) })
        .collect();
    let beside = expansions.iter().map(Expansion::beside);
    let collector = collector(valid, &expansions);
    quote!(#written #(#beside)* #collector)
}

/// The block as it was written, without our attributes.
pub(super) fn written(block: &ToolBlock) -> TokenStream {
    let ToolBlock { attributes, unsafety, generics, self_type, items, .. } = block;
    let where_clause = &generics.where_clause;
    let items = items.iter().map(|item| match item {
        BlockItem::Tool(function) => emitted(function),
        BlockItem::Other(tokens) => tokens.clone(),
    });
    quote! {
        #(#attributes)*
        #unsafety impl #generics #self_type #where_clause { #(#items)* }
    }
}

/// `fn tools(self: Arc<Self>) -> Vec<Arc<dyn RawTool>>`
fn collector(valid: &ValidBlock<'_>, expansions: &[Expansion<'_>]) -> TokenStream {
    let ToolBlock { attributes, self_type, generics, options, .. } = valid.block;
    let mut generics = generics.clone();
    if !generics.params.is_empty() {
        let clause = generics.make_where_clause();
        clause.predicates.push(parse_quote!(#self_type: ::core::marker::Send + ::core::marker::Sync + 'static));
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let krate = crate_path(options.crate_path.get());
    let (name, visibility, allowed) =
        (&valid.collector, lints::visibility(&valid.visibility), lints::allowed(attributes));
    let pushes = expansions.iter().map(|expansion| {
        let (cfgs, tool) = (expansion.cfgs(), &expansion.tool.names.tool);
        quote!(#(#cfgs)* #krate::__private::Vec::push(&mut __tools, #krate::erase(#tool::new(#krate::__private::Clone::clone(&__shared))));)
    });
    let block_cfgs = cfgs(attributes);
    quote! {
        #(#block_cfgs)*
        #allowed
        #[automatically_derived]
        impl #impl_generics #self_type #where_clause {
            /// The tools of this block, in the order of their methods, over one shared value.
            #[must_use]
            #visibility fn #name(
                __shared: #krate::__private::Arc<Self>,
            ) -> #krate::__private::Vec<#krate::__private::Arc<dyn #krate::RawTool>> {
                let mut __tools = #krate::__private::Vec::new();
                #(#pushes)*
                __tools
            }
        }
    }
}
