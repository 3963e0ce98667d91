-- what it means: a person has no primary name, or two
-- what to do: look at sql/published/person_names.sql
select
    person_id as offender,
from published.person_names
group by person_id
having count(*) filter (where is_primary) <> 1
