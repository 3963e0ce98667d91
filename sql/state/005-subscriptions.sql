-- Who wants to hear of which deed events, and where. Times in milliseconds are UTC since 1970.
create table subscriptions (
    subscription_id text primary key,
    -- The API key that made it.
    account_id text not null,
    url text not null,
    name text,
    -- One type, or `deed.*` for all of them.
    event_type text not null,
    -- As the account wrote it, and what it means: the code of a state (TX) or the FIPS code of a county (48453).
    region text not null,
    area text not null,
    status text not null check (status in ('active', 'inactive')),
    -- Why it is inactive: asked (by the account), gone (the endpoint answered 410), failing (for five days).
    inactive_reason text check (inactive_reason in ('asked', 'gone', 'failing')),
    -- The first failure since the last success.
    failing_since integer,
    -- The endpoint asked to be left alone until then.
    quiet_until integer not null default 0,
    created_at text not null,
    updated_at text not null
) strict;

-- The account can't have two active ones that would send the same.
create unique index active_subscriptions on subscriptions (account_id, url, event_type, area)
where status = 'active';

create index subscriptions_by_account on subscriptions (account_id, created_at);

create index subscriptions_by_area on subscriptions (area, event_type) where status = 'active';

-- What notifications are signed with. `secret` starts with a byte that says whether it is sealed (src/webhooks/sealing.ts).
create table signing_secrets (
    secret_id integer primary key,
    subscription_id text not null references subscriptions on delete cascade,
    secret blob not null,
    -- Null: the present one. A replaced one still signs until then.
    expires_at integer
) strict;

create index signing_secrets_by_subscription on signing_secrets (subscription_id);

-- Invented events of test notifications, which their account can fetch like real ones.
create table test_events (
    event_id text primary key,
    account_id text not null,
    document text not null check (json_valid(document)),
    created_at integer not null
) strict, without rowid;
