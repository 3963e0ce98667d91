-- An event that was released, or that existed before the first release. event_id: the 16 bytes of its UUID.
-- Older events are deleted. They are never released, because of their recorded date.
create table known_events (
    event_id blob primary key check (length(event_id) = 16),
    recorded_on text not null
) strict, without rowid;

create index known_events_by_date on known_events (recorded_on);

-- An origin of events: a county's recorder, its assessor's sales, or its rolls. The first events of an origin are not released.
create table event_origins (
    county_fips text not null,
    told_by text not null,
    first_released_at text not null,
    primary key (county_fips, told_by)
) strict, without rowid;

-- A snapshot whose new events were released.
create table event_releases (
    snapshot_version text primary key,
    released_at text not null,
    event_count integer not null,
    delivery_count integer not null,
    history_count integer not null
) strict, without rowid;

-- A run of a scheduled job. `due_at` is its time by the schedule.
create table schedule_runs (
    run_id integer primary key,
    job text not null,
    due_at text not null,
    started_at text not null,
    finished_at text,
    -- stopped: the process was asked to end. lost: the process died. Both runs are repeated.
    status text not null check (status in ('running', 'done', 'failed', 'stopped', 'lost')),
    detail text
) strict;

create index schedule_runs_by_job on schedule_runs (job, run_id);

-- The process that runs a job now. The lease ends at expires_at, milliseconds since 1970.
create table schedule_leases (
    job text primary key,
    holder text not null,
    expires_at integer not null
) strict, without rowid;
