-- An enrichment: an input file that a caller sent, as a background job. Its files are in `out/enrichments/<id>` of the data folder.
create table enrichments (
    enrichment_id text primary key,
    api_key_id text not null,
    status text not null check (status in ('queued', 'running', 'done', 'failed')),
    -- Milliseconds since 1970.
    created_at integer not null,
    finished_at integer,
    -- End of the lease, renewed by the process that runs the job. Later, another process takes the job over.
    leased_until integer not null,
    -- JSON: name of the input file, options of matching, number of rows that may be billed.
    request text not null,
    -- JSON: counts of the result; null until the enrichment is done.
    result text,
    -- Reason of the failure; null unless the enrichment failed.
    failure text
) strict, without rowid;

create index enrichments_open on enrichments (leased_until) where status in ('queued', 'running');
