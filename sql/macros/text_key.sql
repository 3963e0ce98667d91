-- The 64-bit key of a text in a dictionary. MD5, because DuckDB's hash() may change between versions and dictionaries stay.
create or replace macro text_key(text) as md5_number_lower(text)
