-- A phone of a business.
-- grain: business_id, phone
-- in: normal.organisation_mentions
-- by: business_id
select
    business_id,
    phone,
    max(observed_on) as last_seen_on,
from normal.organisation_mentions
where phone is not null
group by business_id, phone
