-- DuckDB's hash, but null for null. For numbers that live one night: another version may hash otherwise.
create or replace macro hash_of(value) as case when value is not null then hash(value) end
