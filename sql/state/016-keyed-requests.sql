-- Requests with an `Idempotency-Key`, and how far a list is that is enriched in the background.
create table keyed_requests (
    account_id text not null,
    idempotency_key text not null,
    -- SHA-256 of the list and the options.
    digest text not null,
    -- Whose folder keeps the answer.
    enrichment_id text not null,
    status text not null check (status in ('running', 'done')),
    -- The process that answers it moves this on; when it is past, the request may be carried out again.
    leased_until integer not null,
    -- JSON: status, location and body of the first answer; a body of null is in the folder.
    answer text,
    created_at integer not null,
    primary key (account_id, idempotency_key)
) strict, without rowid;

create index keyed_requests_by_time on keyed_requests (created_at);

-- JSON: rows done, share done, rows a second; null until rows are matched.
alter table enrichments add column progress text;
