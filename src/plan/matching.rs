//! Which lines two texts share, found in one pass: a minimal diff takes minutes for long texts that share little.

use std::collections::HashMap;

/// The lines of a text, with their ends.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// For each line of the left text, the line of the right one that is the same. Both are in order: these are lines that
/// each text has once, and those that follow or precede such a line in both.
pub(super) fn matching(left: &[&str], right: &[&str]) -> Vec<Option<usize>> {
    let mut found = vec![None; left.len()];
    let (mut at, mut other) = (0, 0);
    let end = [(left.len(), right.len())];
    for (anchor, other_anchor) in in_order(&unique(left, right)).into_iter().chain(end) {
        let [gap, other_gap] = [&left[at..anchor], &right[other..other_anchor]];
        let pairs = gap.iter().zip(other_gap);
        let above = pairs.take_while(|(line, other)| line == other).count();
        let rest = gap[above..]
            .iter()
            .rev()
            .zip(other_gap[above..].iter().rev());
        let below = rest.take_while(|(line, other)| line == other).count();
        for index in 0..above {
            found[at + index] = Some(other + index);
        }
        for index in 1..=below {
            found[anchor - index] = Some(other_anchor - index);
        }
        if anchor < left.len() {
            found[anchor] = Some(other_anchor);
        }
        (at, other) = (anchor + 1, other_anchor + 1);
    }
    found
}

/// How many lines differ at most.
pub(super) fn differing(left: &[&str], right: &[&str], matching: &[Option<usize>]) -> usize {
    left.len() + right.len() - 2 * matching.iter().flatten().count()
}

/// The lines that both texts have once.
fn unique(left: &[&str], right: &[&str]) -> Vec<(usize, usize)> {
    let [left_places, right_places] = [left, right].map(|lines| {
        let mut places: HashMap<&str, Option<usize>> = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            let place = places.entry(line).and_modify(|place| *place = None);
            place.or_insert(Some(index));
        }
        places
    });
    let places = left_places.into_iter();
    let pairs = places.filter_map(|(line, place)| Some((place?, (*right_places.get(line)?)?)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// The most pairs that are in order in both texts.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best chain of each length, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, (_, place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *place);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chain = Vec::new();
    let mut next = ends.last().copied();
    while let Some(index) = next {
        chain.push(pairs[index]);
        next = before[index];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_match_in_order() {
        for (left, right, expected) in [
            ("", "a\n", vec![]),
            ("a\nb\n", "a\nb\n", vec![Some(0), Some(1)]),
            ("a\nb\nc\n", "b\nc\na\n", vec![None, Some(0), Some(1)]),
            (
                "x\nx\na\nx\n",
                "x\na\nx\n",
                vec![Some(0), None, Some(1), Some(2)],
            ),
            ("x\nx\nx\n", "x\ny\nx\n", vec![Some(0), None, Some(2)]),
            ("x\nx\n", "x\n", vec![Some(0), None]),
            ("a\nb", "a\nb\n", vec![Some(0), None]),
        ] {
            let found = matching(&lines(left), &lines(right));
            assert_eq!(found, expected, "{left:?} {right:?}");
        }
    }
}
