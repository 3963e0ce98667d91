-- Returns a letter and ten base62 digits of the SHA-256 of `key`. src/normalize/identifier.ts computes the same id,
-- and a test compares both.
create or replace macro derived_id(letter, key) as letter || base62_of(('0x' || substr(sha256(key), 1, 16))::ubigint)
