-- The address that a text is read as: its own, or the roll's address when the text has a typo.
-- grain: text_key
-- in: normal.address_corrections, normal.address_dictionary
-- by: address_id
--   normal.address_dictionary: address_id, not null
select
    entries.text_key,
    coalesce(corrections.read_as_id, entries.address_id) as address_id,
from normal.address_dictionary as entries
left join normal.address_corrections as corrections using (address_id)
where entries.address_id is not null
