-- A job can be cancelled. Its size decides its place in the queue and counts for the limits of its account.
create table enrichments_next (
    enrichment_id text primary key,
    account_id text not null,
    -- The key with which the input file was sent.
    api_key_id text not null,
    status text not null check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
    -- Milliseconds since 1970.
    created_at integer not null,
    finished_at integer,
    -- End of the lease, renewed by the process that runs the job. Later, another process takes the job over.
    leased_until integer not null,
    -- Number of rows of the input file; null when they were not counted.
    row_count integer,
    -- Bytes on disk: of the input file, or of the result once the job is done.
    byte_count integer not null default 0,
    -- JSON: name of the input file, options of matching, number of rows that may be billed.
    request text not null,
    -- JSON: counts of the result; null until the enrichment is done.
    result text,
    -- Reason of the failure; null unless the enrichment failed.
    failure text
) strict, without rowid;

insert into enrichments_next (
    enrichment_id, account_id, api_key_id, status, created_at, finished_at, leased_until, request, result, failure
)
select enrichment_id, account_id, api_key_id, status, created_at, finished_at, leased_until, request, result, failure
from enrichments;

drop table enrichments;
alter table enrichments_next rename to enrichments;
create index enrichments_open on enrichments (leased_until) where status in ('queued', 'running');
create index enrichments_by_account on enrichments (account_id);
