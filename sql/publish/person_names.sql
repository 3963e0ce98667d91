-- A name (with its parts) of a person: the primary name, an alias or a former name.
-- grain: person_id, first_name, middle_name, last_name, name_suffix
-- in: link.person_mentions, normal.person_mentions
-- by: person_id
--   normal.person_mentions: mention_key in mention_key of link.person_mentions
with

mentions as (
    select person_id, mentions.*
    from normal.person_mentions as mentions
    inner join (select mention_key, person_id from link.person_mentions) as assigned using (mention_key)
),

used as (
    select
        person_id,
        first_name,
        middle_name,
        last_name,
        name_suffix,
        observed_on,
        source_weight * case when is_past then 0.5 else 1 end as weight,
    from mentions
    union all
    -- A former name makes the person findable, but gets too little weight to become the primary name.
    select person_id, coalesce(other_first_name, first_name), null, other_last_name, null, observed_on, 0.05
    from mentions
    where other_last_name is not null
),

names as (
    select
        person_id,
        first_name,
        middle_name,
        last_name,
        name_suffix,
        sum(weight) as weight,
        max(observed_on) as last_seen_on,
    from used
    group by person_id, first_name, middle_name, last_name, name_suffix
),

-- `J SMITH`, `JOHN SMITH` and `JOHN A SMITH` support each other, so the weight of the whole surname is compared
-- first.
surnames as (
    select person_id, last_name, sum(weight) as surname_weight
    from names
    group by person_id, last_name
)

select
    names.person_id,
    names.first_name,
    names.middle_name,
    names.last_name,
    names.name_suffix,
    row_number() over (
        partition by names.person_id
        order by
            coalesce(length(names.first_name) > 1, false) desc,
            round(surnames.surname_weight, 6) desc,
            round(names.weight * (1 + least(coalesce(length(names.middle_name), 0), 2) * 0.4), 6) desc,
            names.last_seen_on desc nulls last,
            concat_ws(' ', names.last_name, names.first_name, names.middle_name, names.name_suffix)
    ) = 1 as is_primary,
from names
inner join surnames using (person_id, last_name)
