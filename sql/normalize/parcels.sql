-- A parcel on its newest roll, with the totals of its buildings, fixtures and land.
-- grain: property_id
-- in: normal.address_dictionary, staging.buildings, staging.fixtures, staging.land_segments, staging.parcels
-- by: county_fips
--   normal.address_dictionary: text_key in text_key(address_text(line_1, line_2, city, state, zip)) of staging.parcels
with

rolled as (
    select * from staging.parcels
    where county_fips is not null and parcel_number is not null
    -- A roll may list a parcel once per owner.
    qualify row_number() over (
        partition by county_fips, upper(trim(parcel_number))
        order by roll_year desc nulls last, as_of_on desc nulls last, record_key asc
    ) = 1
),

-- Totals over the buildings. Condition, quality, roof and heating are those of the largest building.
main_buildings as (
    select
        county_fips,
        parcel_number,
        min(year_built) filter (where year_built > 0) as year_built,
        max(effective_year_built) as effective_year_built,
        sum(living_sqft) as living_sqft,
        sum(ground_floor_sqft) as ground_floor_sqft,
        sum(basement_sqft) as basement_sqft,
        max(stories) as stories,
        arg_max(condition, (coalesce(living_sqft, 0), record_key)) as condition,
        arg_max(build_quality, (coalesce(living_sqft, 0), record_key)) as build_quality,
        arg_max(roof_covering, (coalesce(living_sqft, 0), record_key)) as roof_covering,
        arg_max(heating_fuel, (coalesce(living_sqft, 0), record_key)) as heating_fuel,
    from staging.buildings
    group by county_fips, parcel_number
),

counted_fixtures as (
    select
        county_fips,
        parcel_number,
        sum(unit_count) filter (where fixture = 'bedrooms') as bedrooms,
        sum(case fixture when 'full_baths' then unit_count when 'half_baths' then unit_count / 2 end) as bathrooms,
        max(unit_count) filter (where fixture = 'stories') as stories,
        bool_or(fixture = 'pool' and unit_count > 0) as has_pool,
    from staging.fixtures
    group by county_fips, parcel_number
),

land as (
    select county_fips, parcel_number, sum(land_sqft) as land_sqft
    from staging.land_segments
    group by county_fips, parcel_number
),

addressed as (
    select text_key, address_id from normal.address_dictionary
)

select
    derived_id('R', rolled.county_fips || '|' || upper(trim(rolled.parcel_number))) as property_id,
    rolled.county_fips,
    rolled.parcel_number,
    rolled.source_id,
    rolled.roll_year,
    rolled.as_of_on,
    addressed.address_id,
    rolled.state,
    rolled.zip,
    rolled.property_purpose,
    rolled.legal_description,
    coalesce(rolled.lot_sqft, land.land_sqft) as lot_sqft,
    coalesce(rolled.living_sqft, main_buildings.living_sqft) as living_sqft,
    main_buildings.ground_floor_sqft,
    main_buildings.basement_sqft,
    coalesce(rolled.year_built, main_buildings.year_built) as year_built,
    coalesce(rolled.effective_year_built, main_buildings.effective_year_built) as effective_year_built,
    coalesce(rolled.stories, main_buildings.stories, counted_fixtures.stories) as stories,
    rolled.unit_count,
    rolled.basement_type,
    rolled.garage_type,
    main_buildings.condition,
    main_buildings.build_quality,
    main_buildings.roof_covering,
    main_buildings.heating_fuel,
    counted_fixtures.bedrooms,
    counted_fixtures.bathrooms,
    -- A county that lists fixtures lists pools too, so a parcel without one has no pool.
    case when counted_fixtures.county_fips is not null then coalesce(counted_fixtures.has_pool, false) end as has_pool,
    rolled.is_vacant,
    rolled.is_homestead,
    rolled.latitude,
    rolled.longitude,
    rolled.market_value_usd,
    rolled.assessed_value_usd,
    rolled.tax_usd,
    rolled.deed_on,
    rolled.deed_number,
from rolled
left join main_buildings using (county_fips, parcel_number)
left join counted_fixtures using (county_fips, parcel_number)
left join land using (county_fips, parcel_number)
left join addressed
    on text_key(address_text(rolled.line_1, rolled.line_2, rolled.city, rolled.state, rolled.zip)) = addressed.text_key
