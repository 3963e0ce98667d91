-- City, state and ZIP code from the roll for a parcel of a recorded document, because documents do not have them.
-- grain: county_fips, parcel_number
-- in: staging.deed_parcels, staging.parcels, staging.past_deed_parcels
-- by: county_fips
with

concerned as (
    select county_fips, parcel_number from staging.deed_parcels
    union
    select county_fips, parcel_number from staging.past_deed_parcels
),

rolled as (
    select county_fips, parcel_number, max(city) as city, max(state) as state, max(zip) as zip
    from staging.parcels
    group by county_fips, parcel_number
),

-- New York's rolls list a condominium's billing lot (75nn), but deeds list its unit lots. Both lots have the ZIP
-- code of the block.
blocks as (
    select
        county_fips,
        left(parcel_number, 6) as block,
        max(city) as city,
        case
            when count(distinct zip) filter (where right(parcel_number, 4) >= '7500') = 1
                then min(zip) filter (where right(parcel_number, 4) >= '7500')
            when count(distinct zip) = 1 then min(zip)
        end as zip,
    from staging.parcels
    where state = 'NY' and length(parcel_number) = 10
    group by county_fips, left(parcel_number, 6)
)

select
    concerned.county_fips,
    concerned.parcel_number,
    coalesce(rolled.city, blocks.city) as city,
    rolled.state,
    coalesce(rolled.zip, blocks.zip) as zip,
from concerned
left join rolled using (county_fips, parcel_number)
left join blocks on concerned.county_fips = blocks.county_fips and left(concerned.parcel_number, 6) = blocks.block
where concerned.county_fips is not null and concerned.parcel_number is not null
