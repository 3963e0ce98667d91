-- A condition that is present and that the operator was notified of.
create table conditions (
    condition_key text primary key,
    -- The observer: sources (a nightly run) or service (the schedule). Each observer replaces only its own conditions.
    observer text not null,
    summary text not null,
    began_at text not null
) strict, without rowid;

-- A message to the operator.
create table notices (
    notice_id integer primary key,
    -- The message as JSON (`Message` in src/notify/condition.ts).
    message text not null,
    created_at integer not null
) strict;

-- The sending of a message through one channel. Times are milliseconds since 1970.
create table notice_sends (
    notice_id integer not null references notices on delete cascade,
    channel text not null,
    status text not null check (status in ('pending', 'sent', 'given_up')),
    attempt_count integer not null default 0,
    -- Time of the next attempt. A process that sends the message moves this to the end of its lease, so the message is due
    -- again if that process dies.
    due_at integer not null,
    -- Reason of the last failed attempt.
    failure text,
    primary key (notice_id, channel)
) strict, without rowid;

create index notice_sends_due on notice_sends (due_at) where status = 'pending';

create index deliveries_given_up on deliveries (finished_at) where status = 'failed';
