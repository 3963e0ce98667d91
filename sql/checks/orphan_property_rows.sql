-- what it means: a published table has a property id that published.properties does not have
-- what to do: run `platbook publish --full`; a roll was removed between two runs
with

used as (
    select 'property_owners' as table_name, property_id from published.property_owners
    union all
    select 'residents', property_id from published.residents
    union all
    select 'mortgages', property_id from published.mortgages
    union all
    select 'deed_events', property_id from published.deed_events
)

select
    used.table_name || ' ' || used.property_id as offender,
from used
anti join published.properties using (property_id)
where used.property_id is not null
