-- An address on no roll that differs by one typo from exactly one building of the rolls, and the address that it is read as.
-- grain: address_id
-- in: normal.parcels, normal.roll_streets, normal.written_addresses
-- by: house_number
--   normal.written_addresses: string_split(building_key, '|')[1]
--   normal.parcels: address_id in address_id of normal.written_addresses
--   normal.roll_streets: (place, name) in (string_split(building_key, '|')[6], string_split(building_key, '|')[3]) of normal.written_addresses
with

rolled as (
    select distinct address_id from normal.parcels
    where address_id is not null
),

-- A building key has six parts: number, directional, street name, suffix, directional, place.
written as (
    select
        written_addresses.*,
        string_split(building_key, '|') as parts,
        rolled.address_id is not null as is_on_roll,
    from normal.written_addresses
    left join rolled using (address_id)
    where house_number is not null and length(string_split(building_key, '|')) = 6
),

buildings as (
    select
        building_key,
        -- Prefers the roll's own address without a unit.
        arg_min(address_id, (not is_on_roll, address_key <> building_key, address_id)) as address_id,
        bool_or(is_on_roll) as is_on_roll,
        any_value(parts[1]) as number,
        any_value(parts[2] || '|' || parts[4] || '|' || parts[5]) as street_affixes,
        any_value(parts[2]) as pre_directional,
        any_value(parts[3]) as name,
        any_value(parts[4]) as suffix,
        any_value(parts[5]) as post_directional,
        any_value(parts[6]) as place,
        min(city) as city,
        min(state) as state,
        any_value(zip) as zip,
    from written
    group by building_key
),

canonical as (
    select * from buildings where is_on_roll
),

-- A street that a roll has in that place is not corrected.
unknown as (
    select buildings.*
    from buildings
    anti join normal.roll_streets using (place, name)
    where not is_on_roll
),

unlisted as (
    select buildings.*
    from buildings
    anti join normal.roll_streets using (place, street_affixes, name)
    where not is_on_roll
),

-- The name has a typo. ZIP code, directionals and suffix agree.
misspelt as (
    select l.building_key, r.building_key as canonical_key, r.address_id as canonical_id
    from unknown as l
    inner join canonical as r using (number, place, street_affixes)
    where is_typo(l.name, r.name)
),

-- One side lacks a directional or a suffix.
shortened as (
    select l.building_key, r.building_key, r.address_id
    from unlisted as l
    inner join canonical as r using (number, place, name)
    where
        (l.pre_directional = r.pre_directional or l.pre_directional = '' or r.pre_directional = '')
        and (l.suffix = r.suffix or l.suffix = '' or r.suffix = '')
        and (l.post_directional = r.post_directional or l.post_directional = '' or r.post_directional = '')
        and (l.pre_directional <> r.pre_directional)::integer
        + (l.suffix <> r.suffix)::integer
        + (l.post_directional <> r.post_directional)::integer = 1
),

-- Street and city are the same. One side has no ZIP code, or the ZIP codes differ by one typo.
misplaced as (
    select l.building_key, r.building_key, r.address_id
    from buildings as l
    inner join canonical as r using (number, street_affixes, name, city, state)
    where
        not l.is_on_roll
        and coalesce(damerau_levenshtein(l.zip, r.zip) = 1, true)
),

-- The name has a typo and one side has no ZIP code. The city is the same.
misspelt_without_zip as (
    select l.building_key, r.building_key, r.address_id
    from unknown as l
    inner join canonical as r using (number, street_affixes, city, state)
    where (l.zip is null) <> (r.zip is null) and is_typo(l.name, r.name)
),

near as (
    select building_key, min(canonical_key) as canonical_key, min(canonical_id) as canonical_id
    from (
        select * from misspelt
        union all
        select * from shortened
        union all
        select * from misplaced
        union all
        select * from misspelt_without_zip
    )
    group by building_key
    having count(distinct canonical_key) = 1
)

select
    written.address_id,
    derived_id('A', near.canonical_key || substr(written.address_key, length(written.building_key) + 1)) as read_as_id,
    near.canonical_key,
    near.canonical_id,
    near.canonical_key || substr(written.address_key, length(written.building_key) + 1) as read_as_key,
from written
inner join near using (building_key)
