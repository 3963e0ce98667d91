-- A person who lives at the address of a property now.
-- grain: property_id, person_id
-- in: normal.addresses, normal.parcels, published.people, published.person_addresses
-- by: address_id
--   normal.parcels: address_id, not null
--   published.people: person_id in person_id of published.person_addresses
with

living as (
    select person_id from published.people where not is_dead
),

homes as (
    select parcels.property_id, parcels.address_id
    from normal.parcels as parcels
    inner join normal.addresses as places using (address_id)
    -- Nobody lives in a post office box.
    where places.kind <> 'po_box'
    -- When more than four parcels share an address without units, the parcel of a resident is unknown.
    qualify count(*) over (partition by parcels.address_id) <= 4
)

select
    homes.property_id,
    person_addresses.person_id,
    person_addresses.score,
from published.person_addresses
inner join homes using (address_id)
semi join living using (person_id)
where person_addresses.is_current
