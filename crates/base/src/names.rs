//! Guessing which name a misspelled one was meant to be.

/// Longer names are nobody's slip, and comparing them takes time.
const MAX_CHARS: usize = 60;

/// The candidate nearest to `name`, if one is near enough to be worth suggesting: at most a third of the letters
/// differ. Of equally near ones the first wins. A name of one letter is near only to itself in another case.
pub fn closest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().take(MAX_CHARS + 1).count();
    if length > MAX_CHARS {
        return None;
    }
    if length < 2 {
        return candidates.into_iter().find(|candidate| *candidate != name && candidate.eq_ignore_ascii_case(name));
    }
    let limit = (length / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit && *candidate != name)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest_name;

    #[test]
    fn suggests_the_near_and_not_the_far() {
        let names = ["counter", "turn", "x"];
        assert_eq!(closest_name("conuter", names), Some("counter"));
        assert_eq!(closest_name("trun", names), Some("turn"));
        assert_eq!(closest_name("flag", names), None);
        assert_eq!(closest_name("y", names), None);
        assert_eq!(closest_name("X", names), Some("x"));
        assert_eq!(closest_name(&"x".repeat(10 << 20), names), None);
    }
}
