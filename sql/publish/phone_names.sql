-- A name that a source has with a phone and that belongs to no person, for example a given name alone.
-- grain: phone, name
-- in: normal.newest_mentions, normal.unnamed_phones, published.people, published.person_phones
-- by: phone
--   normal.newest_mentions: whole
--   published.people: person_id in person_id of published.person_phones
with

-- Leaves out a given name when a person with that given name has the phone.
known as (
    select person_phones.phone, upper(people.first_name) as first_name
    from published.person_phones
    inner join published.people using (person_id)
),

newest as (
    select max(newest_name_on) as newest_on from normal.newest_mentions
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
from normal.unnamed_phones as named
cross join newest
anti join known on named.phone = known.phone and upper(named.name) = known.first_name
where named.name <> ''
group by named.phone, named.name
