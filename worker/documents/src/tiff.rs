//! How many pages a TIFF has, and how large they are: its directories are walked, nothing is unpacked.

/// More are not counted: a chain that long is no scan.
const MOST: usize = 1000;

/// Width and height of each page; none when the file makes no sense.
pub(super) fn pages(bytes: &[u8]) -> Option<Vec<(u32, u32)>> {
    let little = match bytes.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let u16_at = |at: usize| {
        let two: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if little {
            u16::from_le_bytes(two)
        } else {
            u16::from_be_bytes(two)
        })
    };
    let u32_at = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if little {
            u32::from_le_bytes(four)
        } else {
            u32::from_be_bytes(four)
        })
    };
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut directory = u32_at(4)? as usize;
    while directory != 0 {
        // A chain that bites its tail never ends.
        if !seen.insert(directory) || found.len() >= MOST {
            return None;
        }
        let (mut width, mut height) = (0, 0);
        let entries = usize::from(u16_at(directory)?);
        for entry in 0..entries {
            let at = directory + 2 + entry * 12;
            let value = match u16_at(at + 2)? {
                3 => u32::from(u16_at(at + 8)?),
                _ => u32_at(at + 8)?,
            };
            match u16_at(at)? {
                256 => width = value,
                257 => height = value,
                _ => {}
            }
        }
        found.push((width, height));
        directory = u32_at(directory + 2 + entries * 12)? as usize;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(next: u32) -> Vec<u8> {
        let mut bytes = b"II*\0\x08\0\0\0\x02\0".to_vec();
        for (tag, value) in [(256_u16, 640_u32), (257, 480)] {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(4_u16.to_le_bytes());
            bytes.extend(1_u32.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(next.to_le_bytes());
        bytes
    }

    #[test]
    fn a_page_is_measured_without_unpacking_it() {
        assert_eq!(pages(&file(0)), Some(vec![(640, 480)]));
    }

    #[test]
    fn a_chain_that_bites_its_tail_or_leaves_the_file_is_refused() {
        assert_eq!(pages(&file(8)), None);
        assert_eq!(pages(&file(9999)), None);
        assert_eq!(pages(b"II*\0"), None);
    }
}
