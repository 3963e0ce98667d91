-- An event that has had its release, or that was there before anybody could be told of it: the id's 16 bytes.
-- Only events that could still be news are kept: what was recorded longer ago is history by its date.
create table known_events (
    event_id blob primary key check (length(event_id) = 16),
    recorded_on text not null
) strict, without rowid;

create index known_events_by_date on known_events (recorded_on);

-- Who tells of a county's deeds: its recorder, its assessor, its rolls. What a new one brings is history.
create table event_origins (
    county_fips text not null,
    told_by text not null,
    first_released_at text not null,
    primary key (county_fips, told_by)
) strict, without rowid;

-- A snapshot whose news were released.
create table event_releases (
    snapshot_version text primary key,
    released_at text not null,
    event_count integer not null,
    delivery_count integer not null,
    history_count integer not null
) strict, without rowid;

-- A run of a job of the schedule. `due_at` is the instant that the schedule gave it.
create table schedule_runs (
    run_id integer primary key,
    job text not null,
    due_at text not null,
    started_at text not null,
    finished_at text,
    -- stopped: the process was asked to end; lost: it ended without a word. Both are made up for.
    status text not null check (status in ('running', 'done', 'failed', 'stopped', 'lost')),
    detail text
) strict;

create index schedule_runs_by_job on schedule_runs (job, run_id);

-- The process that runs a job now; nobody's after expires_at, milliseconds since 1970.
create table schedule_leases (
    job text primary key,
    holder text not null,
    expires_at integer not null
) strict, without rowid;
