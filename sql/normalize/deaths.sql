-- A person who died, from the list of deaths.
-- grain: record_key
-- in: normal.read_names, staging.deaths
-- by: name_key
--   staging.deaths: text_key(name_text(full_name, name_order, last_name, first_name, middle_name, name_suffix))
with

listed as (
    select
        record_key,
        text_key(name_text(full_name, name_order, last_name, first_name, middle_name, name_suffix)) as name_key,
        try_cast(replace(birth_date, '-', '') as integer) as birth_number,
        died_on,
        upper(state) as state,
        left(zip, 5) as zip,
    from staging.deaths
)

select
    listed.record_key,
    people.last_name,
    people.first_name,
    people.middle_name,
    people.name_suffix,
    people.nickname_class,
    listed.birth_number,
    listed.died_on,
    listed.state,
    listed.zip,
from listed
inner join normal.read_names as people using (name_key)
where people.person_sequence = 1
