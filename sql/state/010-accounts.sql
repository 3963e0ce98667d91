-- A customer. Usage, the monthly cap, invitations, webhooks and jobs belong to the account, so a key can be replaced.
-- monthly_cap is null for no cap.
create table accounts (
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

-- Each existing key becomes the only key of a new account. What belonged to the key now belongs to the account.
insert into accounts (account_id, name, plan, monthly_cap, invitations, kind, created_at)
select
    'acct_' || substr(api_key_id, 5),
    name,
    plan,
    monthly_cap,
    invitations,
    case when is_test = 0 then 'live' when name = 'demo' and plan = 'demo' then 'demo' else 'test' end,
    created_at
from keys
order by created_at, rowid;

-- An API key of an account. The secret is shown once and never stored; `hash` is its SHA-256.
-- rate_per_second and burst are null for the server's default.
create table account_keys (
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

insert into account_keys (api_key_id, account_id, hash, name, rate_per_second, burst, created_at, revoked_at)
select api_key_id, 'acct_' || substr(api_key_id, 5), hash, name, rate_per_second, burst, created_at, revoked_at
from keys
order by created_at, rowid;

drop table keys;
alter table account_keys rename to keys;
create index keys_by_account on keys (account_id);

-- Until this migration, `account_id` held the id of the key that created the webhook.
update subscriptions set account_id = 'acct_' || substr(account_id, 5);
update test_events set account_id = 'acct_' || substr(account_id, 5);

-- `api_key_id`: the key with which the input file was sent.
alter table enrichments add column account_id text not null default '';
update enrichments set account_id = 'acct_' || substr(api_key_id, 5);
