-- Requests per key and UTC day as the usage report tells them: usage_days as it stood at the last refresh.
create table usage_reports (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;

-- The one row says when that was, milliseconds since 1970.
create table usage_report_refreshes (
    id integer primary key check (id = 1),
    refreshed_at integer not null
) strict;
