-- Two mentions that a rule takes for one person; the rule with the highest weight stands.
-- grain: left_number, right_number
-- in: link.candidate_pairs, link.mentions
with

mentions as (
    select * from link.mentions
),

-- People per area, at two mentions each.
zips as (
    select zip, count(*) / 2 as person_count from mentions
    where zip is not null
    group by zip
),

states as (
    select state, count(*) / 2 as person_count from mentions
    where state is not null
    group by state
),

everywhere as (
    select count(*) / 2 as person_count from mentions
),

levels as (
    select
        pairs.left_number,
        pairs.right_number,
        pairs.evidence,
        first_name_level(l.first_name, r.first_name, l.nickname_class, r.nickname_class) as first_level,
        last_name_level(l.last_name, r.last_name, l.other_last_name, r.other_last_name) as last_level,
        middle_name_level(l.middle_name, r.middle_name) as middle_level,
        suffix_level(l.name_suffix, r.name_suffix) as suffix_level,
        birth_level(l.birth_number, r.birth_number) as birth_level,
        case when l.gender is null or r.gender is null then 0 when l.gender = r.gender then 1 else -1 end
            as gender_level,
        -- Fields that a clerk swapped.
        coalesce(l.first_name = r.last_name and l.last_name = r.first_name, false) as is_swapped,
        coalesce(l.gender, r.gender) = 'F' as is_woman,
        -- How many others of that name the smallest shared area can be expected to have.
        case
            when pairs.evidence & 512 > 0 then l.name_share * zips.person_count
            when pairs.evidence & 1024 > 0 then l.name_share * states.person_count
            -- Across states a name must be four times as rare: people move less than they share names.
            when pairs.evidence & 2048 > 0 then l.name_share * everywhere.person_count * 4
        end as namesake_count,
    from link.candidate_pairs as pairs
    inner join mentions as l on pairs.left_number = l.mention_number
    inner join mentions as r on pairs.right_number = r.mention_number
    left join zips on l.zip = zips.zip
    left join states on l.state = states.state
    cross join everywhere
),

named as (
    select
        * exclude (first_level, last_level),
        case when is_swapped then 3 else coalesce(first_level, 0) end as first_level,
        case when is_swapped then 3 else coalesce(last_level, 0) end as last_level,
    from levels
),

judged as (
    select
        *,
        case
            when evidence & 1 > 0 and (first_level > 0 or last_level > 0) then 'identifier'
            when evidence & 2 > 0 and first_level > 0 then 'record'
            when suffix_level = -2 then null
            when birth_level = 3 and first_level >= 2 and last_level >= 2 then 'name and birth date'
            when birth_level = 3 and first_level >= 1 and last_level >= 1 and gender_level >= 0
                and (evidence & 44 > 0 or (first_level + last_level >= 4 and middle_level >= 0))
                then 'similar name and birth date'
            when birth_level = 3 and first_level >= 2 and (evidence & 236 > 0) then 'first name, birth date and contact'
            when birth_level = 3 and first_level >= 2 and middle_level = 2 and is_woman and gender_level >= 0
                then 'first and middle name and birth date'
            when birth_level = -1 then null
            when evidence & 4 > 0 and first_level >= 1 and last_level >= 1 then 'name and e-mail'
            when evidence & 4 > 0 and first_level >= 2 and middle_level >= 0 then 'first name and e-mail'
            when middle_level = -1 then null
            when evidence & 8 > 0 and first_level >= 1 and last_level >= 1 then 'name and phone'
            when evidence & 32 > 0 and first_level >= 1 and last_level >= 1 and first_level + last_level >= 3
                then 'name and address'
            when evidence & 128 > 0 and first_level >= 1 and last_level >= 1 and first_level + last_level >= 3
                then 'name and parcel'
            when evidence & 64 > 0 and first_level >= 2 and last_level = 3 then 'name and building'
            -- Married, or mangled: 85 in 100 of these are right, most through a typing error that spares nothing.
            when evidence & 32 > 0 and first_level = 3 and middle_level >= 1 and gender_level >= 0
                then 'first names and address'
            when evidence & 256 > 0 and first_level = 3 and last_level = 3 then 'name and employer'
            when namesake_count is not null and first_level >= 2 and last_level = 3
                and namesake_count < case
                    when middle_level = 2 and suffix_level >= 0 then 1.0
                    when (middle_level = 1 or birth_level = 2) and suffix_level >= 0 then 0.3
                    when suffix_level >= 0 then 0.04
                    else 0.02
                end
                then case
                    when evidence & 512 > 0 then 'rare name in the ZIP'
                    when evidence & 1024 > 0 then 'rare name in the state'
                    else 'rare name'
                end
        end as rule,
    from named
),

weights (rule, weight) as (
    values
    ('identifier', 100),
    ('record', 95),
    ('name and birth date', 90),
    ('similar name and birth date', 80),
    ('first name, birth date and contact', 78),
    ('first and middle name and birth date', 60),
    ('name and e-mail', 76),
    ('first name and e-mail', 66),
    ('name and phone', 74),
    ('name and address', 68),
    ('name and parcel', 64),
    ('name and building', 54),
    ('first names and address', 20),
    ('name and employer', 48),
    ('rare name in the ZIP', 44),
    ('rare name in the state', 34),
    ('rare name', 24)
)

select
    judged.left_number,
    judged.right_number,
    judged.rule,
    -- Within a rule the better agreeing names come first, and are joined first.
    (
        weights.weight
        + (judged.first_level + judged.last_level - 5)
        + least(judged.middle_level, 1) * 2
        + case when judged.suffix_level = -1 then -3 else judged.suffix_level end
        + case judged.birth_level when 2 then 2 when 1 then -2 else 0 end
        + judged.gender_level
    )::integer as weight,
    judged.evidence,
    judged.first_level::tinyint as first_level,
    judged.last_level::tinyint as last_level,
    judged.middle_level::tinyint as middle_level,
    judged.suffix_level::tinyint as suffix_level,
    judged.birth_level::tinyint as birth_level,
from judged
inner join weights using (rule)
