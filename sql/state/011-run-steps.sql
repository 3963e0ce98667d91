-- A step of `platbook nightly` or of a command that runs a single step. The steps are in the state file, because the
-- warehouse cannot be read during a run and cannot be written when it is damaged. `ledger.runs` in the warehouse is a copy.
create table run_steps (
    run_id integer not null,
    step text not null check (step in ('ingest', 'normalize', 'link', 'publish', 'events')),
    -- Process id of the run.
    pid integer not null,
    started_at text not null,
    ended_at text,
    -- unchanged: nothing was new. stopped: the process was asked to end. killed: the process died.
    outcome text not null check (
        outcome in ('running', 'done', 'unchanged', 'done_with_failures', 'failed', 'stopped', 'killed')
    ),
    row_count integer,
    -- Reason of the failure, or the sources that failed.
    reason text,
    primary key (run_id, step)
) strict, without rowid;

-- The schedule's ledger gets the outcomes `waiting` (another process uses the warehouse) and `done_with_failures`.
create table schedule_runs_new (
    run_id integer primary key,
    job text not null,
    due_at text not null,
    started_at text not null,
    finished_at text,
    -- waiting: tried again at the next tick. stopped: the process was asked to end. lost: the process died.
    -- All three runs are repeated.
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
