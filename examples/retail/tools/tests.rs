//! The rules of the shop, tried on the sample store. `#[tool]` leaves a function as it was written, so these call the
//! functions themselves.

use super::catalog::{get_product_details, list_all_product_types};
use super::customers::{find_user_id_by_email, find_user_id_by_name_zip, get_user_details, modify_user_address};
use super::delivered::{exchange_delivered_order_items, return_delivered_order_items};
use super::orders::{
    cancel_pending_order, get_order_details, modify_pending_order_address, modify_pending_order_items,
    modify_pending_order_payment,
};
use crate::money::Money;
use crate::records::{CancelReason, Order, Status, TransactionType};
use crate::refusal::Refusal;
use crate::store::{Data, Store};

/// Ines: pending, two teapots of the same kind and a chess set for 107.80, paid by the gift card.
const PENDING: &str = "#W8482047";
const TEAPOT: &str = "2242693587";
const TEAPOT_GREEN: &str = "8840672261"; // 5.55 more
const TEAPOT_LARGE: &str = "5929379639"; // 11.10 more
const TEAPOT_SOLD_OUT: &str = "9076159096";
const CHESS: &str = "4793217620";
const CHESS_SOLID: &str = "6829301277"; // 84.90 more
const CHESS_ROLL_UP: &str = "3996452484"; // 20.65 less
/// Ines: processed.
const PROCESSED: &str = "#W9440961";
/// Ines: delivered, a jacket and a lantern, paid by credit card.
const DELIVERED: &str = "#W6743211";
const JACKET: &str = "6475953829";
const JACKET_LARGE: &str = "1004609348"; // 2.55 more
const LANTERN: &str = "8361683877";
const LANTERN_USB: &str = "9255879469"; // 7.60 more
const INES: &str = "ines_falkner_5626";
const INES_CARD: &str = "credit_card_6120602";
const INES_GIFT: &str = "gift_card_7569186"; // 120
/// Yuki: pending, a teapot for 36.95, paid by a service; the gift card holds 8.
const YUKI_PENDING: &str = "#W4784804";
const YUKI_DELIVERED: &str = "#W6423225";
const YUKI_GIFT: &str = "gift_card_9274255";
const NO_ORDER: &str = "#W0000000";

fn shop() -> Store {
    Store::new(Data::sample().expect("the sample store can be read"))
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|&id| id.to_owned()).collect()
}

fn balance(store: &Store, user: &str, gift_card: &str) -> Option<Money> {
    let data = store.lock();
    data.users[user].payment_methods.method(gift_card).ok()?.balance
}

/// The payments of an order, as `+` or `-`, amount and method.
fn payments(order: &Order) -> Vec<(char, f64, &str)> {
    let sign = |kind| if kind == TransactionType::Payment { '+' } else { '-' };
    order
        .payment_history
        .iter()
        .map(|entry| (sign(entry.transaction_type), entry.amount.dollars(), entry.payment_method_id.as_str()))
        .collect()
}

fn item_ids(order: &Order) -> Vec<&str> {
    order.items.iter().map(|item| item.item_id.as_str()).collect()
}

fn cancel(store: &Store, order: &str) -> Result<Order, Refusal> {
    cancel_pending_order(order, CancelReason::NoLongerNeeded, store)
}

fn pay(store: &Store, order: &str, method: &str) -> Result<Order, Refusal> {
    modify_pending_order_payment(order, method, store)
}

fn modify(store: &Store, order: &str, old: &[&str], new: &[&str], method: &str) -> Result<Order, Refusal> {
    modify_pending_order_items(order, &ids(old), &ids(new), method, store)
}

fn exchange(store: &Store, order: &str, old: &[&str], new: &[&str], method: &str) -> Result<Order, Refusal> {
    exchange_delivered_order_items(order, &ids(old), &ids(new), method, store)
}

fn give_back(store: &Store, order: &str, items: &[&str], method: &str) -> Result<Order, Refusal> {
    return_delivered_order_items(order, &ids(items), method, store)
}

