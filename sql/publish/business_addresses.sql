-- An address of a business, or its place when the address cannot be read.
-- grain: business_id, address_id
-- in: normal.business_places, normal.organisation_mentions
-- by: business_id
with

mentions as (
    select business_id, address_id, is_past, observed_on from normal.organisation_mentions
    where address_id is not null
    union all
    select business_id, address_id, false, observed_on from normal.business_places
),

seen as (
    select
        business_id,
        address_id,
        max(observed_on) filter (where not is_past) as last_current_on,
    from mentions
    group by business_id, address_id
)

select
    business_id,
    address_id,
    -- Historical when the last record is two years older than the newest record of another address.
    coalesce(last_current_on < max(last_current_on) over (partition by business_id) - 730, last_current_on is null)
        as is_historical,
from seen
