-- A condition that the operator was notified of and that goes on.
create table conditions (
    condition_key text primary key,
    -- The observer: sources (a nightly run) or service (the schedule). An observation replaces its own conditions only.
    observer text not null,
    summary text not null,
    began_at text not null
) strict, without rowid;

-- A message to the operator.
create table notices (
    notice_id integer primary key,
    -- JSON.
    message text not null,
    created_at integer not null
) strict;

-- A message on its way through one channel. Times are milliseconds since 1970.
create table notice_sends (
    notice_id integer not null references notices on delete cascade,
    channel text not null,
    status text not null check (status in ('pending', 'sent', 'given_up')),
    attempt_count integer not null default 0,
    -- The process that sends it moves this ahead: should that process die, it is due again then.
    due_at integer not null,
    -- Why the last attempt failed.
    failure text,
    primary key (notice_id, channel)
) strict, without rowid;

create index notice_sends_due on notice_sends (due_at) where status = 'pending';

create index deliveries_given_up on deliveries (finished_at) where status = 'failed';
