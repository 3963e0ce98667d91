-- A webhook: which deed events are sent to which URL. Integer times are milliseconds since 1970.
create table subscriptions (
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

-- An account cannot have two active webhooks with the same URL, event type and area.
create unique index active_subscriptions on subscriptions (account_id, url, event_type, area)
where status = 'active';

create index subscriptions_by_account on subscriptions (account_id, created_at);

create index subscriptions_by_area on subscriptions (area, event_type) where status = 'active';

-- Signing secrets of notifications. The first byte of `secret` is the form: plain or encrypted (src/webhooks/sealing.ts).
create table signing_secrets (
    secret_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    secret blob not null,
    -- Null for the current secret. A replaced secret also signs until this time.
    expires_at integer
) strict;

create index signing_secrets_by_subscription on signing_secrets (subscription_id);

-- Made-up events of test notifications. Their account can fetch them like real events.
create table test_events (
    event_id text primary key,
    account_id text not null,
    document text not null check (json_valid(document)),
    created_at integer not null
) strict, without rowid;
