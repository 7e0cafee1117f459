//! Files as pictures in gray, with the orientation that they state.

use std::io::{BufReader, Read, Seek};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageReader};
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::gray::Gray;

/// Why a file is no picture that is known here. Tesseract may still read it.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It could not be read.
    #[error("the file could not be read")]
    Read(#[from] std::io::Error),
    /// It is damaged, or of a type that is not decoded.
    #[error("the file is not a picture of a supported format")]
    Image(#[from] image::ImageError),
    /// It is a damaged TIFF, or one of an unusual form.
    #[error("the file is not a TIFF of a supported form")]
    Tiff(#[from] tiff::TiffError),
    /// Its pixels are of an unusual form.
    #[error("the pixels of the picture have a format that is not supported")]
    Pixels,
}

/// Page `at` of a file, from 1 on, and its EXIF orientation.
pub(crate) fn decode(path: &Path, at: u32) -> Result<(Gray, Option<u8>), DecodeError> {
    let mut head = [0; 4];
    let mut file = BufReader::new(std::fs::File::open(path)?);
    file.read_exact(&mut head)?;
    file.rewind()?;
    match &head {
        b"II*\0" | b"MM\0*" => page_of_tiff(file, at),
        [b'P', b'5', ..] => Ok((graymap(file)?, None)),
        _ => picture(path),
    }
}

fn picture(path: &Path) -> Result<(Gray, Option<u8>), DecodeError> {
    let mut reader = ImageReader::open(path)?.with_guessed_format()?;
    // The security stage has counted the pixels, and the process has a limit.
    reader.no_limits();
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?.to_exif();
    let stated = decoder.exif_metadata()?.is_some().then_some(orientation);
    let gray = DynamicImage::from_decoder(decoder)?.into_luma8();
    let (width, height) = (gray.width() as usize, gray.height() as usize);
    let gray = Gray::new(width, height, gray.into_raw()).ok_or(DecodeError::Pixels)?;
    Ok((gray, stated))
}

// What pdftoppm writes, and what is written here.
fn graymap(mut file: impl Read) -> Result<Gray, DecodeError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut at = 2;
    let mut number = || {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let begin = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        std::str::from_utf8(bytes.get(begin..at)?)
            .ok()?
            .parse()
            .ok()
    };
    let sizes: [Option<usize>; 3] = [number(), number(), number()];
    let [Some(width), Some(height), Some(255)] = sizes else {
        return Err(DecodeError::Pixels);
    };
    let begin = at + 1;
    let pixels = bytes
        .get(begin..begin + width * height)
        .ok_or(DecodeError::Pixels)?;
    Gray::new(width, height, pixels.to_vec()).ok_or(DecodeError::Pixels)
}

fn page_of_tiff(file: impl Read + Seek, at: u32) -> Result<(Gray, Option<u8>), DecodeError> {
    let mut decoder = Decoder::new(file)?.with_limits(Limits::unlimited());
    decoder.seek_to_image(at.saturating_sub(1) as usize)?;
    let orientation = decoder.find_tag_unsigned::<u8>(Tag::Orientation)?;
    let (width, height) = decoder.dimensions()?;
    let (width, height) = (width as usize, height as usize);
    let color = decoder.colortype()?;
    let pixels = match (color, decoder.read_image()?) {
        (ColorType::Gray(1), DecodingResult::U8(bits)) => unpacked(&bits, width),
        (ColorType::Gray(8), DecodingResult::U8(pixels)) => pixels,
        (ColorType::GrayA(8), DecodingResult::U8(pixels)) => {
            pixels.chunks_exact(2).map(|pixel| pixel[0]).collect()
        }
        (ColorType::RGB(8), DecodingResult::U8(pixels)) => {
            pixels.chunks_exact(3).map(luma).collect()
        }
        (ColorType::RGBA(8), DecodingResult::U8(pixels)) => {
            pixels.chunks_exact(4).map(luma).collect()
        }
        (ColorType::Gray(16), DecodingResult::U16(pixels)) => {
            pixels.into_iter().map(|pixel| (pixel >> 8) as u8).collect()
        }
        _ => return Err(DecodeError::Pixels),
    };
    let gray = Gray::new(width, height, pixels).ok_or(DecodeError::Pixels)?;
    Ok((gray, orientation.filter(|stated| (1..=8).contains(stated))))
}

// Each row begins with a byte of its own.
fn unpacked(bits: &[u8], width: usize) -> Vec<u8> {
    let rows = bits.chunks_exact(width.div_ceil(8));
    rows.flat_map(|row| {
        (0..width).map(|x| {
            if row[x / 8] >> (7 - x % 8) & 1 == 1 {
                255
            } else {
                0
            }
        })
    })
    .collect()
}

fn luma(pixel: &[u8]) -> u8 {
    let [red, green, blue] = [0, 1, 2].map(|at| u32::from(pixel[at]));
    ((red * 2126 + green * 7152 + blue * 722) / 10_000) as u8
}
