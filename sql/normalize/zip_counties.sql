-- The county of a ZIP code: the county of most of its parcels.
-- grain: zip
-- in: normal.addresses, normal.parcels
-- by: zip
--   normal.addresses: zip, not null
--   normal.parcels: address_id in address_id of normal.addresses
with

counted as (
    select places.zip, parcels.county_fips, count(*) as parcel_count
    from normal.parcels as parcels
    inner join normal.addresses as places using (address_id)
    where places.zip is not null
    group by places.zip, parcels.county_fips
)

select
    zip,
    county_fips,
from counted
qualify row_number() over (partition by zip order by parcel_count desc, county_fips) = 1
