-- A step of a run of `platbook nightly` or of one of its parts. In the state file, because the warehouse cannot be
-- read while a run writes it, and cannot be written when it is damaged; `ledger.runs` in the warehouse is a copy.
create table run_steps (
    run_id integer not null,
    step text not null check (step in ('ingest', 'normalize', 'link', 'publish', 'events')),
    -- The process that makes the run.
    pid integer not null,
    started_at text not null,
    ended_at text,
    -- unchanged: there was nothing new to do. stopped: the process was asked to end. killed: it ended without a word.
    outcome text not null check (
        outcome in ('running', 'done', 'unchanged', 'done_with_failures', 'failed', 'stopped', 'killed')
    ),
    row_count integer,
    -- Why it failed, or which sources did.
    reason text,
    primary key (run_id, step)
) strict, without rowid;

-- The schedule's ledger gains `waiting` (another process uses the warehouse) and `done_with_failures`.
create table schedule_runs_new (
    run_id integer primary key,
    job text not null,
    due_at text not null,
    started_at text not null,
    finished_at text,
    -- waiting: to be tried again at the next tick; stopped: the process was asked to end; lost: it ended without a
    -- word. All three are made up for.
    status text not null check (
        status in ('running', 'waiting', 'done', 'done_with_failures', 'failed', 'stopped', 'lost')
    ),
    detail text
) strict;

insert into schedule_runs_new (run_id, job, due_at, started_at, finished_at, status, detail)
select run_id, job, due_at, started_at, finished_at, status, detail from schedule_runs;

drop table schedule_runs;

alter table schedule_runs_new rename to schedule_runs;

create index schedule_runs_by_job on schedule_runs (job, run_id);