fn move_order(store: &Store, order: &str) -> Result<Order, Refusal> {
    let [a1, a2, city, state, country, zip] = ["1 Elsewhere", "", "Farfield", "ND", "USA", "58098"].map(str::to_owned);
    modify_pending_order_address(order, a1, a2, city, state, country, zip, store)
}

#[test]
fn customers_are_found_whatever_the_case() {
    let store = shop();
    let by_email = |email: &str| find_user_id_by_email(email, &store);
    assert_eq!(by_email("INES.Falkner@example.com"), Ok(INES.into()));
    assert_eq!(by_email("ines@example.com"), Err(Refusal::UserNotFound));

    let by_name = |first: &str, last: &str, zip: &str| find_user_id_by_name_zip(first, last, zip, &store);
    assert_eq!(by_name("ines", "FALKNER", "97091"), Ok(INES.into()));
    assert_eq!(by_name("Ines", "Falkner", "97090"), Err(Refusal::UserNotFound));
}

#[test]
fn the_first_customer_in_the_file_is_found() {
    let mut data = Data::sample().expect("the sample store can be read");
    let twin = data.users[INES].clone();
    data.users.insert("a_twin_1000".into(), twin);
    let found = find_user_id_by_email("ines.falkner@example.com", &Store::new(data));
    assert_eq!(found, Ok(INES.into()));
}

#[test]
fn records_are_looked_up_by_id() {
    let store = shop();
    assert_eq!(get_user_details("nobody", &store), Err(Refusal::UserNotFound));
    assert_eq!(get_order_details(NO_ORDER, &store), Err(Refusal::OrderNotFound));
    assert_eq!(get_product_details(JACKET, &store), Err(Refusal::ProductNotFound));

    let products = list_all_product_types(&store);
    let names: Vec<&str> = products.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["Chess Set", "Drafting Pencil", "Enamel Teapot", "Rain Jacket", "Trail Lantern", "Wool Blanket"]
    );
    assert_eq!(get_product_details(&products["Rain Jacket"], &store).map(|it| it.name), Ok("Rain Jacket".into()));
}

#[test]
fn a_customer_moves_and_their_orders_do_not() {
    let store = shop();
    let move_user = |user: &str| {
        let [a1, a2, city, state, country, zip] =
            ["1 Elsewhere", "", "Farfield", "ND", "USA", "58098"].map(str::to_owned);
        modify_user_address(user, a1, a2, city, state, country, zip, &store)
    };
    assert_eq!(move_user("nobody"), Err(Refusal::UserNotFound));
    assert_eq!(move_user(INES).map(|user| user.address.city), Ok("Farfield".into()));
    assert_eq!(store.lock().users[INES].address.zip, "58098");
    assert_eq!(store.lock().orders[PENDING].address.city, "Port Alder");
}

#[test]
fn cancelling_pays_back() {
    let store = shop();
    let order = cancel(&store, PENDING).expect("pending");
    assert_eq!(order.status, Status::Cancelled);
    assert_eq!(order.cancel_reason, Some(CancelReason::NoLongerNeeded));
    assert_eq!(payments(&order), [('+', 107.8, INES_GIFT), ('-', 107.8, INES_GIFT)]);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(227.8.into()));
    assert_eq!(store.lock().orders[PENDING], order);

    assert_eq!(cancel(&store, PENDING), Err(Refusal::CancelNotPending));
    assert_eq!(cancel(&store, PROCESSED), Err(Refusal::CancelNotPending));
    assert_eq!(cancel(&store, NO_ORDER), Err(Refusal::OrderNotFound));
}

#[test]
fn cancelling_refunds_every_entry_of_the_history() {
    let store = shop();
    pay(&store, PENDING, INES_CARD).expect("the card pays");
    assert_eq!(balance(&store, INES, INES_GIFT), Some(227.8.into()));
    let order = cancel(&store, PENDING).expect("still pending");
    let refunds = [('-', 107.8, INES_GIFT), ('-', 107.8, INES_CARD), ('-', 107.8, INES_GIFT)];
    assert_eq!(payments(&order)[3..], refunds);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(443.4.into()));
}

