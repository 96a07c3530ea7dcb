//! The end of the demonstration: two calls that pay back so much that a person is asked first.

use serde_json::json;

use super::story::{Scene, object};
use crate::approval::for_cancelling;
use crate::records::{Order, Status};
use crate::store::Data;

/// A cancellation that is approved, and a return that is not, as far as this shop has orders for them. `told` is the order
/// that the story so far was about.
pub(super) fn scenes(data: &Data, told: &str, ask_above: f64) -> impl Iterator<Item = Scene> {
    let dear = |status: Status| {
        let mut orders = data
            .orders
            .iter()
            .filter(move |(id, order)| order.status == status && *id != told && for_cancelling(order) > ask_above);
        orders.next()
    };
    let approved = dear(Status::Pending).map(|(id, order)| cancellation(id, order, ask_above));
    let declined = dear(Status::Delivered).and_then(|(id, order)| give_back(id, order, ask_above));
    approved.into_iter().chain(declined)
}

fn cancellation(order_id: &str, order: &Order, ask_above: f64) -> Scene {
    Scene {
        before: format!(
            "Another order is to be cancelled, for which ${:.2} was paid. A rule of the desk asks a person before more \
             than ${ask_above:.2} is paid back. Until then nothing is done, and the model is told so.",
            for_cancelling(order)
        ),
        tool: "cancel_pending_order",
        arguments: object(&[("order_id", json!(order_id)), ("reason", json!("no longer needed"))]),
        show: vec!["/status".into(), "/payment_history/1".into()],
        person: Some(json!({"approve": true})),
    }
}

fn give_back(order_id: &str, order: &Order, ask_above: f64) -> Option<Scene> {
    let items: Vec<&str> = order.items.iter().map(|item| item.item_id.as_str()).collect();
    let worth: f64 = order.items.iter().map(|item| item.price.dollars()).sum();
    let method = &order.payment_history.first()?.payment_method_id;
    let scene = Scene {
        before: "A customer sends a whole order back. Nobody has seen what is in the parcel, and the person says no. \
                 What the model is told is a refusal like any other, with the person's reason in it."
            .to_owned(),
        tool: "return_delivered_order_items",
        arguments: object(&[
            ("order_id", json!(order_id)),
            ("item_ids", json!(items)),
            ("payment_method_id", json!(method)),
        ]),
        show: vec![],
        person: Some(json!({"approve": false, "note": "Ask the customer for a photo first."})),
    };
    (worth > ask_above).then_some(scene)
}
