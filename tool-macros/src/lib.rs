//! wip
#[proc_macro_attribute]
pub fn tool(_a: proc_macro::TokenStream, i: proc_macro::TokenStream) -> proc_macro::TokenStream {
    i
}
