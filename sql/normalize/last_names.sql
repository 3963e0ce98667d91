-- A word that names have in the place of the last name, and the number of names that have it there.
-- grain: last_name
-- in: normal.name_people
-- by: name
--   normal.name_people: last_name, not null
select
    last_name,
    count(*) as last_count,
    min(last_phonetic) as last_phonetic,
from normal.name_people
where last_name is not null
group by last_name
