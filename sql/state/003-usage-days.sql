-- What a key used on a UTC day, counted in the transaction that writes its access events.
-- A month's use is the sum over its days: at most 31 rows.
create table usage_days (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    billable_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;