#[test]
fn cancelling_without_the_gift_card_on_file_changes_nothing() {
    let mut data = Data::sample().expect("the sample store can be read");
    data.users.shift_remove(INES);
    let store = Store::new(data.clone());
    assert_eq!(cancel(&store, PENDING), Err(Refusal::PaymentMethodNotFound));
    assert_eq!(*store.lock(), data);
}

#[test]
fn only_a_pending_order_is_sent_elsewhere() {
    let store = shop();
    assert_eq!(move_order(&store, NO_ORDER), Err(Refusal::OrderNotFound));
    assert_eq!(move_order(&store, PROCESSED), Err(Refusal::ModifyNotPending));
    assert_eq!(move_order(&store, PENDING).map(|order| order.address.city), Ok("Farfield".into()));
    assert_eq!(store.lock().users[INES].address.city, "Port Alder");
}

#[test]
fn a_new_payment_method_pays_and_the_old_one_is_refunded() {
    let store = shop();
    let order = pay(&store, PENDING, INES_CARD).expect("the card pays");
    assert_eq!(payments(&order), [('+', 107.8, INES_GIFT), ('+', 107.8, INES_CARD), ('-', 107.8, INES_GIFT)]);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(227.8.into()));

    let salma = "#W5492651";
    let order = pay(&store, salma, "gift_card_8517309").expect("35.50 is enough for 34.60");
    assert_eq!(payments(&order)[1..], [('+', 34.6, "gift_card_8517309"), ('-', 34.6, "credit_card_1618970")]);
    assert_eq!(balance(&store, "salma_okonjo_4389", "gift_card_8517309"), Some(0.9.into()));
}

#[test]
fn a_payment_change_is_refused_for_the_first_rule_it_breaks() {
    let store = shop();
    assert_eq!(pay(&store, NO_ORDER, "nothing"), Err(Refusal::OrderNotFound));
    assert_eq!(pay(&store, PROCESSED, "nothing"), Err(Refusal::ModifyNotPending));
    assert_eq!(pay(&store, PENDING, INES_GIFT), Err(Refusal::SamePaymentMethod));
    assert_eq!(pay(&store, YUKI_PENDING, YUKI_GIFT), Err(Refusal::GiftCardBelowOrder));

    pay(&store, PENDING, INES_CARD).expect("the card pays");
    assert_eq!(pay(&store, PENDING, "nothing"), Err(Refusal::PaymentMethodNotFound));
    assert_eq!(pay(&store, PENDING, INES_GIFT), Err(Refusal::NotOnePayment));
    store.lock().orders[PENDING].payment_history.clear();
    assert_eq!(pay(&store, PENDING, INES_GIFT), Err(Refusal::NotOnePayment));
}

#[test]
fn items_of_a_pending_order_change_once() {
    let store = shop();
    let order = modify(&store, PENDING, &[TEAPOT, CHESS], &[TEAPOT_GREEN, CHESS_SOLID], INES_GIFT).expect("allowed");
    assert_eq!(item_ids(&order), [TEAPOT_GREEN, TEAPOT, CHESS_SOLID]);
    assert_eq!(order.items[0].price, 36.95.into());
    assert_eq!(order.items[0].options["color"], "moss green");
    // The sum as doubles give it, not rounded; the balance is.
    let difference = (36.95 - 31.4) + (129.9 - 45.0);
    assert_eq!(payments(&order)[1..], [('+', difference, INES_GIFT)]);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(29.55.into()));

    assert_eq!(serde_json::to_value(&order.status).ok(), Some("pending (item modified)".into()));
    assert_eq!(cancel(&store, PENDING), Err(Refusal::CancelNotPending));
    assert_eq!(move_order(&store, PENDING), Err(Refusal::ModifyNotPending));
    assert_eq!(pay(&store, PENDING, INES_CARD), Err(Refusal::ModifyNotPending));
    assert_eq!(modify(&store, PENDING, &[], &[], INES_CARD), Err(Refusal::ModifyNotPending));
}

