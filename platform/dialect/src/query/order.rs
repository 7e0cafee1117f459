//! `order=age.desc.nullslast,name`

use super::field::Field;
use super::scanner::Scanner;
use crate::refusal::Refusal;

/// One key to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTerm {
    pub field: Field,
    pub descending: Option<bool>,
    pub nulls_first: Option<bool>,
}

pub fn parse_order(text: &str) -> Result<Vec<OrderTerm>, Refusal> {
    let mut scanner = Scanner::new("order", text);
    let mut terms = vec![term(&mut scanner)?];
    while scanner.take(',') {
        terms.push(term(&mut scanner)?);
    }
    scanner.end("\",\" or end of input")?;
    Ok(terms)
}

fn term(scanner: &mut Scanner<'_>) -> Result<OrderTerm, Refusal> {
    let field = Field::scan(scanner)?;
    if scanner.peek() == Some('(') {
        return Err(Refusal::NotEmbedded(field.name));
    }
    let mut term = OrderTerm {
        field,
        descending: None,
        nulls_first: None,
    };
    let directions = [(".asc", false), (".desc", true)];
    term.descending = choice(scanner, &directions);
    let places = [(".nullsfirst", true), (".nullslast", false)];
    term.nulls_first = choice(scanner, &places);
    scanner.skip_spaces();
    if scanner.peek() == Some('.') {
        return Err(scanner.unexpected("\"asc\", \"desc\", \"nullsfirst\" or \"nullslast\""));
    }
    Ok(term)
}

fn choice(scanner: &mut Scanner<'_>, choices: &[(&str, bool)]) -> Option<bool> {
    let chosen = choices.iter().find(|(text, _)| scanner.take_text(text));
    chosen.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_and_nulls_may_each_be_left_out() {
        let terms = parse_order("a,b.desc, c.nullsfirst,d->>e.asc.nullslast").unwrap();
        let told: Vec<_> = terms
            .iter()
            .map(|term| (term.descending, term.nulls_first))
            .collect();
        assert_eq!(
            told,
            [
                (None, None),
                (Some(true), None),
                (None, Some(true)),
                (Some(false), Some(false))
            ]
        );
        assert_eq!(terms[3].field.path.len(), 1);
    }

    #[test]
    fn other_words_and_embedded_columns_are_refused() {
        for text in ["a.up", "a.asc.asc", "a.nullslast.desc", "", "a,", "a.asc x"] {
            assert!(parse_order(text).is_err(), "{text}");
        }
        assert!(matches!(parse_order("b(c)"), Err(Refusal::NotEmbedded(_))));
    }
}
