-- The address that a text is read as: as written, or as a roll has it where the text has a slip of the pen.
-- grain: text_key
-- in: normal.address_corrections, normal.address_dictionary
select
    entries.text_key,
    coalesce(corrections.read_as_id, entries.address_id) as address_id,
from normal.address_dictionary as entries
left join normal.address_corrections as corrections using (address_id)
where entries.address_id is not null
