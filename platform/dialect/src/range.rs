//! Which part of the rows is asked for, and which was sent.

use hyper::StatusCode;
use hyper::header::{HeaderMap, RANGE};

use crate::Verb;
use crate::query::Query;
use crate::refusal::{RangeFault, Refusal};
use crate::sql::Window;

/// The window of `limit` and `offset`, narrowed by the Range header of a GET.
pub fn window(query: &Query, verb: Verb, headers: &HeaderMap) -> Result<Window, Refusal> {
    if query.limit.is_some_and(|limit| limit < 0) {
        return Err(Refusal::Range(RangeFault::NegativeLimit));
    }
    let mut window = Window {
        offset: query.offset.unwrap_or(0).max(0),
        limit: query.limit,
    };
    if verb != Verb::Get {
        return Ok(window);
    }
    let header = headers.get(RANGE).and_then(|value| value.to_str().ok());
    if let Some((from, to)) = header.and_then(parse_range) {
        if to.is_some_and(|to| to < from) {
            return Err(Refusal::Range(RangeFault::LowerAboveUpper));
        }
        // Where the two windows overlap.
        let end = |window: &Window| {
            window
                .limit
                .map(|limit| window.offset.saturating_add(limit))
        };
        let limited = end(&window);
        let ranged = to.map(|to| to.saturating_add(1));
        let offset = window.offset.max(from);
        let end = match (limited, ranged) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        window = Window {
            offset,
            limit: end.map(|end| (end - offset).max(0)),
        };
    }
    Ok(window)
}

/// `0-24` or `25-`; anything else, `bytes=` too, is not for rows.
fn parse_range(text: &str) -> Option<(i64, Option<i64>)> {
    let (from, to) = text.split_once('-')?;
    let from = from.parse().ok()?;
    match to {
        "" => Some((from, None)),
        _ => Some((from, Some(to.parse().ok()?))),
    }
}

/// The status of rows read, or the refusal of an offset behind the last.
pub fn status(window: Window, rows: i64, total: Option<i64>) -> Result<StatusCode, Refusal> {
    let offset = window.offset;
    match total {
        Some(total) if offset > total => {
            Err(Refusal::Range(RangeFault::OutOfBounds { offset, total }))
        }
        Some(total) if rows < total => Ok(StatusCode::PARTIAL_CONTENT),
        _ => Ok(StatusCode::OK),
    }
}

/// `0-9/100`, `*/*`
pub fn content_range(offset: i64, rows: i64, total: Option<i64>) -> String {
    let total_text = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    if rows == 0 || total == Some(0) {
        return format!("*/{total_text}");
    }
    let last = offset.saturating_add(rows - 1);
    format!("{offset}-{last}/{total_text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str, range: Option<&str>) -> Option<(i64, Option<i64>)> {
        let mut headers = HeaderMap::new();
        if let Some(range) = range {
            headers.insert(RANGE, range.parse().unwrap());
        }
        let query = Query::parse(query).unwrap();
        let window = window(&query, Verb::Get, &headers).ok()?;
        Some((window.offset, window.limit))
    }

    #[test]
    fn limit_and_offset_are_narrowed_by_the_header() {
        assert_eq!(asked("", None), Some((0, None)));
        assert_eq!(asked("limit=5&offset=2", None), Some((2, Some(5))));
        assert_eq!(asked("", Some("3-7")), Some((3, Some(5))));
        assert_eq!(asked("limit=5", Some("3-")), Some((3, Some(2))));
        assert_eq!(asked("limit=5", Some("7-9")), Some((7, Some(0))));
        assert_eq!(asked("", Some("bytes=0-1")), Some((0, None)));
    }

    #[test]
    fn impossible_windows_are_refused() {
        assert_eq!(asked("limit=-1", None), None);
        assert_eq!(asked("", Some("5-2")), None);
        assert_eq!(asked("offset=-3", None), Some((0, None)));
        let huge = format!("limit={0}&offset={0}", i64::MAX);
        assert_eq!(asked(&huge, Some("0-9")), Some((i64::MAX, Some(0))));
    }

    #[test]
    fn part_of_the_rows_is_206_and_none_behind_the_last_is_416() {
        let at = |offset| Window {
            offset,
            limit: None,
        };
        assert_eq!(status(at(0), 6, Some(6)).unwrap(), StatusCode::OK);
        assert_eq!(
            status(at(1), 2, Some(6)).unwrap(),
            StatusCode::PARTIAL_CONTENT
        );
        assert_eq!(status(at(0), 2, None).unwrap(), StatusCode::OK);
        assert!(status(at(100), 0, Some(6)).is_err());
    }

    #[test]
    fn content_range_names_rows_and_total() {
        assert_eq!(content_range(1, 2, Some(6)), "1-2/6");
        assert_eq!(content_range(0, 2, None), "0-1/*");
        assert_eq!(content_range(0, 0, None), "*/*");
        assert_eq!(content_range(0, 0, Some(0)), "*/0");
    }
}
