-- A sale of a parcel in the assessors' lists. A sale that several rolls repeat is one row.
-- grain: county_fips, parcel_number, sale_number
-- in: normal.parcels, staging.sales
-- by: county_fips
with

numbered as (
    select
        *,
        coalesce(instrument_number, nullif(concat_ws('/', book, page), ''), strftime(sold_on, 'sale-%Y-%m-%d')) as sale_number,
    from staging.sales
    where county_fips is not null and parcel_number is not null
),

listed as (
    select * from numbered
    where sale_number is not null
    -- Prefers the sales file, which has more facts than the two sales on a roll.
    qualify row_number() over (
        partition by county_fips, parcel_number, sale_number
        order by is_multi_parcel desc nulls last, as_of_on desc nulls last, source_id desc, record_key
    ) = 1
),

roll as (
    select county_fips, parcel_number, property_id from normal.parcels
)

select
    listed.county_fips,
    listed.parcel_number,
    listed.sale_number,
    roll.property_id,
    listed.sold_on,
    listed.sold_on_precision,
    listed.price_usd,
    listed.qualification_code,
    listed.qualification_text,
    listed.is_multi_parcel,
    listed.record_key,
    listed.source_id,
    listed.file_id,
    listed.line_number,
from listed
left join roll using (county_fips, parcel_number)
