-- Events that subscribers have been, or would have been, told of; written together with their deliveries.
create table released_events (
    event_id text primary key,
    event_type text not null,
    -- Two letters, upper case.
    state text not null,
    county_fips text not null,
    released_at integer not null
) strict, without rowid;

create index released_events_by_time on released_events (released_at);

-- An event on its way to a subscription.
create table deliveries (
    delivery_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    event_type text not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    attempt_count integer not null default 0,
    -- When it is to be tried. The process that takes it moves this to the end of its lease: should that process die,
    -- it is due again then.
    due_at integer not null,
    -- Of the process that is trying it.
    lease text,
    created_at integer not null,
    finished_at integer,
    unique (subscription_id, event_id)
) strict;

create index deliveries_due on deliveries (subscription_id, due_at) where status = 'pending';

create index deliveries_by_time on deliveries (created_at);

-- What each attempt came to, test notifications included.
create table delivery_attempts (
    attempt_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    attempted_at integer not null,
    -- 0: no answer.
    status_code integer not null,
    duration_ms integer not null,
    -- Why there was no answer, or not a whole one.
    failure text,
    -- The first kilobytes of the answer.
    body text not null
) strict;

create index delivery_attempts_by_delivery on delivery_attempts (subscription_id, event_id);

create index delivery_attempts_by_time on delivery_attempts (attempted_at);
