-- A word that names have in the place of the first name, and the number of names that have it there.
-- grain: first_name
-- in: normal.name_people
-- by: name
--   normal.name_people: first_name, not null
select
    first_name,
    count(*) as first_count,
    min(nickname_class) as nickname_class,
    min(first_phonetic) as first_phonetic,
from normal.name_people
where first_name is not null and last_name is not null
group by first_name
