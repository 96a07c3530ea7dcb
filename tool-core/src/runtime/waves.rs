//! Which calls of a step run beside each other.

use crate::behaviour::Concurrency;

/// The wave of a call, from 0: the calls of one wave run beside each other, the waves one after the other. A call stands in
/// the first wave that comes after every earlier call which it conflicts with, so that calls which conflict keep their order.
pub(super) fn wave_of<'a>(call: &Concurrency, earlier: impl Iterator<Item = (&'a Concurrency, usize)>) -> usize {
    let before = earlier.filter(|(other, _)| conflict(call, other)).map(|(_, wave)| wave).max();
    before.map_or(0, |wave| wave + 1)
}

fn conflict(one: &Concurrency, other: &Concurrency) -> bool {
    match (one, other) {
        (Concurrency::Serial, _) | (_, Concurrency::Serial) => true,
        (Concurrency::Resources(one), Concurrency::Resources(other)) => {
            one.iter().any(|claim| other.iter().any(|held| claim.conflicts_with(held)))
        }
        (Concurrency::Parallel | Concurrency::Resources(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::ResourceClaim;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn read(key: u32) -> Concurrency {
        Concurrency::Resources(vec![ResourceClaim::read("order", key)])
    }

    fn write(key: u32) -> Concurrency {
        Concurrency::Resources(vec![ResourceClaim::write("order", key)])
    }

    #[test]
    fn calls_that_conflict_keep_their_order_and_all_others_run_together() {
        let (parallel, serial) = (Concurrency::Parallel, Concurrency::Serial);
        for (calls, expected) in [
            (vec![], vec![]),
            (vec![parallel.clone(), parallel.clone(), read(1)], vec![0, 0, 0]),
            (vec![serial.clone(), serial.clone()], vec![0, 1]),
            (vec![parallel.clone(), serial.clone(), parallel.clone()], vec![0, 1, 2]),
            (vec![read(1), read(1), write(1), read(1), write(2)], vec![0, 0, 1, 2, 0]),
            (vec![write(1), write(2), write(1), parallel.clone()], vec![0, 0, 1, 0]),
            // A call that comes after a serial one is never started before it.
            (vec![parallel.clone(), serial, write(1), write(1)], vec![0, 1, 2, 3]),
        ] {
            let mut waves: Vec<usize> = Vec::new();
            for call in &calls {
                waves.push(wave_of(call, calls.iter().zip(waves.iter().copied())));
            }
            assert_eq!(waves, expected, "{calls:?}");
        }
    }

    fn any_call() -> impl Strategy<Value = Concurrency> {
        let claim = (0..4_u32, any::<bool>()).prop_map(|(key, writes)| {
            if writes { ResourceClaim::write("order", key) } else { ResourceClaim::read("order", key) }
        });
        let claims = vec(claim, 0..4).prop_map(Concurrency::Resources);
        prop_oneof![1 => Just(Concurrency::Serial), 3 => Just(Concurrency::Parallel), 6 => claims]
    }

    proptest! {
        #[test]
        fn each_call_stands_in_the_first_wave_that_the_calls_before_it_allow(calls in vec(any_call(), 0..12)) {
            let mut waves: Vec<usize> = Vec::new();
            for call in &calls {
                waves.push(wave_of(call, calls.iter().zip(waves.iter().copied())));
            }
            for (later, wave) in waves.iter().enumerate() {
                let before = |earlier: &usize| conflict(&calls[*earlier], &calls[later]);
                let conflicts: Vec<usize> = (0..later).filter(before).map(|earlier| waves[earlier]).collect();
                prop_assert!(conflicts.iter().all(|before| before < wave), "{calls:?} {waves:?}");
                prop_assert!(*wave == 0 || conflicts.contains(&(wave - 1)), "{calls:?} {waves:?}");
            }
        }
    }
}
