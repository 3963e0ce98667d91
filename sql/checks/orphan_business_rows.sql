-- what it means: a published table has a business id that published.businesses does not have
-- what to do: run `platbook publish --full`; published.businesses is older than the other tables
with

used as (
    select 'property_owners' as table_name, business_id from published.property_owners
    union all
    select 'business_addresses', business_id from published.business_addresses
    union all
    select 'business_phones', business_id from published.business_phones
)

select
    used.table_name || ' ' || used.business_id as offender,
from used
anti join published.businesses using (business_id)
where used.business_id is not null