#[test]
fn cheaper_items_are_refunded() {
    let store = shop();
    let order = modify(&store, PENDING, &[CHESS], &[CHESS_ROLL_UP], INES_GIFT).expect("allowed");
    assert_eq!(payments(&order)[1..], [('-', 45.0 - 24.35, INES_GIFT)]);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(140.65.into()));

    // No difference is a refund of nothing.
    let order = modify(&store, YUKI_PENDING, &[], &[], YUKI_GIFT).expect("nothing is asked for");
    assert_eq!(payments(&order)[1..], [('-', 0.0, YUKI_GIFT)]);
    assert_eq!(order.status, Status::PendingItemModified);
}

#[test]
fn pairs_change_one_after_the_other() {
    // The first item becomes green, and as the first green one it becomes large.
    let mut data = Data::sample().expect("the sample store can be read");
    data.orders[PENDING].items[1].item_id = TEAPOT_GREEN.into();
    let order = modify(&Store::new(data), PENDING, &[TEAPOT, TEAPOT_GREEN], &[TEAPOT_GREEN, TEAPOT_LARGE], INES_CARD);
    assert_eq!(item_ids(&order.expect("allowed")), [TEAPOT_LARGE, TEAPOT_GREEN, CHESS]);

    let twice = modify(&shop(), PENDING, &[TEAPOT, TEAPOT], &[TEAPOT_LARGE, TEAPOT_GREEN], INES_CARD);
    assert_eq!(item_ids(&twice.expect("there are two")), [TEAPOT_LARGE, TEAPOT_GREEN, CHESS]);
}

#[test]
fn an_item_change_is_refused_for_the_first_rule_it_breaks() {
    let store = shop();
    let modify = |order, old: &[&str], new: &[&str], method| {
        modify(&store, order, old, new, method).expect_err("a rule is broken")
    };
    let not_found = |id: &str| Refusal::ItemNotFound(id.into());
    let unavailable = |id: &str| Refusal::NewItemUnavailable(id.into());

    assert_eq!(modify(NO_ORDER, &[JACKET], &[], "nothing"), Refusal::OrderNotFound);
    assert_eq!(modify(PROCESSED, &[JACKET], &[], "nothing"), Refusal::ModifyNotPending);
    assert_eq!(modify(PENDING, &[TEAPOT, JACKET], &[], "nothing"), not_found(JACKET));
    assert_eq!(modify(PENDING, &[CHESS, TEAPOT, TEAPOT, TEAPOT], &[], "nothing"), not_found(TEAPOT));
    assert_eq!(modify(PENDING, &[TEAPOT], &[], "nothing"), Refusal::ItemCountsDiffer);
    assert_eq!(modify(PENDING, &[TEAPOT], &[TEAPOT_SOLD_OUT], "nothing"), unavailable(TEAPOT_SOLD_OUT));
    assert_eq!(modify(PENDING, &[TEAPOT, CHESS], &[CHESS, "1"], "nothing"), unavailable(CHESS));
    assert_eq!(modify(PENDING, &[TEAPOT], &[TEAPOT_GREEN], "nothing"), Refusal::PaymentMethodNotFound);
    let too_dear = ([TEAPOT, TEAPOT, CHESS], [TEAPOT_LARGE, TEAPOT_LARGE, CHESS_SOLID]);
    store.lock().users[INES].payment_methods.charge(INES_GIFT, 20.0).expect("the card is there");
    assert_eq!(modify(PENDING, &too_dear.0, &too_dear.1, INES_GIFT), Refusal::GiftCardBelowNewItem);
}

