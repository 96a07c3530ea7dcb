//! What the shop sells.

use std::collections::BTreeMap;

use tool_core::tool;

use crate::records::Product;
use crate::refusal::Refusal;
use crate::store::Store;

/// Shows one product with all its variants: item id, options, price and whether it is in stock.
#[tool(read_only)]
pub(crate) fn get_product_details(
    /// Id of the product, for example `9267988310`. Not to be mixed up with an item id, which names one variant of a
    /// product.
    product_id: &str,
    #[state] store: &Store,
) -> Result<Product, Refusal> {
    store.lock().product(product_id).cloned()
}

/// Lists every kind of product on sale, as a map from its name to its product id.
///
/// One kind comes in several variants, each with an item id of its own; look those up by the product id.
#[tool(read_only)]
pub(crate) fn list_all_product_types(#[state] store: &Store) -> BTreeMap<String, String> {
    let data = store.lock();
    data.products.values().map(|product| (product.name.clone(), product.product_id.clone())).collect()
}
