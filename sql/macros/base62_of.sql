-- Returns the ten base62 digits of a 64-bit number, highest digit first.
create or replace macro base62_of(number) as
    base62_digit(number // 13537086546263552)
    || base62_digit(number // 218340105584896)
    || base62_digit(number // 3521614606208)
    || base62_digit(number // 56800235584)
    || base62_digit(number // 916132832)
    || base62_digit(number // 14776336)
    || base62_digit(number // 238328)
    || base62_digit(number // 3844)
    || base62_digit(number // 62)
    || base62_digit(number)
