-- what it means: a person has no primary name, or more than one
-- what to do: correct sql/publish/person_names.sql, then run `platbook publish --full`
select
    person_id as offender,
from published.person_names
group by person_id
having count(*) filter (where is_primary) <> 1
