//! What is left of a tool with mistakes: the function, and types of the same names, so that no other line that uses
//! them is reported as well.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Generics, Path, parse_quote};

use super::{cfgs, crate_path, emitted, lints};
use crate::parse::ToolFn;
use crate::parse::block::ToolBlock;
use crate::parse::parameters::Role;
use crate::validate;

/// The stub of a function. Where there is a `self`, it stands where no type can be put beside it.
pub(crate) fn function(tool: &ToolFn, errors: &TokenStream) -> TokenStream {
    let function = emitted(tool);
    let is_method = tool.signature.receiver().is_some();
    let types = validate::tool_type(tool).filter(|_| !is_method).map(|name| types(tool, &name));
    quote!(#function #types #errors)
}

/// The stub of a block: the block, and the function that gives its tools, of which there are none.
pub(crate) fn block(block: &ToolBlock, errors: &TokenStream) -> TokenStream {
    let written = super::block::written(block);
    if validate::block::self_name(&block.self_type).is_none() {
        return quote!(#written #errors);
    }
    let ToolBlock { self_type, generics, options, .. } = block;
    let Generics { where_clause, .. } = generics;
    let krate = crate_path(options.crate_path.get());
    let name = options.tools.get().cloned().unwrap_or_else(|| Ident::new("tools", proc_macro2::Span::call_site()));
    quote! {
        #written
        impl #generics #self_type #where_clause {
            pub fn #name(
                _: #krate::__private::Arc<Self>,
            ) -> #krate::__private::Vec<#krate::__private::Arc<dyn #krate::RawTool>> {
                #krate::__private::Vec::new()
            }
        }
        #errors
    }
}

/// An item that is no function: as it was, beside the error.
pub(crate) fn other(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
}

fn types(tool: &ToolFn, name: &Ident) -> TokenStream {
    let krate: Path = crate_path(tool.options.crate_path.get());
    let private: Path = parse_quote!(#krate::__private);
    let (visibility, cfgs) = (lints::visibility(&tool.visibility), cfgs(&tool.attributes));
    let arguments = validate::arguments_type(name);
    // Whatever the state is given as: what is wrong with its type is not said twice.
    let states = tool.parameters.iter().filter(|parameter| matches!(parameter.role, Role::State));
    let parameters: Vec<TokenStream> = states
        .map(|parameter| {
            let cfgs = &parameter.cfgs;
            quote!(#(#cfgs)* _: impl #private::Sized)
        })
        .collect();
    let derives = quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
    };
    quote! {
        #(#cfgs)*
        #visibility struct #arguments {}
        #(#cfgs)*
        #derives
        #visibility struct #name;
        #(#cfgs)*
        const _: () = {
            use #private as __p;
            impl #name {
                #visibility fn new(#(#parameters),*) -> Self { Self }
            }
            impl __p::Tool for #name {
                type Args = __p::StubArgs;
                type Output = __p::ToolOutput;
                const ID: &'static __p::str = "";
                const DESCRIPTION: &'static __p::str = "";
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
