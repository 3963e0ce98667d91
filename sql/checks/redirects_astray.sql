-- what it means: a redirect leads away from a person that still exists, or to an id that itself redirects
-- what to do: look at link.person_redirects and link.person_history for the id; a person whose records were all removed may be the cause
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
