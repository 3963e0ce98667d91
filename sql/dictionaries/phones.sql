-- A phone number of staging, with its extension.
-- grain: text
-- in: staging.businesses, staging.past_person_mentions, staging.person_mentions
-- by: record_key
with

numbers as (
    select phone, phone_extension from staging.person_mentions
    union all
    select phone, phone_extension from staging.past_person_mentions
    union all
    select phone, null from staging.businesses
)

select distinct phone_text(phone, phone_extension) as text
from numbers
where phone is not null
