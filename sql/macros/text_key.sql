-- Returns the 64-bit key of a text in a dictionary: the upper half of its MD5. DuckDB's hash() would not do, because
-- it may change between versions while dictionaries are kept. Shifting is faster than md5_number_lower().
create or replace macro text_key(text) as (md5_number(text) >> 64)::ubigint
