//! From rows to the text of a body, done by Postgres.

/// How rows are written into a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
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
    pub(crate) fn is_singular(self) -> bool {
        matches!(self, Self::Object | Self::StrippedObject)
    }

    fn strips_nulls(self) -> bool {
        matches!(self, Self::StrippedJson | Self::StrippedObject)
    }
}

/// What the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Rows,
    /// A function's one row.
    SingleRow,
    /// A function's one value, in the column `pgrst_scalar`.
    Scalar,
    Scalars,
}

/// The expression over the rows of `pgrst_r`.
pub(super) fn expression(format: Format, shape: Shape) -> String {
    if format == Format::Csv {
        return CSV.to_owned();
    }
    let item = match shape {
        Shape::Rows | Shape::SingleRow => "pgrst_r",
        Shape::Scalar | Shape::Scalars => "pgrst_r.pgrst_scalar",
    };
    let array = match format.strips_nulls() {
        true => format!("json_strip_nulls(json_agg({item}))"),
        false => format!("json_agg({item})"),
    };
    let is_one = format.is_singular() || matches!(shape, Shape::SingleRow | Shape::Scalar);
    match is_one {
        true => format!("coalesce(({array} -> 0)::text, 'null')"),
        false => format!("coalesce({array}::text, '[]')"),
    }
}

/// Postgres writes a row as `(a,"b c")`, which without its parentheses is a line of CSV.
const CSV: &str = "coalesce((select string_agg(pgrst_key, ',') \
     from json_object_keys((array_agg(row_to_json(pgrst_r)))[1]) pgrst_key), '') \
     || chr(10) || \
     coalesce(string_agg(substring(pgrst_r::text, 2, length(pgrst_r::text) - 2), chr(10)), '')";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_things_are_taken_out_of_the_array() {
        let first = "-> 0";
        assert!(!expression(Format::Json, Shape::Rows).contains(first));
        assert!(!expression(Format::Json, Shape::Scalars).contains(first));
        assert!(expression(Format::Object, Shape::Rows).contains(first));
        assert!(expression(Format::Json, Shape::Scalar).contains(first));
    }

    #[test]
    fn nulls_are_stripped_on_request() {
        assert!(expression(Format::StrippedJson, Shape::Rows).contains("json_strip_nulls"));
        assert!(!expression(Format::Json, Shape::Rows).contains("json_strip_nulls"));
    }
}
