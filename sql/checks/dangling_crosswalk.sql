-- what it means: the crosswalk sends a source record to a person that does not exist
-- what to do: run `platbook link --full`, then publish again
select
    mention_key as offender,
from published.crosswalk
anti join published.people using (person_id)