#[test]
fn an_exchange_is_written_down_and_no_money_moves() {
    let store = shop();
    let order =
        exchange(&store, DELIVERED, &[LANTERN, JACKET], &[LANTERN_USB, JACKET_LARGE], INES_GIFT).expect("allowed");
    assert_eq!(order.status, Status::ExchangeRequested);
    assert_eq!(order.exchange_items, Some(ids(&[JACKET, LANTERN])));
    assert_eq!(order.exchange_new_items, Some(ids(&[JACKET_LARGE, LANTERN_USB])));
    assert_eq!(order.exchange_payment_method_id.as_deref(), Some(INES_GIFT));
    assert_eq!(order.exchange_price_difference, Some(10.15.into()));
    assert_eq!(item_ids(&order), [JACKET, LANTERN]);
    assert_eq!(order.payment_history.len(), 1);
    assert_eq!(balance(&store, INES, INES_GIFT), Some(120.0.into()));

    assert_eq!(exchange(&store, DELIVERED, &[], &[], INES_GIFT), Err(Refusal::ExchangeNotDelivered));
    assert_eq!(give_back(&store, DELIVERED, &[JACKET], INES_CARD), Err(Refusal::ReturnNotDelivered));
}

#[test]
fn an_exchange_is_refused_for_the_first_rule_it_breaks() {
    let store = shop();
    let exchange = |order, old: &[&str], new: &[&str], method| {
        exchange(&store, order, old, new, method).expect_err("a rule is broken")
    };
    assert_eq!(exchange(NO_ORDER, &[CHESS], &[], "nothing"), Refusal::OrderNotFound);
    assert_eq!(exchange(PENDING, &[JACKET], &[], "nothing"), Refusal::ExchangeNotDelivered);
    assert_eq!(exchange(DELIVERED, &[CHESS], &[], "nothing"), Refusal::ItemNotFound(CHESS.into()));
    assert_eq!(exchange(DELIVERED, &[JACKET], &[], "nothing"), Refusal::ItemCountsDiffer);
    assert_eq!(exchange(DELIVERED, &[JACKET], &["1"], "nothing"), Refusal::NewItemUnavailable("1".into()));
    assert_eq!(exchange(DELIVERED, &[JACKET], &[JACKET_LARGE], "nothing"), Refusal::PaymentMethodNotFound);
    let jacket = "8157302335";
    assert_eq!(exchange(YUKI_DELIVERED, &[jacket], &[JACKET_LARGE], YUKI_GIFT), Refusal::GiftCardBelowDifference);
}

#[test]
fn a_return_goes_to_the_original_method_or_a_gift_card() {
    for method in [INES_CARD, INES_GIFT] {
        let store = shop();
        let order = give_back(&store, DELIVERED, &[LANTERN, JACKET], method).expect("allowed");
        assert_eq!(order.status, Status::ReturnRequested);
        assert_eq!(order.return_items, Some(ids(&[JACKET, LANTERN])));
        assert_eq!(order.return_payment_method_id.as_deref(), Some(method));
        assert_eq!(balance(&store, INES, INES_GIFT), Some(120.0.into()));
        assert_eq!(give_back(&store, DELIVERED, &[JACKET], method), Err(Refusal::ReturnNotDelivered));
    }
}

#[test]
fn a_return_is_refused_for_the_first_rule_it_breaks() {
    let store = shop();
    let noor = "#W2566046";
    assert_eq!(give_back(&store, NO_ORDER, &["1"], "nothing"), Err(Refusal::OrderNotFound));
    assert_eq!(give_back(&store, PENDING, &["1"], "nothing"), Err(Refusal::ReturnNotDelivered));
    assert_eq!(give_back(&store, noor, &["1"], "nothing"), Err(Refusal::PaymentMethodNotFound));
    assert_eq!(give_back(&store, noor, &["1"], "credit_card_8266018"), Err(Refusal::NeitherOriginalNorGiftCard));
    assert_eq!(give_back(&store, noor, &["1"], "gift_card_2966314"), Err(Refusal::SomeItemNotFound));
    assert_eq!(give_back(&store, noor, &[CHESS, CHESS], "paypal_5593766"), Err(Refusal::SomeItemNotFound));
    assert_eq!(*store.lock(), *shop().lock());
}

/// A return of nothing is registered all the same: the benchmark does so.
#[test]
fn an_empty_return_is_accepted() {
    let order = give_back(&shop(), DELIVERED, &[], INES_CARD).expect("nothing is missing");
    assert_eq!(order.return_items, Some(vec![]));
}
