-- The number of records of a source in a county.
-- grain: source_id, county_fips
-- in: normal.person_mentions, staging.deeds, staging.parcels, staging.sales
-- by: county_fips
--   normal.person_mentions: county_fips, not null
with

given as (
    select source_id, county_fips, 1 as parcels, 0 as deeds, 0 as mentions, as_of_on as seen_on from staging.parcels
    union all
    select source_id, county_fips, 0, 1, 0, coalesce(recorded_on, as_of_on) from staging.deeds
    union all
    select source_id, county_fips, 0, 1, 0, coalesce(sold_on, as_of_on) from staging.sales
    union all
    select source_id, county_fips, 0, 0, 1, observed_on from normal.person_mentions
    where county_fips is not null
)

select
    source_id,
    county_fips,
    sum(parcels)::integer as parcel_count,
    sum(deeds)::integer as deed_count,
    sum(mentions)::integer as person_mention_count,
    max(seen_on) as newest_on,
from given
where county_fips is not null
group by source_id, county_fips
