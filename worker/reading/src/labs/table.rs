//! Which column says what: by the words over it.

use crate::lines::Item;
use crate::model::Box4;

/// What stands in a column of a table of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Name,
    Result,
    Unit,
    Range,
    Low,
    High,
    Flag,
    /// An earlier result, a method, a date: not this result.
    Other,
}

/// A column: its role and where its head stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) role: Role,
    pub(crate) place: Box4,
}

static ROLES: &[(Role, &str)] = &[
    (
        Role::Name,
        "test|tests|test name|investigation|investigations|analyte|analytes|component|parameter|assay|determination|\
        test description|description|examination|measurement|lab test|name|test/analyte|name of test",
    ),
    (
        Role::Result,
        "result|results|value|values|your value|your result|observed|observed value|measured|current|current result|\
        result value|patient value|reading|level|current value|observation|your results|found|in range|out of range",
    ),
    (Role::Unit, "unit|units|uom|unit of measure"),
    (
        Role::Range,
        "reference|reference range|ref range|ref interval|reference interval|normal|normal range|range|ref|expected|\
        limits|normal values|normal value|biological ref interval|biological reference interval|reference ranges|\
        reference values|expected range|normals|target|desirable|reference value|ref ranges|ref values|interval|\
        normal limits|reference limits|usual range|healthy range|standard range",
    ),
    (Role::Low, "low|lower|lower limit|min|from"),
    (Role::High, "high|upper|upper limit|max|to"),
    (
        Role::Flag,
        "flag|flags|abn|abnormal|h/l|status|interpretation|abnormal flag|note|alert|l/h|indicator|remark",
    ),
    (
        Role::Other,
        "previous|prior|last|previous result|prev|method|specimen|date|comment|comments|lab|previous value|last result|\
        prior result|collected|time|site|code|prev result|trend|change|technique|sample",
    ),
];

fn role(text: &str) -> Option<Role> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '/')
        .filter(|word| !word.is_empty())
        .collect();
    let head = words.join(" ");
    ROLES
        .iter()
        .find(|(_, names)| crate::among(names, &head))
        .map(|(role, _)| *role)
}

/// The columns, when this item is the head of a table of results.
pub(crate) fn columns(item: &Item) -> Option<Vec<Column>> {
    if item.cells.len() < 2 {
        return None;
    }
    let mut found: Vec<Column> = Vec::new();
    let mut unknown = 0;
    for (from, to) in &item.cells {
        let text = &item.text()[*from..*to];
        if let Some(role) = role(text) {
            found.push(Column {
                role,
                place: item.passage.place(*from, *to),
            });
            continue;
        }
        let inner = within(item, *from, *to);
        if inner.is_empty() {
            unknown += 1;
            found.push(Column {
                role: Role::Other,
                place: item.passage.place(*from, *to),
            });
        }
        found.extend(inner);
    }
    let has = |role| found.iter().any(|column| column.role == role);
    let is_head = has(Role::Result) && (has(Role::Name) || has(Role::Range) || has(Role::Unit))
        || has(Role::Name) && has(Role::Range);
    // A single table may have a column that this list does not know.
    (is_head
        && unknown <= 2
        && !item
            .text()
            .chars()
            .any(|c| c.is_ascii_digit() && unknown == 0))
    .then_some(found)
}

// "Result Units" with a narrow gap: word by word, two words before one.
fn within(item: &Item, from: usize, to: usize) -> Vec<Column> {
    let passage = &item.passage;
    let (mut at, mut found) = (passage.token_from(from), Vec::new());
    while at < passage.tokens.len() && passage.tokens[at].0 < to {
        let read = [2, 1].into_iter().find_map(|count| {
            let last = passage
                .tokens
                .get(at + count - 1)
                .filter(|token| token.1 <= to)?;
            let (start, end) = (passage.tokens[at].0, last.1);
            role(&passage.text[start..end]).map(|role| (count, role, passage.place(start, end)))
        });
        let Some((count, role, place)) = read else {
            return Vec::new();
        };
        found.push(Column { role, place });
        at += count;
    }
    found
}

/// The column that a place stands under.
pub(crate) fn under(columns: &[Column], place: Box4) -> Option<Role> {
    let distance = |column: &Column| {
        let own = column.place;
        let overlap = place[0] < own[2] && place[2] > own[0];
        let edges = [
            (place[0] - own[0]).abs(),
            (place[2] - own[2]).abs(),
            ((place[0] + place[2]) - (own[0] + own[2])).abs() / 2.0,
        ];
        let nearest = edges.into_iter().fold(1.0, f32::min);
        if overlap { nearest * 0.5 } else { nearest }
    };
    let near = columns
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    (distance(near) < 0.09).then_some(near.role)
}
