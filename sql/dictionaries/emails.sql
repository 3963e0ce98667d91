-- An e-mail address of staging.
-- grain: text
-- in: staging.past_person_mentions, staging.person_mentions
-- by: record_key
with

emails as (
    select email from staging.person_mentions
    union all
    select email from staging.past_person_mentions
)

select distinct email as text
from emails
where email is not null
