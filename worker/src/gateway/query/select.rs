//! `select=id,name:full_name,meta->>k,age::text`

use super::field::Field;
use super::scanner::Scanner;
use crate::gateway::refusal::Refusal;

/// One item of the answer's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    Everything,
    Field {
        field: Field,
        alias: Option<String>,
        cast: Option<String>,
    },
    /// A related table; parsed so that the refusal can name it.
    Embedded(String),
}

/// An empty list asks for rows without columns, which is how a client counts them.
pub(crate) fn parse_select(text: &str) -> Result<Vec<Selected>, Refusal> {
    let mut scanner = Scanner::new("select parameter", text);
    let mut items = Vec::new();
    if scanner.is_done() {
        return Ok(items);
    }
    loop {
        items.push(item(&mut scanner)?);
        scanner.skip_spaces();
        if !scanner.take(',') {
            break;
        }
    }
    scanner.end("\"->>\", \"->\", \"::\", \",\" or end of input")?;
    Ok(items)
}

fn item(scanner: &mut Scanner<'_>) -> Result<Selected, Refusal> {
    scanner.skip_spaces();
    if scanner.take('*') {
        return Ok(Selected::Everything);
    }
    let spread = scanner.take_text("...");
    let mut name = scanner.name()?;
    let mut alias = None;
    if scanner.rest().starts_with(':') && !scanner.rest().starts_with("::") {
        scanner.take(':');
        alias = Some(name);
        name = scanner.name()?;
    }
    let aggregates = ["count()", "avg()", "max()", "min()", "sum()"];
    let after_dot = scanner.rest().strip_prefix('.');
    if after_dot.is_some_and(|rest| aggregates.iter().any(|name| rest.starts_with(name))) {
        return Err(Refusal::Aggregate);
    }
    if scanner.rest().starts_with("()") && name == "count" {
        return Err(Refusal::Aggregate);
    }
    if spread || matches!(scanner.peek(), Some('(' | '!')) {
        skip_embedded(scanner)?;
        return Ok(Selected::Embedded(name));
    }
    let field = Field::scan_path(scanner, name)?;
    let cast = cast(scanner)?;
    Ok(Selected::Field { field, alias, cast })
}

/// A type's name. It is written into SQL unquoted (`"int"` would be another type than `int`), so
/// only what a type's name can hold gets through.
fn cast(scanner: &mut Scanner<'_>) -> Result<Option<String>, Refusal> {
    if !scanner.take_text("::") {
        return Ok(None);
    }
    let name =
        scanner.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '[' | ']'));
    if name.trim().is_empty() {
        return Err(scanner.unexpected("the name of a type"));
    }
    Ok(Some(name.to_owned()))
}

/// `!hint(...)` with balanced parentheses, read over.
fn skip_embedded(scanner: &mut Scanner<'_>) -> Result<(), Refusal> {
    scanner.take_while(|c| c != '(' && c != ',');
    scanner.expect('(')?;
    let mut open = 1;
    while open > 0 {
        scanner.take_while(|c| !matches!(c, '(' | ')' | '"'));
        if scanner.take('(') {
            open += 1;
        } else if scanner.take(')') {
            open -= 1;
        } else if scanner.quoted()?.is_none() {
            return Err(scanner.unexpected("\")\""));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str) -> (String, Option<String>, Option<String>) {
        match parse_select(text).unwrap().remove(0) {
            Selected::Field { field, alias, cast } => (field.name, alias, cast),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fields_may_be_renamed_and_cast() {
        assert_eq!(field("a"), ("a".into(), None, None));
        assert_eq!(field("b:a"), ("a".into(), Some("b".into()), None));
        assert_eq!(field("a::text"), ("a".into(), None, Some("text".into())));
        assert_eq!(
            field("\"b,\":a::int[]"),
            ("a".into(), Some("b,".into()), Some("int[]".into()))
        );
    }

    #[test]
    fn a_cast_can_hold_nothing_but_a_name() {
        for text in ["a::int)", "a::\"x\"", "a::a;b", "a::", "a::a--b", "a::f(1)"] {
            assert!(parse_select(text).is_err(), "{text}");
        }
    }

    #[test]
    fn embedded_tables_are_recognised_whole() {
        let items = parse_select("id,items!fk(id,sub(\"x)\")),...other(*),alias:more(*)").unwrap();
        assert_eq!(items[1], Selected::Embedded("items".into()));
        assert_eq!(items[2], Selected::Embedded("other".into()));
        assert_eq!(items[3], Selected::Embedded("more".into()));
        assert!(parse_select("items(id").is_err());
    }

    #[test]
    fn aggregates_are_refused_as_postgrest_does_by_default() {
        assert!(matches!(parse_select("count()"), Err(Refusal::Aggregate)));
        assert!(matches!(parse_select("a.sum()"), Err(Refusal::Aggregate)));
    }

    #[test]
    fn an_empty_list_asks_for_no_columns() {
        assert_eq!(parse_select("").unwrap(), []);
        assert!(parse_select("a,,b").is_err());
    }
}
