-- what it means: a published table has an address id that published.addresses does not have
-- what to do: run `platbook publish --full`; the tables were built by different runs
with

used as (
    select 'person_addresses' as table_name, address_id from published.person_addresses
    union all
    select 'business_addresses', address_id from published.business_addresses
    union all
    select 'properties', address_id from published.properties
    union all
    select 'properties', mailing_address_id from published.properties
)

select
    used.table_name || ' ' || used.address_id as offender,
from used
anti join published.addresses using (address_id)
where used.address_id is not null
