-- what it means: an old person id redirects although it still exists, or redirects to an id that itself redirects
-- what to do: look for the id in link.person_redirects and link.person_history; all records of one of the people may have been removed
with

astray as (
    select old_person_id from published.person_redirects
    semi join published.people on person_redirects.old_person_id = people.person_id
    union all
    select redirects.old_person_id
    from published.person_redirects as redirects
    semi join published.person_redirects as again on redirects.person_id = again.old_person_id
)

select
    old_person_id as offender,
from astray
