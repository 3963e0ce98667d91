-- A parcel that a recorded document concerns; its address is the roll's, else the document's own.
-- grain: county_fips, document_id, parcel_number
-- in: normal.address_dictionary, normal.parcels, staging.deed_parcels, staging.parcels, staging.past_deed_parcels
with

rolled as (
    select county_fips, parcel_number, max(city) as city, max(state) as state, max(zip) as zip
    from staging.parcels
    group by county_fips, parcel_number
),

-- As sql/dictionaries/addresses.sql asks: New York's rolls list a condominium's billing lot (75nn), deeds its unit lots: the block has the ZIP of both.
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
),

addressed as (
    select text_key, address_id from normal.address_dictionary
),

-- A void names no parcel any more; the document that it voids did.
stated as (
    select * from staging.deed_parcels
    union all by name
    select past.* exclude (superseded_on)
    from staging.past_deed_parcels as past
    anti join staging.deed_parcels as present
        on past.document_id = present.document_id and past.county_fips = present.county_fips
),

concerned as (
    select
        deed_parcels.county_fips,
        document_id,
        parcel_number,
        max(legal_description) as legal_description,
        min(address_text(
            deed_parcels.line_1,
            deed_parcels.line_2,
            coalesce(deed_parcels.city, rolled.city, blocks.city),
            coalesce(deed_parcels.state, rolled.state),
            coalesce(deed_parcels.zip, rolled.zip, blocks.zip)
        )) as own_text,
        min(record_key) as record_key,
    from stated as deed_parcels
    left join rolled using (county_fips, parcel_number)
    left join blocks
        on deed_parcels.county_fips = blocks.county_fips and left(deed_parcels.parcel_number, 6) = blocks.block
    where parcel_number is not null
    group by deed_parcels.county_fips, document_id, parcel_number
)

select
    concerned.county_fips,
    concerned.document_id,
    concerned.parcel_number,
    parcels.property_id,
    coalesce(parcels.address_id, addressed.address_id) as address_id,
    concerned.legal_description,
    concerned.record_key,
from concerned
left join normal.parcels on concerned.county_fips = parcels.county_fips and concerned.parcel_number = parcels.parcel_number
left join addressed on text_key(concerned.own_text) = addressed.text_key
