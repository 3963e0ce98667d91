-- A person in a name, with first and last name exchanged when that is more likely.
-- grain: name_key, person_sequence
-- in: normal.first_names, normal.last_names, normal.name_people
-- by: name_key
--   normal.first_names: first_name in unnest([first_name, middle_name, last_name]) of normal.name_people
--   normal.last_names: last_name in unnest([first_name, middle_name, last_name]) of normal.name_people
with

people as (
    select * from normal.name_people
    where last_name is not null
),

firsts as (
    select first_name as word, first_count, nickname_class, first_phonetic from normal.first_names
),

lasts as (
    select last_name as word, last_count, last_phonetic from normal.last_names
),

-- Clerks swap the fields of a name, and write `PAUL T SNYDER` where the surname should be first.
exchanged as (
    select
        name_key,
        person_sequence,
        last_name as first_name,
        -- `PAUL TOM SNYDER` was read with PAUL as the surname, so a whole middle name becomes the last name. Otherwise first
        -- and last name change places.
        case when length(middle_name) > 1 then first_name else middle_name end as middle_name,
        case when length(middle_name) > 1 then middle_name else first_name end as last_name,
    from people
    where length(first_name) > 1 or length(middle_name) > 1
),

weighed as (
    select
        exchanged.*,
        firsts.nickname_class,
        firsts.first_phonetic,
        lasts.last_phonetic,
        -- Assumes that one name in fifty has the wrong order. A word that never occurs in a position counts 0.5
        -- there.
        0.02 * firsts.first_count * lasts.last_count
        > coalesce(old_lasts.last_count, 0.5) * coalesce(old_firsts.first_count, 0.5) as is_more_likely,
    from exchanged
    inner join firsts on exchanged.first_name = firsts.word
    inner join lasts on exchanged.last_name = lasts.word
    left join lasts as old_lasts on exchanged.first_name = old_lasts.word
    left join firsts as old_firsts on exchanged.last_name = old_firsts.word
),

exchanges as (
    select * from weighed
    where is_more_likely
)

select
    people.name_key,
    people.person_sequence,
    coalesce(exchanges.first_name, people.first_name) as first_name,
    case when exchanges.name_key is null then people.middle_name else exchanges.middle_name end as middle_name,
    coalesce(exchanges.last_name, people.last_name) as last_name,
    people.name_suffix,
    case
        when exchanges.name_key is null then people.display_name
        else array_to_string(
            list_transform(
                string_split(
                    concat_ws(' ', exchanges.first_name, exchanges.middle_name, exchanges.last_name, people.name_suffix), ' '
                ),
                lambda word: left(word, 1) || lower(substr(word, 2))
            ),
            ' '
        )
    end as display_name,
    coalesce(exchanges.nickname_class, people.nickname_class) as nickname_class,
    coalesce(exchanges.first_phonetic, people.first_phonetic) as first_phonetic,
    coalesce(exchanges.last_phonetic, people.last_phonetic) as last_phonetic,
    exchanges.name_key is not null as is_exchanged,
from people
left join exchanges on people.name_key = exchanges.name_key and people.person_sequence = exchanges.person_sequence
