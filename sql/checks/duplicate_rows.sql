-- what it means: a published table has two rows with the same key, so a lookup would return the row twice
-- what to do: look for a join that multiplies rows in sql/publish/<table>.sql, correct it, then run `platbook publish --full`
with

keys as (
    select 'people' as table_name, person_id as key from published.people
    union all
    select 'addresses', address_id from published.addresses
    union all
    select 'person_addresses', person_id || ' ' || address_id from published.person_addresses
    union all
    select 'phones', phone from published.phones
    union all
    select 'person_phones', person_id || ' ' || phone from published.person_phones
    union all
    select 'person_emails', person_id || ' ' || md5(email) from published.person_emails
    union all
    select 'properties', property_id from published.properties
    union all
    select 'property_owners', property_id || ' ' || owner_sequence from published.property_owners
    union all
    select 'residents', property_id || ' ' || person_id from published.residents
    union all
    select 'relatives', person_id || ' ' || relative_id from published.relatives
    union all
    select 'businesses', business_id from published.businesses
    union all
    select 'mortgages', property_id || ' ' || document_id from published.mortgages
    union all
    select 'deed_events', event_id from published.deed_events
    union all
    select 'crosswalk', mention_key from published.crosswalk
    union all
    select 'person_redirects', old_person_id from published.person_redirects
)

select
    table_name || ' ' || key as offender,
from keys
group by table_name, key
having count(*) > 1
