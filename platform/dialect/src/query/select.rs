//! `select=id,name:full_name,meta->>k,age::text,documents(title)`

use super::embed::Embed;
use super::field::Field;
use super::scanner::Scanner;
use crate::refusal::Refusal;

/// One item of the answer's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    Everything,
    Field {
        field: Field,
        alias: Option<String>,
        cast: Option<String>,
    },
    /// A row of a related table.
    Embedded(Embed),
}

/// How deep tables may be embedded within each other.
const DEEPEST_EMBEDDING: usize = 3;

/// How many tables the items being read are embedded in.
#[derive(Clone, Copy)]
pub(super) struct Depth(usize);

impl Depth {
    pub(super) fn below(self) -> Result<Self, Refusal> {
        match self.0 < DEEPEST_EMBEDDING {
            true => Ok(Self(self.0 + 1)),
            false => Err(Refusal::TooCostly {
                what: "levels of embedded tables",
                found: self.0 + 1,
                most: DEEPEST_EMBEDDING,
            }),
        }
    }
}

/// An empty list asks for rows without columns, which is how a client counts them.
pub fn parse_select(text: &str) -> Result<Vec<Selected>, Refusal> {
    let mut scanner = Scanner::new("select parameter", text);
    if scanner.is_done() {
        return Ok(Vec::new());
    }
    let items = items(&mut scanner, Depth(0))?;
    scanner.end("\"->>\", \"->\", \"::\", \",\" or end of input")?;
    Ok(items)
}

/// Items with commas between them, to the end or to a closing parenthesis.
pub(super) fn items(scanner: &mut Scanner<'_>, depth: Depth) -> Result<Vec<Selected>, Refusal> {
    let mut items = Vec::new();
    loop {
        items.push(item(scanner, depth)?);
        scanner.skip_spaces();
        if !scanner.take(',') {
            return Ok(items);
        }
    }
}

fn item(scanner: &mut Scanner<'_>, depth: Depth) -> Result<Selected, Refusal> {
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
        let embed = Embed::scan(scanner, name, alias, spread, depth)?;
        return Ok(Selected::Embedded(embed));
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

    fn embed(text: &str) -> Embed {
        match parse_select(text).unwrap().remove(0) {
            Selected::Embedded(embed) => embed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn embedded_tables_are_recognised_whole() {
        let items = embed("a:items!fk!inner(id,sub(\"x)\"),m->k::text)");
        assert_eq!((items.key(), items.target.as_str()), ("a", "items"));
        assert_eq!((items.hint.as_deref(), items.inner), (Some("fk"), true));
        assert_eq!(items.select.len(), 3);
        assert!(embed("...other(*)").spread);
        assert_eq!(embed("other()").select, []);
        assert_eq!(embed("other!left( id , n )").select.len(), 2);
        for text in [
            "items(id",
            "items!(id)",
            "items(id))",
            "items(,)",
            "items!fk",
        ] {
            assert!(parse_select(text).is_err(), "{text}");
        }
    }

    #[test]
    fn tables_are_embedded_three_deep_and_no_deeper() {
        assert!(parse_select("a(b(c(d)))").is_ok());
        let deeper = parse_select("a(b(c(d(e))))");
        assert!(matches!(deeper, Err(Refusal::TooCostly { .. })));
        assert!(parse_select(&"a(".repeat(100_000)).is_err());
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
