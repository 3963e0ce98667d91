-- A request made with a valid key. `route` is the path template without values.
-- event_ts is the time of arrival, milliseconds since 1970.
create table access_events (
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

create index access_events_by_time on access_events (event_ts);

create index access_events_by_key on access_events (api_key_id, event_ts);
