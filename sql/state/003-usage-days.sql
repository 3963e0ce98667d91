-- Requests of a key on a UTC day. The transaction that writes the access events adds them here.
-- The usage of a month is the sum of its days.
create table usage_days (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    billable_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;
