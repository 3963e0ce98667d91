-- Returns DuckDB's hash of a value, and null for null. For columns that every run computes again, because another
-- DuckDB version may hash differently.
create or replace macro hash_of(value) as case when value is not null then hash(value) end
