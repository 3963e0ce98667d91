-- An address (with its unit) as it is written, before typos are corrected.
-- grain: address_id
-- in: normal.address_dictionary
-- by: address_id
--   normal.address_dictionary: address_id, not null
with

entries as (
    select * from normal.address_dictionary where address_id is not null
),

-- Takes the spelling with the lowest key, so that every run takes the same one.
chosen as (
    select address_id, min(text_key) as text_key, max(plus4) as plus4
    from entries
    group by address_id
)

select
    chosen.address_id,
    entries.address_key,
    entries.building_key,
    entries.kind,
    entries.house_number,
    entries.pre_directional,
    entries.street_name,
    entries.street_suffix,
    entries.post_directional,
    entries.building,
    entries.unit_type,
    entries.unit_number,
    entries.po_box,
    entries.city,
    entries.state,
    entries.zip,
    chosen.plus4,
    entries.line1,
    entries.full_address,
    entries.city_display,
from chosen
inner join entries using (text_key)
