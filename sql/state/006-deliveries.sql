-- A released event: an event of which subscribers are notified. One transaction writes it and its deliveries.
create table released_events (
    event_id text primary key,
    event_type text not null,
    -- State code in upper case, such as TX.
    state text not null,
    county_fips text not null,
    released_at integer not null
) strict, without rowid;

create index released_events_by_time on released_events (released_at);

-- The delivery of an event to a subscription.
create table deliveries (
    delivery_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    event_type text not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    attempt_count integer not null default 0,
    -- Time of the next attempt. A process that takes the delivery moves this to the end of its lease, so the delivery is
    -- due again if that process dies.
    due_at integer not null,
    -- Id of the process that has the lease.
    lease text,
    created_at integer not null,
    finished_at integer,
    unique (subscription_id, event_id)
) strict;

create index deliveries_due on deliveries (subscription_id, due_at) where status = 'pending';

create index deliveries_by_time on deliveries (created_at);

-- The result of each attempt, including test notifications.
create table delivery_attempts (
    attempt_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    attempted_at integer not null,
    -- HTTP status; 0 without a response.
    status_code integer not null,
    duration_ms integer not null,
    -- Reason of a missing or incomplete response.
    failure text,
    -- The first 4 kB of the response's body.
    body text not null
) strict;

create index delivery_attempts_by_delivery on delivery_attempts (subscription_id, event_id);

create index delivery_attempts_by_time on delivery_attempts (attempted_at);
