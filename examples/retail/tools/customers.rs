//! Who is calling, and where they live.

use tool_core::tool;

use crate::records::{Address, Rest, User};
use crate::refusal::Refusal;
use crate::store::Store;

/// Looks up a customer by e-mail address and answers the bare user id.
#[tool(read_only)]
pub(crate) fn find_user_id_by_email(
    /// The customer's e-mail address, for example `someone@example.com`; upper and lower case are the same.
    email: &str,
    #[state] store: &Store,
) -> Result<String, Refusal> {
    let email = email.to_lowercase();
    find_user(store, |user| user.email.to_lowercase() == email)
}

/// Looks up a customer by name and zip code and answers the bare user id.
///
/// Ask for the e-mail address first; this is for customers who do not remember theirs or are not found by it.
#[tool(read_only)]
pub(crate) fn find_user_id_by_name_zip(
    /// Given name, for example `Ines`.
    first_name: &str,
    /// Family name, for example `Falkner`.
    last_name: &str,
    /// Zip code of the customer's own address, for example `97091`.
    zip: &str,
    #[state] store: &Store,
) -> Result<String, Refusal> {
    let first_name = first_name.to_lowercase();
    let last_name = last_name.to_lowercase();
    find_user(store, |user| {
        user.name.first_name.to_lowercase() == first_name
            && user.name.last_name.to_lowercase() == last_name
            && user.address.zip == zip
    })
}

/// The id of the first customer on file who fits.
fn find_user(store: &Store, fits: impl Fn(&User) -> bool) -> Result<String, Refusal> {
    let data = store.lock();
    let found = data.users.iter().find(|(_, user)| fits(user));
    let (id, _) = found.ok_or(Refusal::UserNotFound)?;
    Ok(id.clone())
}

/// Shows what is on file about a customer: name, address, e-mail, payment methods and the ids of all orders.
#[tool(read_only)]
pub(crate) fn get_user_details(
    /// Id of the customer, for example `ines_falkner_5626`.
    user_id: &str,
    #[state] store: &Store,
) -> Result<User, Refusal> {
    store.lock().user(user_id).cloned()
}

/// Replaces a customer's own address, which future orders go to, and answers the customer's record.
///
/// Orders already placed keep their address. Read the new address back to the customer and wait for a clear yes
/// before you call this.
#[tool(destructive, recovery = replay_safe)]
#[expect(clippy::too_many_arguments, reason = "the tool has that many arguments")]
pub(crate) fn modify_user_address(
    /// Id of the customer, for example `ines_falkner_5626`.
    user_id: &str,
    /// First line of the address, for example `14 Lantern Quay`.
    address1: String,
    /// Second line of the address, for example `Flat 3`; empty if there is none.
    address2: String,
    /// City, for example `Port Alder`.
    city: String,
    /// State, for example `OR`.
    state: String,
    /// Country, for example `USA`.
    country: String,
    /// Zip code, for example `97091`.
    zip: String,
    #[state] store: &Store,
) -> Result<User, Refusal> {
    let mut data = store.lock();
    let user = data.users.get_mut(user_id).ok_or(Refusal::UserNotFound)?;
    user.address = Address { address1, address2, city, country, state, zip, rest: Rest::new() };
    Ok(user.clone())
}
