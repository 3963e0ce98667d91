CREATE TABLE access_events (
    id integer primary key,
    event_ts integer not null,
    trace_id text not null,
    api_key_id text not null,
    http_method text not null,
    route text not null,
    status_code integer not null,
    duration_ms integer not null,
    billable integer not null check (billable in (0, 1))
) strict;

CREATE INDEX access_events_by_key on access_events (api_key_id, event_ts);

CREATE INDEX access_events_by_time on access_events (event_ts);

CREATE TABLE keys (
    api_key_id text primary key,
    hash blob not null unique check (length(hash) = 32),
    name text not null,
    plan text not null,
    monthly_cap integer check (monthly_cap >= 0),
    rate_per_second real check (rate_per_second > 0),
    burst integer check (burst >= 1),
    -- JSON array of what the account is invited to: "webhooks", "events".
    invitations text not null default '[]' check (json_valid(invitations)),
    is_test integer not null default 0 check (is_test in (0, 1)),
    created_at text not null,
    revoked_at text
) strict;

CREATE TABLE migrations (number integer primary key, name text not null, applied_at text not null) strict;

CREATE TABLE usage_days (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    billable_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;

CREATE TABLE usage_report_refreshes (
    id integer primary key check (id = 1),
    refreshed_at integer not null
) strict;

CREATE TABLE usage_reports (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;
