//! Which calls of a step run beside each other.

use crate::behaviour::Concurrency;

/// Sorts calls into waves: the calls of one run beside each other, the waves one after the other. Each call stands in the
/// earliest wave that is after every earlier call which it conflicts with, so that calls which conflict keep their order.
pub(super) fn waves(calls: &[Concurrency]) -> Vec<Vec<usize>> {
    let mut waves: Vec<Vec<usize>> = Vec::new();
    for (position, call) in calls.iter().enumerate() {
        let after = waves.iter().rposition(|wave| wave.iter().any(|other| conflict(call, &calls[*other])));
        let at = after.map_or(0, |wave| wave + 1);
        match waves.get_mut(at) {
            Some(wave) => wave.push(position),
            None => waves.push(vec![position]),
        }
    }
    waves
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
            (vec![parallel.clone(), parallel.clone(), read(1)], vec![vec![0, 1, 2]]),
            (vec![serial.clone(), serial.clone()], vec![vec![0], vec![1]]),
            (vec![parallel.clone(), serial.clone(), parallel.clone()], vec![vec![0], vec![1], vec![2]]),
            (vec![read(1), read(1), write(1), read(1), write(2)], vec![vec![0, 1, 4], vec![2], vec![3]]),
            (vec![write(1), write(2), write(1), parallel.clone()], vec![vec![0, 1, 3], vec![2]]),
            // A call that comes after a serial one is never started before it.
            (vec![parallel.clone(), serial, write(1), write(1)], vec![vec![0], vec![1], vec![2], vec![3]]),
        ] {
            assert_eq!(waves(&calls), expected, "{calls:?}");
        }
    }
}
