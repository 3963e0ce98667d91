CREATE TABLE access_events (
    id integer primary key,
    event_ts integer not null,
    trace_id text not null,
    api_key_id text not null,
    http_method text not null,
    route text not null,
    status_code integer not null,
    duration_ms integer not null,
    billable integer not null check (billable in (0, 1))
) strict;

CREATE INDEX access_events_by_key on access_events (api_key_id, event_ts);

CREATE INDEX access_events_by_time on access_events (event_ts);

CREATE TABLE accounts (
    account_id text primary key,
    name text not null,
    plan text not null,
    monthly_cap integer check (monthly_cap >= 0),
    -- JSON array of the account's invitations: "webhooks", "events".
    invitations text not null default '[]' check (json_valid(invitations)),
    -- live: billed. demo: the account of `platbook start`, never billed. test: reads made-up data, never billed.
    kind text not null default 'live' check (kind in ('live', 'demo', 'test')),
    created_at text not null
) strict;

CREATE TABLE conditions (
    condition_key text primary key,
    -- The observer: sources (a nightly run) or service (the schedule). Each observer replaces only its own conditions.
    observer text not null,
    summary text not null,
    began_at text not null
) strict, without rowid;

CREATE TABLE deliveries (
    delivery_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    event_type text not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    attempt_count integer not null default 0,
    -- Time of the next attempt. A process that takes the delivery moves this to the end of its lease, so the delivery is
    -- due again if that process dies.
    due_at integer not null,
    -- Id of the process that has the lease.
    lease text,
    created_at integer not null,
    finished_at integer,
    unique (subscription_id, event_id)
) strict;

CREATE INDEX deliveries_by_time on deliveries (created_at);

CREATE INDEX deliveries_due on deliveries (subscription_id, due_at) where status = 'pending';

CREATE INDEX deliveries_given_up on deliveries (finished_at) where status = 'failed';

CREATE TABLE delivery_attempts (
    attempt_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    event_id text not null,
    attempted_at integer not null,
    -- HTTP status; 0 without a response.
    status_code integer not null,
    duration_ms integer not null,
    -- Reason of a missing or incomplete response.
    failure text,
    -- The first 4 kB of the response's body.
    body text not null
) strict;

CREATE INDEX delivery_attempts_by_delivery on delivery_attempts (subscription_id, event_id);

CREATE INDEX delivery_attempts_by_time on delivery_attempts (attempted_at);

CREATE TABLE "enrichments" (
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
, progress text) strict, without rowid;

CREATE INDEX enrichments_by_account on enrichments (account_id);

CREATE INDEX enrichments_open on enrichments (leased_until) where status in ('queued', 'running');

CREATE TABLE event_ledger (
    id integer primary key check (id = 1),
    -- Number of rows that known_events should have. Platbook counts them again after it adds or deletes rows.
    known_count integer not null,
    -- YYYY-MM-DD. Events recorded before this date are deleted from known_events and never released.
    forgotten_before text not null
) strict;

CREATE TABLE event_origins (
    county_fips text not null,
    told_by text not null,
    first_released_at text not null,
    primary key (county_fips, told_by)
) strict, without rowid;

CREATE TABLE event_releases (
    snapshot_version text primary key,
    released_at text not null,
    event_count integer not null,
    delivery_count integer not null,
    history_count integer not null
) strict, without rowid;

