//! Money: amounts, the one way in which they are rounded, and the wallet that gift cards are kept in.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::records::Rest;
use crate::refusal::Refusal;

/// An amount in dollars.
///
/// The shop's files write `51` here and `51.5` there. Both forms are kept, so that a record nobody changed goes out
/// as it came in; amounts are equal when they are worth the same.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected an amount in dollars")]
pub(crate) enum Money {
    Whole(i32),
    Fraction(f64),
}

impl Money {
    pub(crate) fn dollars(self) -> f64 {
        match self {
            Self::Whole(dollars) => f64::from(dollars),
            Self::Fraction(dollars) => dollars,
        }
    }
}

impl From<f64> for Money {
    fn from(dollars: f64) -> Self {
        Self::Fraction(dollars)
    }
}

impl PartialEq for Money {
    fn eq(&self, other: &Self) -> bool {
        self.dollars() == other.dollars()
    }
}

/// Rounds to cents: the double nearest to the exact binary value written with two decimals, a tie going to the even
/// digit.
///
/// `2.675` is a little less than it looks and becomes `2.67`; multiplying by 100 first would lose that and answer
/// `2.68`.
pub(crate) fn round2(dollars: f64) -> f64 {
    format!("{dollars:.2}").parse().unwrap_or(dollars)
}

/// A customer's payment methods, by id.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Wallet(IndexMap<String, PaymentMethod>);

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct PaymentMethod {
    pub(crate) source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) balance: Option<Money>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

impl Wallet {
    pub(crate) fn method(&self, id: &str) -> Result<&PaymentMethod, Refusal> {
        self.0.get(id).ok_or(Refusal::PaymentMethodNotFound)
    }

    /// Takes an amount off a gift card; a negative amount is put on it. What a bank settles leaves no trace here.
    pub(crate) fn charge(&mut self, id: &str, dollars: f64) -> Result<(), Refusal> {
        let method = self.0.get_mut(id).ok_or(Refusal::PaymentMethodNotFound)?;
        if method.is_gift_card() {
            method.balance = Some(round2(method.dollars() - dollars).into());
        }
        Ok(())
    }

    /// Gives an amount back to the method that once paid it, which a payment history names by its id alone.
    pub(crate) fn refund(&mut self, id: &str, dollars: f64) -> Result<(), Refusal> {
        if names_gift_card(id) { self.charge(id, -dollars) } else { Ok(()) }
    }
}

impl PaymentMethod {
    /// Whether the method can pay an amount. Only a gift card runs out.
    pub(crate) fn covers(&self, dollars: f64) -> bool {
        !self.is_gift_card() || self.dollars() >= dollars
    }

    fn is_gift_card(&self) -> bool {
        self.source == "gift_card"
    }

    /// A card without a balance counts as empty.
    fn dollars(&self) -> f64 {
        self.balance.map_or(0.0, Money::dollars)
    }
}

/// Whether an id is one of a gift card: the kind is part of every payment method's id.
pub(crate) fn names_gift_card(payment_method_id: &str) -> bool {
    payment_method_id.contains("gift_card")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python 3.11 answers to `round(x, 2)`.
    #[test]
    fn rounding_is_that_of_python() {
        for (value, rounded) in [
            (0.125, 0.12),
            (0.375, 0.38),
            (2.675, 2.67),
            (1.005, 1.0),
            (0.005, 0.01),
            (0.015, 0.01),
            (5.125, 5.12),
            (-0.125, -0.12),
            (0.1 + 0.2, 0.3),
            (1e300, 1e300),
        ] {
            assert_eq!(Money::from(round2(value)), Money::from(rounded), "{value}");
        }
        assert!(round2(-0.001).is_sign_negative());
    }

    #[test]
    fn an_amount_is_written_as_it_was_read() {
        for text in ["51", "51.0", "0.1", "536.65", "-3", "3000000000.0"] {
            let money: Money = serde_json::from_str(text).expect("an amount");
            assert_eq!(serde_json::to_string(&money).ok().as_deref(), Some(text));
        }
        let error = serde_json::from_str::<Money>(r#""51""#).expect_err("a text is none");
        assert_eq!(error.to_string(), "expected an amount in dollars");
    }

    #[test]
    fn only_gift_cards_run_out() {
        let mut wallet: Wallet = serde_json::from_str(
            r#"{
                "gift_card_1": {"source": "gift_card", "balance": 20, "id": "gift_card_1"},
                "gift_card_2": {"source": "gift_card", "id": "gift_card_2"},
                "paypal_1": {"source": "paypal", "id": "paypal_1"}
            }"#,
        )
        .expect("a wallet");
        let covers = |id: &str, dollars: f64| wallet.method(id).map(|method| method.covers(dollars));
        assert_eq!(covers("gift_card_1", 20.0), Ok(true));
        assert_eq!(covers("gift_card_1", 20.01), Ok(false));
        assert_eq!(covers("gift_card_2", 0.01), Ok(false));
        assert_eq!(covers("paypal_1", 1e9), Ok(true));
        assert_eq!(covers("paypal_2", 0.0), Err(Refusal::PaymentMethodNotFound));

        assert_eq!(wallet.charge("gift_card_1", 0.1 + 0.2), Ok(()));
        assert_eq!(wallet.refund("paypal_1", 5.0), Ok(()));
        assert_eq!(wallet.refund("paypal_2", 5.0), Ok(()));
        assert_eq!(wallet.refund("gift_card_3", 5.0), Err(Refusal::PaymentMethodNotFound));
        let balance = |id: &str| wallet.method(id).ok().and_then(|method| method.balance);
        assert_eq!(balance("gift_card_1"), Some(19.7.into()));
        assert_eq!(balance("paypal_1"), None);
    }
}
