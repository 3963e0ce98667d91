-- what it means: an id is not a letter and ten base62 characters, or an event id is not a UUID, so the API could not return it
-- what to do: look at the macros derived_id and event_uuid, and at link.people for ids that were edited by hand
select 'people ' || person_id as offender from published.people where not regexp_full_match(person_id, 'P[0-9A-Za-z]{10}')
union all
select 'addresses ' || address_id from published.addresses where not regexp_full_match(address_id, 'A[0-9A-Za-z]{10}')
union all
select 'properties ' || property_id from published.properties where not regexp_full_match(property_id, 'R[0-9A-Za-z]{10}')
union all
select 'businesses ' || business_id from published.businesses where not regexp_full_match(business_id, 'B[0-9A-Za-z]{10}')
union all
select 'deed_events ' || coalesce(event_id, 'null')
from published.deed_events
where event_id is null
    or not regexp_full_match(event_id, '[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}')
