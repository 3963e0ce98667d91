-- A normalised address (with its unit).
-- grain: address_id
-- in: normal.address_dictionary
with

entries as (
    select * from normal.address_dictionary where address_id is not null
)

select
    address_id,
    min(address_key) as address_key,
    hash_of(min(building_key)) as building_number,
    min(building_key) as building_key,
    arg_min(kind, text_key) as kind,
    min(house_number) as house_number,
    min(pre_directional) as pre_directional,
    min(street_name) as street_name,
    min(street_suffix) as street_suffix,
    min(post_directional) as post_directional,
    min(unit_type) as unit_type,
    min(unit_number) as unit_number,
    min(po_box) as po_box,
    min(city) as city,
    min(state) as state,
    min(zip) as zip,
    max(plus4) as plus4,
    arg_min(line1, text_key) as line1,
    arg_min(full_address, text_key) as full_address,
    arg_min(city_display, text_key) as city_display,
from entries
group by address_id
