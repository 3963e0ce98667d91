-- A name of staging, as a text that src/normalize reads.
-- grain: text
-- in: staging.businesses, staging.deaths, staging.deed_parties, staging.parcel_owners, staging.past_parcel_owners, staging.past_person_mentions, staging.person_mentions
-- by: record_key
with

parts as (
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.person_mentions
    union all
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.past_person_mentions
    union all
    select null, null, coalesce(other_last_name, last_name), coalesce(other_first_name, first_name), null, null
    from staging.person_mentions
    where coalesce(other_last_name, other_first_name) is not null
    union all
    select null, null, coalesce(other_last_name, last_name), coalesce(other_first_name, first_name), null, null
    from staging.past_person_mentions
    where coalesce(other_last_name, other_first_name) is not null
    union all
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.parcel_owners
    union all
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.past_parcel_owners
    union all
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.deed_parties
    union all
    select full_name, name_order, last_name, first_name, middle_name, name_suffix from staging.deaths
    union all
    select business_name, 'unknown', null, null, null, null from staging.businesses
)

select distinct name_text(full_name, name_order, last_name, first_name, middle_name, name_suffix) as text
from parts
where text is not null