CREATE TABLE keyed_requests (
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

CREATE INDEX keyed_requests_by_time on keyed_requests (created_at);

CREATE TABLE "keys" (
    api_key_id text primary key,
    account_id text not null references accounts,
    hash blob not null unique check (length(hash) = 32),
    name text not null,
    rate_per_second real check (rate_per_second > 0),
    burst integer check (burst >= 1),
    -- JSON array of scopes, such as "person:read"; null for all scopes.
    scopes text check (json_valid(scopes)),
    -- JSON array of addresses and networks from which the key may be used; null for every address.
    allowed_addresses text check (json_valid(allowed_addresses)),
    -- The recorded purpose of the key's holder. It never changes, because access events look it up by their key.
    purpose text not null default 'none',
    created_at text not null,
    -- Time from which the key is refused, milliseconds since 1970; null for never.
    expires_at integer,
    revoked_at text,
    -- The key that this key replaced.
    rotated_from text
) strict;

CREATE INDEX keys_by_account on keys (account_id);

CREATE TABLE known_events (
    event_id blob primary key check (length(event_id) = 16),
    recorded_on text not null
) strict, without rowid;

CREATE INDEX known_events_by_date on known_events (recorded_on);

CREATE TABLE link_models (
    model_id integer primary key,
    decided_at text not null,
    trained_on text not null,
    record_count integer not null check (record_count >= 0),
    outcome text not null check (outcome in ('used', 'refused')),
    -- The model that links records since then: the learned one, the last one, or the default one that is part of Platbook.
    linked_by text not null check (linked_by in ('learned', 'last', 'default')),
    -- JSON array of the reasons of a refusal; empty for an accepted model.
    faults text not null check (json_valid(faults))
) strict;

CREATE TABLE migrations (number integer primary key, name text not null, applied_at text not null) strict;

CREATE TABLE notice_sends (
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

CREATE INDEX notice_sends_due on notice_sends (due_at) where status = 'pending';

CREATE TABLE notices (
    notice_id integer primary key,
    -- The message as JSON (`Message` in src/notify/condition.ts).
    message text not null,
    created_at integer not null
) strict;

CREATE TABLE quarantine_discards (
    discard_id integer primary key,
    source_id text not null,
    kind text not null,
    -- sha256: of the file in landing. member: the file in an archive; '' for other files.
    sha256 text not null,
    member text not null,
    file_name text not null,
    -- JSON array of line numbers.
    line_numbers text not null check (json_valid(line_numbers)),
    row_count integer not null check (row_count > 0),
    why text not null,
    discarded_by text not null,
    discarded_at text not null
) strict;

CREATE TABLE released_events (
    event_id text primary key,
    event_type text not null,
    -- State code in upper case, such as TX.
    state text not null,
    county_fips text not null,
    released_at integer not null
) strict, without rowid;

CREATE INDEX released_events_by_time on released_events (released_at);

CREATE TABLE run_steps (
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

CREATE TABLE schedule_leases (
    job text primary key,
    holder text not null,
    expires_at integer not null
) strict, without rowid;

CREATE TABLE "schedule_runs" (
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

CREATE INDEX schedule_runs_by_job on schedule_runs (job, run_id);

CREATE TABLE signing_secrets (
    secret_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    secret blob not null,
    -- Null for the current secret. A replaced secret also signs until this time.
    expires_at integer
) strict;

CREATE INDEX signing_secrets_by_subscription on signing_secrets (subscription_id);

CREATE TABLE source_decisions (
    source_id text not null,
    -- sha256: of the file in landing. member: the file in an archive that the decision is about; '' for other files.
    sha256 text not null,
    member text not null,
    file_name text not null,
    decision text not null check (decision in ('accept', 'accept_always', 'reject')),
    decided_at text not null,
    primary key (source_id, sha256, member)
) strict, without rowid;

CREATE TABLE subscriptions (
    subscription_id text primary key,
    -- The API key that created the webhook.
    account_id text not null,
    url text not null,
    name text,
    -- One event type, or `deed.*` for all deed events.
    event_type text not null,
    -- `region` is the text that the account sent. `area` is its meaning: a state code (TX) or a county's FIPS code (48453).
    region text not null,
    area text not null,
    status text not null check (status in ('active', 'inactive')),
    -- Reason of an inactive webhook: asked (by the account), gone (the endpoint answered 410), failing (for five days).
    inactive_reason text check (inactive_reason in ('asked', 'gone', 'failing')),
    -- The first failure since the last success.
    failing_since integer,
    -- Time until which the endpoint asked for no further requests.
    quiet_until integer not null default 0,
    created_at text not null,
    updated_at text not null
) strict;

CREATE UNIQUE INDEX active_subscriptions on subscriptions (account_id, url, event_type, area)
where status = 'active';

CREATE INDEX subscriptions_by_account on subscriptions (account_id, created_at);

CREATE INDEX subscriptions_by_area on subscriptions (area, event_type) where status = 'active';

CREATE TABLE suppression_changes (count integer not null) strict;

CREATE TRIGGER suppressions_added after insert on suppressions begin
    update suppression_changes set count = count + 1;
end;

CREATE TRIGGER suppressions_removed after delete on suppressions begin
    update suppression_changes set count = count + 1;
end;

CREATE TABLE suppressions (
    suppression_id text primary key,
    kind text not null check (
        kind in ('person', 'phone', 'email', 'address', 'name', 'phone_hash', 'email_hash', 'name_hash')
    ),
    value text not null,
    -- JSON: names, addresses and birth dates of the person when the id was suppressed. They find the person if the id changes.
    marks text not null,
    -- The line of the opt-out list; null for an entry of the operator.
    work_item_id text,
    created_at text not null
) strict, without rowid;

CREATE INDEX suppressions_by_work_item on suppressions (work_item_id) where work_item_id is not null;

CREATE UNIQUE INDEX suppressions_once on suppressions (kind, value, coalesce(work_item_id, ''));

CREATE TABLE test_events (
    event_id text primary key,
    account_id text not null,
    document text not null check (json_valid(document)),
    created_at integer not null
) strict, without rowid;

CREATE TABLE usage_days (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    billable_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;

CREATE TABLE usage_report_refreshes (
    id integer primary key check (id = 1),
    refreshed_at integer not null
) strict;

CREATE TABLE usage_reports (
    api_key_id text not null,
    day text not null,
    request_count integer not null,
    primary key (api_key_id, day)
) strict, without rowid;
