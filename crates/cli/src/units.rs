//! Sizes and durations as people write them.

use std::time::Duration;

/// `512M`, `4G`, `1.5GiB`, `4096`: multiples of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; sizes look like `512M`, `4G`, `1.5G`");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit);
    let factor: u64 = match unit {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(wrong()),
    };
    let bytes = number * factor as f64;
    if bytes < 1.0 || bytes >= u64::MAX as f64 { Err(wrong()) } else { Ok(bytes as u64) }
}

/// `90s`, `2h`, `500ms`, `1.5m`, `1d`; a bare number is seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; durations look like `90s`, `5m`, `2h`, `500ms`");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * factor).map_err(|_| wrong())
}

/// A limit on time. No time at all is the least there is: what would be checked is listed all the same.
pub(crate) fn parse_time_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text).map(|time| time.max(Duration::from_millis(1)))
}

/// A number without a sign.
pub(crate) fn parse_count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 0 to {}", u64::MAX))
}

/// A plain decimal number and what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_durations() {
        assert_eq!(
            ["512M", "4G", "1.5g", "100", "2 KiB", "3kb"].map(|text| parse_bytes(text).unwrap()),
            [512 << 20, 4 << 30, 3 << 29, 100, 2048, 3072]
        );
        let durations = ["90s", "2h", "500ms", "1.5m", "7"].map(|text| parse_duration(text).unwrap().as_millis());
        assert_eq!(durations, [90_000, 7_200_000, 500, 90_000, 7_000]);
        assert_eq!(parse_time_limit("0"), parse_duration("1ms"));
        for nonsense in ["", "G", "-1G", "4X", "1e9", "..", "0", "1.2.3G", "99999999999T", "NaN", "inf"] {
            assert!(parse_bytes(nonsense).is_err(), "{nonsense}");
        }
        for nonsense in ["", "s", "-1s", "5y", "1e3s", ".", "99999999999999999999999h"] {
            assert!(parse_duration(nonsense).is_err(), "{nonsense}");
        }
    }
}
