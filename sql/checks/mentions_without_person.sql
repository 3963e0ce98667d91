-- what it means: a person named in a source record is nobody: the linkage is older than the mentions
-- what to do: run `platbook link`, then publish again
select
    mention_key as offender,
from normal.person_mentions
anti join published.crosswalk using (mention_key)
