//! Why a tool said no.

use crate::calculator::CalculationError;

/// A rule of the shop that a call ran into. Its text goes to the model word for word, as an error result, and nothing
/// has changed then.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("Error: order not found")]
    OrderNotFound,
    #[error("Error: user not found")]
    UserNotFound,
    #[error("Error: product not found")]
    ProductNotFound,
    #[error("Error: {0} not found")]
    ItemNotFound(String),
    #[error("Error: some item not found")]
    SomeItemNotFound,
    #[error("Error: new item {0} not found or available")]
    NewItemUnavailable(String),
    #[error("Error: the number of items to be exchanged should match")]
    ItemCountsDiffer,
    #[error("Error: non-pending order cannot be cancelled")]
    CancelNotPending,
    #[error("Error: non-pending order cannot be modified")]
    ModifyNotPending,
    #[error("Error: non-delivered order cannot be returned")]
    ReturnNotDelivered,
    #[error("Error: non-delivered order cannot be exchanged")]
    ExchangeNotDelivered,
    #[error("Error: payment method not found")]
    PaymentMethodNotFound,
    #[error("Error: there should be exactly one payment for a pending order")]
    NotOnePayment,
    #[error("Error: the new payment method should be different from the current one")]
    SamePaymentMethod,
    #[error("Error: payment method should be either the original payment method or a gift card")]
    NeitherOriginalNorGiftCard,
    #[error("Error: insufficient gift card balance to pay for the order")]
    GiftCardBelowOrder,
    #[error("Error: insufficient gift card balance to pay for the new item")]
    GiftCardBelowNewItem,
    #[error("Error: insufficient gift card balance to pay for the price difference")]
    GiftCardBelowDifference,
    #[error("Error: {0}")]
    Calculation(#[from] CalculationError),
}
