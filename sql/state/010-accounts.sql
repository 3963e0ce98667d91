-- A customer. Usage, the monthly cap, invitations, webhooks and jobs belong to the account, so a key can be replaced.
-- Null in monthly_cap: no cap.
create table accounts (
    account_id text primary key,
    name text not null,
    plan text not null,
    monthly_cap integer check (monthly_cap >= 0),
    -- JSON array of what the account is invited to: "webhooks", "events".
    invitations text not null default '[]' check (json_valid(invitations)),
    -- live: billed. demo: the key of `platbook start`, never billed. test: answered from invented data, never billed.
    kind text not null default 'live' check (kind in ('live', 'demo', 'test')),
    created_at text not null
) strict;

-- Each key that exists becomes the only key of an account, which takes over what belonged to the key.
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

-- An API key of an account. The key itself is shown once and never stored: `hash` is the SHA-256 of it.
-- Null in rate_per_second or burst: the server's own default.
create table account_keys (
    api_key_id text primary key,
    account_id text not null references accounts,
    hash blob not null unique check (length(hash) = 32),
    name text not null,
    rate_per_second real check (rate_per_second > 0),
    burst integer check (burst >= 1),
    -- JSON array of what the key may do, such as "person:read"; null: everything that the account may.
    scopes text check (json_valid(scopes)),
    -- JSON array of addresses and networks that the key may be used from; null: from everywhere.
    allowed_addresses text check (json_valid(allowed_addresses)),
    -- Why the holder may ask, as the operator recorded it. A key keeps its purpose: access events show it by their key.
    purpose text not null default 'none',
    created_at text not null,
    -- The first millisecond since 1970 at which the key is refused; null: never.
    expires_at integer,
    revoked_at text,
    -- The key that this one was made to replace.
    rotated_from text
) strict;

insert into account_keys (api_key_id, account_id, hash, name, rate_per_second, burst, created_at, revoked_at)
select api_key_id, 'acct_' || substr(api_key_id, 5), hash, name, rate_per_second, burst, created_at, revoked_at
from keys
order by created_at, rowid;

drop table keys;
alter table account_keys rename to keys;
create index keys_by_account on keys (account_id);

-- `account_id` was the id of the key that made it.
update subscriptions set account_id = 'acct_' || substr(account_id, 5);
update test_events set account_id = 'acct_' || substr(account_id, 5);

-- `api_key_id` is the key that sent it.
alter table enrichments add column account_id text not null default '';
update enrichments set account_id = 'acct_' || substr(api_key_id, 5);
