//! The wire format of protocol buffers, which is small: no library is needed to read it.

/// The value of a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Field<'m> {
    Number(u64),
    /// A text, bytes, or a message within.
    Bytes(&'m [u8]),
}

/// The fields of a message, each with its number. None where it is no message.
pub(super) fn fields(mut message: &[u8]) -> Option<Vec<(u64, Field<'_>)>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = number(&mut message)?;
        let field = match tag & 7 {
            0 => Field::Number(number(&mut message)?),
            1 => Field::Number(u64::from_le_bytes(split(&mut message, 8)?.try_into().ok()?)),
            2 => {
                let length = number(&mut message)?.try_into().ok()?;
                Field::Bytes(split(&mut message, length)?)
            }
            5 => {
                let bytes = split(&mut message, 4)?.try_into().ok()?;
                Field::Number(u32::from_le_bytes(bytes).into())
            }
            _ => return None,
        };
        fields.push((tag >> 3, field));
    }
    Some(fields)
}

/// Takes a number off the front: seven bits in each byte, the lowest first.
fn number(message: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = message.split_first()?;
        *message = rest;
        number |= u64::from(byte & 127) << shift;
        if byte & 128 == 0 {
            return Some(number);
        }
    }
    None
}

/// Takes so many bytes off the front.
fn split<'m>(message: &mut &'m [u8], length: usize) -> Option<&'m [u8]> {
    let (bytes, rest) = message.split_at_checked(length)?;
    *message = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Field, fields};

    #[test]
    fn messages_are_read() {
        let message = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x02, b'o', b'k', // 2: "ok"
            0x19, 7, 0, 0, 0, 0, 0, 0, 0, // 3: 7, in eight bytes
            0x25, 9, 0, 0, 0, // 4: 9, in four
        ];
        let expected = [
            (1, Field::Number(150)),
            (2, Field::Bytes(b"ok")),
            (3, Field::Number(7)),
            (4, Field::Number(9)),
        ];
        assert_eq!(fields(&message).as_deref(), Some(&expected[..]));
        for length in [1, 2, 4, 6, 10] {
            assert_eq!(fields(&message[..length]), None, "{length}");
        }
    }
}
