//! How long a WAV file sounds.

/// Seconds of sound, from the sizes that its header gives and the bytes that are there. None when it is no WAV.
pub(super) fn seconds(file: &[u8]) -> Option<f64> {
    if file.get(..4)? != b"RIFF" || file.get(8..12)? != b"WAVE" {
        return None;
    }
    let (mut at, mut bytes_per_second) = (12, 0);
    loop {
        let size = number(file, at + 4)? as usize;
        let body = at + 8;
        match file.get(at..at + 4)? {
            b"fmt " => bytes_per_second = number(file, body + 8)?,
            b"data" => {
                // A header that was written before the end may promise more than there is.
                let there = file.len().saturating_sub(body).min(size);
                return (bytes_per_second > 0 && there > 0)
                    .then(|| there as f64 / f64::from(bytes_per_second));
            }
            _ => {}
        }
        at = body.checked_add(size)?.checked_add(size % 2)?;
    }
}

fn number(file: &[u8], at: usize) -> Option<u32> {
    let bytes = file.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(data: usize, promised: u32) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        file.extend(22_050_u32.to_le_bytes());
        file.extend(44_100_u32.to_le_bytes());
        file.extend([2, 0, 16, 0]);
        file.extend(b"LIST\x02\0\0\0hi");
        file.extend(b"data");
        file.extend(promised.to_le_bytes());
        file.resize(file.len() + data, 0);
        file
    }

    #[test]
    fn a_second_of_sound_is_a_second() {
        assert_eq!(seconds(&wave(44_100, 44_100)), Some(1.0));
        assert_eq!(seconds(&wave(22_050, u32::MAX)), Some(0.5));
    }

    #[test]
    fn what_is_no_sound_has_no_length() {
        for file in [&b""[..], b"RIFF", b"RIFF\0\0\0\0WAVE", &wave(0, 0)] {
            assert_eq!(seconds(file), None);
        }
    }
}
