-- A street of a place that an address on a roll is on. Place, name and affixes are parts of the building key.
-- grain: place, street_affixes, name
-- in: normal.parcels, normal.written_addresses
-- by: place
--   normal.written_addresses: string_split(building_key, '|')[6], not null
--   normal.parcels: address_id in address_id of normal.written_addresses
with

rolled as (
    select address_id from normal.parcels
    where address_id is not null
),

written as (
    select string_split(building_key, '|') as parts
    from normal.written_addresses
    semi join rolled using (address_id)
    where house_number is not null
)

select distinct
    parts[6] as place,
    parts[2] || '|' || parts[4] || '|' || parts[5] as street_affixes,
    parts[3] as name,
from written
where length(parts) = 6
