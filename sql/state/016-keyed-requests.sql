-- Requests with an `Idempotency-Key`, and the progress of enrichments in the background.
create table keyed_requests (
    account_id text not null,
    idempotency_key text not null,
    -- SHA-256 of the input file and the options.
    digest text not null,
    -- The enrichment whose folder keeps the response.
    enrichment_id text not null,
    status text not null check (status in ('running', 'done')),
    -- End of the lease, renewed by the process that carries the request out. Later, the request may be carried out again.
    leased_until integer not null,
    -- JSON: status, location and body of the first response. A null body is in the enrichment's folder.
    answer text,
    created_at integer not null,
    primary key (account_id, idempotency_key)
) strict, without rowid;

create index keyed_requests_by_time on keyed_requests (created_at);

-- JSON: rows done, share done, rows per second; null before the first row is matched.
alter table enrichments add column progress text;
