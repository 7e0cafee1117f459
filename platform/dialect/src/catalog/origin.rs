//! Where the columns of a view come from, read from the text that Postgres keeps of its query.
//!
//! That text is a tree: `({QUERY :… :targetList ({TARGETENTRY :expr {VAR …} :resno 1 … :resorigtbl 16400 :resorigcol 2 …} …) …})`.
//! Each entry of the outermost list says which column of which relation it passes on, or 0 for a value that is computed. What is nested
//! deeper belongs to subqueries and is read over. A text that looks otherwise gives nothing, and the view has no relationships then.

/// A column of a view, and the column of a table or view that it passes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) number: i16,
    pub(super) relation: i64,
    pub(super) column: i16,
}

/// How deep the outermost list of columns lies: `(`, `{QUERY`, `(`.
const LIST: usize = 3;

pub(super) fn origins(definition: &str) -> Vec<Origin> {
    let mut found = Vec::new();
    let mut entry = Entry::default();
    let (mut depth, mut in_list, mut field) = (0_usize, false, "");
    for token in tokens(definition) {
        match token {
            "(" | "{" => depth += 1,
            ")" | "}" => {
                if in_list && depth == LIST + 1 {
                    found.extend(std::mem::take(&mut entry).origin());
                }
                in_list &= depth > LIST;
                depth = depth.saturating_sub(1);
            }
            _ if token.starts_with(':') => {
                in_list |= depth + 1 == LIST && token == ":targetList";
                field = token;
            }
            value if in_list && depth == LIST + 1 => entry.set(field, value),
            _ => {}
        }
    }
    found
}

#[derive(Default)]
struct Entry {
    number: Option<i16>,
    relation: Option<i64>,
    column: Option<i16>,
}

impl Entry {
    fn set(&mut self, field: &str, value: &str) {
        match field {
            ":resno" => self.number = value.parse().ok(),
            ":resorigtbl" => self.relation = value.parse().ok(),
            ":resorigcol" => self.column = value.parse().ok(),
            _ => {}
        }
    }

    fn origin(self) -> Option<Origin> {
        let origin = Origin {
            number: self.number?,
            relation: self.relation?,
            column: self.column?,
        };
        (origin.relation > 0 && origin.column > 0).then_some(origin)
    }
}

/// Brackets and words. A backslash takes the next character as it is, so that a name cannot close a bracket.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let is_bracket = |c: char| matches!(c, '(' | ')' | '{' | '}');
        let mut characters = rest.char_indices();
        let length = match characters.next()? {
            (_, c) if is_bracket(c) => 1,
            (_, first) => {
                let mut escaped = first == '\\';
                let end = characters.find(|(_, c)| {
                    let ends = !escaped && (is_bracket(*c) || c.is_whitespace());
                    escaped = !escaped && *c == '\\';
                    ends
                });
                end.map_or(rest.len(), |(at, _)| at)
            }
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_outermost_query_are_read_and_no_others() {
        let text = r"({QUERY :commandType 1 :rtable ({RANGETBLENTRY :subquery {QUERY :targetList ({TARGETENTRY :expr {VAR :varno 1}
            :resno 1 :resname x :resorigtbl 7 :resorigcol 7})}}) :jointree {FROMEXPR :fromlist ({X :a 1})}
            :targetList ({TARGETENTRY :expr {VAR :varno 1 :resno 9} :resno 1 :resname a\ \(b\} :ressortgroupref 0 :resorigtbl 16400
            :resorigcol 2 :resjunk false} {TARGETENTRY :expr {SUBLINK :subselect {QUERY :targetList ({TARGETENTRY :resno 4
            :resorigtbl 5 :resorigcol 6})}} :resno 2 :resname <> :resorigtbl 0 :resorigcol 0 :resjunk false}) :override 0
            :returningList ({TARGETENTRY :resno 3 :resorigtbl 1 :resorigcol 1})})";
        let expected = Origin {
            number: 1,
            relation: 16_400,
            column: 2,
        };
        assert_eq!(origins(text), [expected]);
    }

    #[test]
    fn a_text_that_is_no_query_gives_nothing() {
        for text in [
            "",
            "<>",
            "(((((",
            "}}}})",
            ":targetList",
            "({QUERY :targetList <>})",
            "\\",
        ] {
            assert_eq!(origins(text), [], "{text}");
        }
    }
}
