//! From rows to the text of a body. Postgres writes each row, the gateway puts them together: so neither
//! ever has to hold a whole answer before it knows how large that is.

use crate::Layout;

/// How rows are written into a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    /// JSON without keys whose value is null.
    StrippedJson,
    /// One object rather than an array of them.
    Object,
    StrippedObject,
    Csv,
}

impl Format {
    /// True when there must be exactly one row.
    pub fn is_singular(self) -> bool {
        matches!(self, Self::Object | Self::StrippedObject)
    }

    fn strips_nulls(self) -> bool {
        matches!(self, Self::StrippedJson | Self::StrippedObject)
    }
}

/// What the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Rows,
    /// A function's one row.
    SingleRow,
    /// A function's one value, in the column `pgrst_scalar`.
    Scalar,
    Scalars,
}

/// How an answer's rows are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    pub format: Format,
    pub shape: Shape,
    /// HEAD: the rows are counted and not written.
    pub headers_only: bool,
}

impl Writing {
    /// How the gateway puts the rows together.
    pub fn layout(self) -> Layout {
        let is_one = matches!(self.shape, Shape::SingleRow | Shape::Scalar);
        match self.format {
            _ if self.headers_only => Layout::Count,
            Format::Csv => Layout::Csv,
            _ if is_one || self.format.is_singular() => Layout::First,
            _ => Layout::Array,
        }
    }

    /// The text of one row of `pgrst_r`, and the line of names that CSV begins with.
    fn item(self) -> (String, &'static str) {
        if self.headers_only {
            return ("''::text".to_owned(), "null::text");
        }
        if self.format == Format::Csv {
            return (CSV_LINE.to_owned(), CSV_NAMES);
        }
        let json = match self.shape {
            Shape::Rows | Shape::SingleRow => "row_to_json(pgrst_r)",
            Shape::Scalar | Shape::Scalars => "to_json(pgrst_r.pgrst_scalar)",
        };
        let json = match self.format.strips_nulls() {
            true => format!("json_strip_nulls({json})"),
            false => json.to_owned(),
        };
        (format!("coalesce({json}::text, 'null')"), "null::text")
    }

    /// The statement that answers with one row of text for each row of `rows`: the text, CSV's line of
    /// names, and the total if one is to be counted. `total` is counted in the same statement, so that
    /// both are of one moment and a function is called once; it is there even when no row is, and the
    /// text is null then. A join to one row keeps the order of the rows.
    pub(super) fn statement(self, with: &str, rows: &str, total: Option<&str>) -> String {
        let (text, names) = self.item();
        match total {
            None => format!("{with}select {text}, {names} from ({rows}) pgrst_r"),
            Some(total) => format!(
                "{with}select pgrst_j.pgrst_text, pgrst_j.pgrst_names, pgrst_c.pgrst_total \
                 from (select {total} as pgrst_total) pgrst_c left join \
                 (select {text} as pgrst_text, {names} as pgrst_names from ({rows}) pgrst_r) pgrst_j \
                 on true"
            ),
        }
    }
}

/// Postgres writes a row as `(a,"b c")`, which without its parentheses is a line of CSV.
const CSV_LINE: &str = "substring(pgrst_r::text, 2, length(pgrst_r::text) - 2)";

/// The names of the columns, beside the first row alone.
const CSV_NAMES: &str = "case when row_number() over () = 1 then \
     (select string_agg(pgrst_key, ',') from json_object_keys(row_to_json(pgrst_r)) pgrst_key) end";

#[cfg(test)]
mod tests {
    use super::*;

    fn writing(format: Format, shape: Shape) -> Writing {
        Writing {
            format,
            shape,
            headers_only: false,
        }
    }

    #[test]
    fn only_single_things_are_taken_out_of_the_array() {
        let layout = |format, shape| writing(format, shape).layout();
        assert_eq!(layout(Format::Json, Shape::Rows), Layout::Array);
        assert_eq!(layout(Format::Json, Shape::Scalars), Layout::Array);
        assert_eq!(layout(Format::Object, Shape::Rows), Layout::First);
        assert_eq!(layout(Format::Json, Shape::Scalar), Layout::First);
        assert_eq!(layout(Format::Csv, Shape::Scalar), Layout::Csv);
    }

    #[test]
    fn nulls_are_stripped_on_request() {
        let sql = |format| writing(format, Shape::Rows).statement("", "x", None);
        assert!(sql(Format::StrippedJson).contains("json_strip_nulls"));
        assert!(!sql(Format::Json).contains("json_strip_nulls"));
    }

    #[test]
    fn a_request_for_headers_alone_writes_no_row() {
        let head = Writing {
            headers_only: true,
            ..writing(Format::Csv, Shape::Rows)
        };
        assert_eq!(head.layout(), Layout::Count);
        let sql = head.statement("", "x", None);
        assert_eq!(sql, "select ''::text, null::text from (x) pgrst_r");
    }
}
