-- A letter and ten base62 characters of the SHA-256 of `key`: the same as src/normalize/identifier.ts (a test compares).
create or replace macro derived_id(letter, key) as letter || base62_of(('0x' || substr(sha256(key), 1, 16))::ubigint)
