-- A likely relative of a person. Each pair has two rows, one in each direction.
-- grain: person_id, relative_id
-- in: normal.addresses, published.people, published.person_addresses, published.person_names, published.property_owners
-- by: person_id
--   published.person_addresses: person_id
--   published.person_addresses: address_id in address_id of published.person_addresses
--   published.property_owners: person_id, not null
--   published.property_owners: property_id in property_id of published.property_owners
--   published.person_names: person_id in person_id of published.person_addresses
--   published.people: person_id in person_id of published.person_addresses
--   published.people: person_id in person_id of published.property_owners
--   normal.addresses: address_id in address_id of published.person_addresses
--   result: person_id
with

people as (
    select
        person_id,
        last_name,
        gender,
        try_cast(left(date_of_birth, 4) as integer) as birth_year,
    from published.people
),

surnames as (
    select distinct person_id, last_name from published.person_names
    where last_name is not null
),

homes as (
    select person_addresses.person_id, person_addresses.address_id, person_addresses.is_current, surnames.last_name
    from published.person_addresses
    inner join normal.addresses as places using (address_id)
    inner join surnames using (person_id)
    where places.kind <> 'po_box'
    -- More than seven people with one surname at an address are probably not one family.
    qualify count(*) over (partition by person_addresses.address_id, surnames.last_name) <= 7
),

sharing as (
    select
        l.person_id,
        r.person_id as relative_id,
        true as shares_surname,
        false as shares_property,
        count(distinct l.address_id) as shared_count,
        bool_or(l.is_current and r.is_current) as is_current,
    from homes as l
    inner join homes as r
        on l.address_id = r.address_id and l.last_name = r.last_name and l.person_id <> r.person_id
    group by l.person_id, r.person_id
),

-- Two people who own a property together. Three or more may be heirs or business partners.
owners as (
    select property_id, person_id from published.property_owners
    where person_id is not null
    qualify count(*) over (partition by property_id) = 2
),

owning as (
    select
        l.person_id,
        r.person_id as relative_id,
        false as shares_surname,
        true as shares_property,
        1 as shared_count,
        true as is_current,
    from owners as l
    inner join owners as r on l.property_id = r.property_id and l.person_id <> r.person_id
),

pairs as (
    select
        person_id,
        relative_id,
        bool_or(shares_surname) as shares_surname,
        bool_or(shares_property) as shares_property,
        max(shared_count) as shared_count,
        bool_or(is_current) as is_current,
    from (select * from sharing union all select * from owning)
    group by person_id, relative_id
),

aged as (
    select
        pairs.*,
        abs(people.birth_year - others.birth_year) as age_gap,
    from pairs
    inner join people using (person_id)
    inner join people as others on pairs.relative_id = others.person_id
)

select
    person_id,
    relative_id,
    concat_ws(
        ', ',
        case when shares_surname then 'same surname and address' end,
        case when shares_property then 'own a property together' end,
        case
            when age_gap is null then null
            when age_gap <= 15 then 'of one generation'
            when age_gap <= 50 then 'a generation apart'
            else 'two generations apart'
        end
    ) as reason,
    least(
        100,
        case when shares_surname then 55 else 0 end
        + case when shares_property then 30 else 0 end
        + case when is_current then 10 else 0 end
        + least(shared_count - 1, 2) * 10
        + case when age_gap is not null then 5 else 0 end
    )::integer as score,
from aged
-- Keeps the 20 relatives with the highest score. A person with more probably shares the surname with other families.
qualify row_number() over (partition by person_id order by score desc, relative_id) <= 20
