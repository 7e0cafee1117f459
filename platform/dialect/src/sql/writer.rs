//! A statement under construction: text, and the values bound to it.

use crate::{Param, Sql};

/// Collects the values while text is put together around their places.
#[derive(Default)]
pub struct Writer {
    params: Vec<Param>,
}

impl Writer {
    /// Binds a value and answers with its place. The type is whatever the context asks for.
    pub fn bind(&mut self, value: impl Into<String>) -> String {
        self.bind_param(Param::Text(value.into()))
    }

    pub fn bind_param(&mut self, param: Param) -> String {
        self.params.push(param);
        format!("${}", self.params.len())
    }

    pub fn finish(self, text: String) -> Sql {
        Sql {
            text,
            params: self.params,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbered_in_the_order_of_binding() {
        let mut writer = Writer::default();
        assert_eq!(
            (writer.bind("a"), writer.bind("b")),
            ("$1".into(), "$2".into())
        );
        assert_eq!(writer.finish(String::new()).params.len(), 2);
    }
}
