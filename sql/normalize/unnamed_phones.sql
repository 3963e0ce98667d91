-- A name that a source record has with a phone and that names no person, for example a given name alone.
-- grain: mention_base
-- in: normal.name_dictionary, normal.name_people, normal.named_records, normal.phone_dictionary, normal.read_names, reference.sources
-- by: mention_base
--   normal.name_dictionary: name_key in name_key of normal.named_records
--   normal.name_people: name_key in name_key of normal.named_records
--   normal.read_names: name_key in name_key of normal.named_records
--   normal.phone_dictionary: text_key in phone_text_key of normal.named_records
--   reference.sources: whole
with

records as (
    select mention_base, file_id, name_key, phone_text_key, observed_on, source_id, is_past
    from normal.named_records
    where phone_text_key is not null and mention_kind not in ('business', 'owner', 'grantor', 'grantee', 'other')
),

-- Names without a surname that are no organisation either.
names_of_nobody as (
    select names.name_key, names.text
    from normal.name_dictionary as names
    anti join normal.read_names as people on names.name_key = people.name_key
    where names.organisation_key is null
),

given as (
    select name_key, display_name from normal.name_people
    where person_sequence = 1
),

weighted as (
    select source_id, weight from reference.sources
)

select
    records.mention_base,
    records.file_id,
    phones.phone,
    coalesce(
        given.display_name,
        trim(regexp_replace(string_split(names_of_nobody.text, chr(31))[2], '\s+', ' ', 'g'))
    ) as name,
    records.observed_on,
    coalesce(weighted.weight, 0.5) * case when records.is_past then 0.5 else 1 end as weight,
from records
inner join names_of_nobody on records.name_key = names_of_nobody.name_key
inner join normal.phone_dictionary as phones on records.phone_text_key = phones.text_key
left join given on records.name_key = given.name_key
left join weighted on records.source_id = weighted.source_id
where phones.phone is not null
