-- A former person id whose person was merged into another.
-- grain: old_person_id
-- in: link.person_redirects
-- by: person_id
select
    old_person_id,
    person_id,
    merged_on,
    reason,
from link.person_redirects
