-- A name that a source has with a phone and that belongs to no person, for example a given name alone.
-- grain: phone, name
-- in: normal.name_dictionary, normal.name_people, normal.named_records, normal.phone_dictionary, normal.read_names, published.people, published.person_phones, reference.sources
with

records as (
    select name_key, phone_text_key, observed_on, source_id, is_past
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
),

named as (
    select
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
),

-- Leaves out a given name when a person with that given name has the phone.
known as (
    select person_phones.phone, upper(people.first_name) as first_name
    from published.person_phones
    inner join published.people using (person_id)
),

newest as (
    select max(observed_on) as newest_on from named
)

select
    named.phone,
    named.name,
    -- The score of a person's phone without the parts for corroboration and exclusivity.
    round(
        100 * (
            0.35 * case
                when max(named.observed_on) is null then 0
                else pow(0.5, greatest(max(newest.newest_on) - max(named.observed_on), 0) / 1096.0)
            end
            + 0.30 * max(named.weight)
        )
    )::integer as score,
    max(named.observed_on) as last_seen_on,
from named
cross join newest
anti join known on named.phone = known.phone and upper(named.name) = known.first_name
where named.name <> ''
group by named.phone, named.name
