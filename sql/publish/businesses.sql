-- An organisation.
-- grain: business_id
-- in: normal.organisation_mentions
-- by: business_id
with

mentions as (
    select * from normal.organisation_mentions
)

select
    business_id,
    mode(organisation order by organisation) as name,
    mode(kind order by kind) as business_type,
from mentions
group by business_id
