-- what it means: a person in a source record has no person id, because the records were normalised after the last link run
-- what to do: run `platbook link`, then `platbook publish`
select
    mention_key as offender,
from normal.person_mentions
anti join published.crosswalk using (mention_key)
