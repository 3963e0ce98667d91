-- A normalised address (with its unit). For a business whose street cannot be read it is a place without line1.
-- grain: address_id
-- in: normal.addresses, normal.business_places, normal.parcels, normal.zip_counties, reference.counties, reference.zips
-- by: address_id
--   normal.parcels: address_id, not null
--   normal.zip_counties: whole
--   reference.counties: whole
--   reference.zips: whole
with

-- Several parcels may share an address (flats). The first one gives the coordinates.
situated as (
    select
        address_id,
        arg_min(latitude, property_id) as latitude,
        arg_min(longitude, property_id) as longitude,
        min(county_fips) as county_fips,
    from normal.parcels
    where address_id is not null
    group by address_id
),

zips as (
    select zip, min(latitude) as latitude, min(longitude) as longitude
    from reference.zips
    group by zip
),

counties as (
    select county_fips, county_name from reference.counties
),

-- Businesses of one place may spell its city differently. The first spelling is taken.
without_street as (
    select
        address_id,
        concat_ws(', ', min(city_display), nullif(concat_ws(' ', min(state), min(zip)), '')) as full_address,
        min(city_display) as city_display,
        min(state) as state,
        min(zip) as zip,
        min(plus4) as plus4,
    from normal.business_places
    group by address_id
),

places as (
    select * from normal.addresses
    union all by name
    select * from without_street
)

select
    places.address_id,
    places.full_address,
    places.line1,
    places.city_display as city,
    places.state,
    places.zip,
    places.plus4,
    places.house_number,
    places.pre_directional,
    places.street_name,
    places.street_suffix,
    places.post_directional,
    places.building,
    places.unit_type,
    places.unit_number,
    places.building_key,
    coalesce(situated.county_fips, zip_counties.county_fips) as county_fips,
    counties.county_name,
    coalesce(situated.latitude, zips.latitude) as latitude,
    coalesce(situated.longitude, zips.longitude) as longitude,
    case
        when situated.latitude is not null then 'rooftop'
        when zips.latitude is not null then 'zip'
    end as location_precision,
from places
left join situated using (address_id)
left join zips on places.zip = zips.zip
left join normal.zip_counties on places.zip = zip_counties.zip
left join counties on coalesce(situated.county_fips, zip_counties.county_fips) = counties.county_fips
