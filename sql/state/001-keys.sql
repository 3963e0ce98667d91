-- An API key. The secret is shown once and never stored; `hash` is its SHA-256.
-- monthly_cap is null for no cap. rate_per_second and burst are null for the server's default.
create table keys (
    api_key_id text primary key,
    hash blob not null unique check (length(hash) = 32),
    name text not null,
    plan text not null,
    monthly_cap integer check (monthly_cap >= 0),
    rate_per_second real check (rate_per_second > 0),
    burst integer check (burst >= 1),
    -- JSON array of the account's invitations: "webhooks", "events".
    invitations text not null default '[]' check (json_valid(invitations)),
    is_test integer not null default 0 check (is_test in (0, 1)),
    created_at text not null,
    revoked_at text
) strict;
