-- A list can be cancelled; its size decides about its turn and counts for its account.
create table enrichments_next (
    enrichment_id text primary key,
    account_id text not null,
    -- The key that the list was sent with.
    api_key_id text not null,
    status text not null check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
    -- Milliseconds since 1970.
    created_at integer not null,
    finished_at integer,
    -- The process that works on it moves this on; when it is past, another process takes it over.
    leased_until integer not null,
    -- Rows of the list that was sent; null when they were not counted.
    row_count integer,
    -- That it takes on the disk: the list, or its result once it is done.
    byte_count integer not null default 0,
    -- JSON: the list's name on disk, how it is to be matched, how many rows may be billed.
    request text not null,
    -- JSON: counts of what came of it; null until it is done.
    result text,
    -- The fault of the list; null unless it failed.
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
