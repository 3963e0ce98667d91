-- A parcel of a recorded document. Its address is that of the roll, or the document's own.
-- grain: county_fips, document_id, parcel_number
-- in: normal.parcel_places, normal.parcels, normal.read_addresses, staging.deed_parcels, staging.past_deed_parcels
with

addressed as (
    select * from normal.read_addresses
),

-- A void lists no parcels, so those of the voided document are used.
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
            coalesce(deed_parcels.city, places.city),
            coalesce(deed_parcels.state, places.state),
            coalesce(deed_parcels.zip, places.zip)
        )) as own_text,
        min(record_key) as record_key,
    from stated as deed_parcels
    left join normal.parcel_places as places using (county_fips, parcel_number)
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
