-- what it means: published.crosswalk maps a source record to a person id that published.people does not have
-- what to do: run `platbook link --full`, then `platbook publish`
select
    mention_key as offender,
from published.crosswalk
anti join published.people using (person_id)
