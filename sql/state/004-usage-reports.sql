-- Requests per key and UTC day for the usage report: a copy of usage_days at the last refresh.
create table usage_reports (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;

-- The time of the last refresh in a single row, milliseconds since 1970.
create table usage_report_refreshes (
    id integer primary key check (id = 1),
    refreshed_at integer not null
) strict;
