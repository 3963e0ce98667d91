-- A list that a caller sent to be enriched. Its files lie in `out/enrichments/<id>` of the data folder.
create table enrichments (
    enrichment_id text primary key,
    api_key_id text not null,
    status text not null check (status in ('queued', 'running', 'done', 'failed')),
    -- Milliseconds since 1970.
    created_at integer not null,
    finished_at integer,
    -- The process that works on it moves this on; when it is past, another process takes it over.
    leased_until integer not null,
    -- JSON: the list's name on disk, how it is to be matched, how many rows may be billed.
    request text not null,
    -- JSON: counts of what came of it; null until it is done.
    result text,
    -- What was wrong with it; null unless it failed.
    failure text
) strict, without rowid;

create index enrichments_open on enrichments (leased_until) where status in ('queued', 'running');
